//! What a Git client gets: bytes of the protocol, and perhaps a pack behind them.

use std::io;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;

use super::Service;
use crate::git::transport::capabilities;
use crate::git::transport::listing::{Listed, LsRefs, RefList};
use crate::git::transport::packet::{push_flush, push_text};
use crate::git::transport::push::NOTHING;
use crate::git::transport::{BadRequest, Version};

/// A response to a Git client.
pub enum GitReply {
    Whole(Vec<u8>),
    Streamed(BoxBody<Bytes, io::Error>),
}

/// A refusal in words of the protocol, which clients show.
pub fn refusal(reason: &BadRequest) -> GitReply {
    let mut out = Vec::new();
    push_text(&mut out, &format!("ERR {reason}"));
    GitReply::Whole(out)
}

/// What clients of versions 0 and 1 are told first.
pub fn advertisement(list: &RefList, service: Service, version: Version) -> Vec<u8> {
    let mut out = Vec::new();
    push_text(&mut out, &format!("# service={}", service.name()));
    push_flush(&mut out);
    if version == Version::V1 {
        push_text(&mut out, "version 1");
    }
    let capabilities = match service {
        Service::UploadPack => capabilities::fetch(list.head.map(|_| list.default_branch.as_str())),
        Service::ReceivePack => capabilities::push(),
    };
    let head = list.head.filter(|_| service == Service::UploadPack);
    let head = head.map(|sha| Listed {
        name: "HEAD".to_owned(),
        sha,
        peeled: None,
    });
    let mut first = Some(&capabilities[..]);
    for listed in head.iter().chain(&list.refs) {
        listed.push_version_0(&mut out, first.take());
    }
    if first.is_some() {
        let none = Listed {
            name: "capabilities^{}".to_owned(),
            sha: NOTHING,
            peeled: None,
        };
        none.push_version_0(&mut out, first);
    }
    push_flush(&mut out);
    out
}

/// The answer to `ls-refs`.
pub fn answer(list: &RefList, asked: &LsRefs) -> Vec<u8> {
    let mut out = Vec::new();
    let leads_to = asked.symrefs.then_some(list.default_branch.as_str());
    match list.head {
        Some(sha) if asked.wants_head() => {
            let head = Listed {
                name: "HEAD".to_owned(),
                sha,
                peeled: None,
            };
            head.push_version_2(&mut out, leads_to);
        }
        None if asked.wants_head() && asked.unborn => {
            let target = leads_to.map_or(String::new(), |to| format!(" symref-target:{to}"));
            push_text(&mut out, &format!("unborn HEAD{target}"));
        }
        _ => {}
    }
    for listed in &list.refs {
        listed.push_version_2(&mut out, None);
    }
    push_flush(&mut out);
    out
}
