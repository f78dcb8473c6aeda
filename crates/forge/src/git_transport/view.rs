//! Responses to Git clients: protocol bytes, optionally followed by a pack.

use std::io;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;

use git::transport::BadRequest;
use git::transport::packet::push_text;

/// A response to a Git client.
pub enum GitReply {
    Whole(Vec<u8>),
    Streamed(BoxBody<Bytes, io::Error>),
}

/// An error message in the protocol, which clients show.
pub fn refusal(reason: &BadRequest) -> GitReply {
    let mut out = Vec::new();
    push_text(&mut out, &format!("ERR {reason}"));
    GitReply::Whole(out)
}
