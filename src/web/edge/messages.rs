//! Helpers for requests and responses of any operation.

use std::net::{IpAddr, SocketAddr};

use percent_encoding::percent_decode_str;
use poem::http::{HeaderMap, StatusCode, header};
use poem::{Request, Response};

use crate::web::address::RequestUrl;
use crate::web::compression::{Encoding, compress_stream};
use contract::problem::Problem;
use contract::reply::Streamed;

/// The response to HEAD is that of GET without its body, with its length. The length of a
/// stream is unknown.
pub async fn without_body(response: &mut Response) {
    if response.data::<Streamed>().is_some() {
        return;
    }
    let length = response
        .take_body()
        .into_bytes()
        .await
        .map_or(0, |bytes| bytes.len());
    if response.status() != StatusCode::NO_CONTENT && response.status() != StatusCode::NOT_MODIFIED
    {
        response
            .headers_mut()
            .insert(header::CONTENT_LENGTH, length.into());
    }
}

/// Attaches the body of a streamed response.
pub fn begin_stream(response: &mut Response, encoding: Option<Encoding>) {
    if let Some(streamed) = response.data::<Streamed>().cloned() {
        response.set_body(streamed.body());
        if let Some(encoding) = encoding {
            compress_stream(response, encoding);
        }
    }
}

/// Rejects invalid UTF-8 and NUL: no resource has such a name, and PostgreSQL cannot store a NUL.
pub fn reject_unreadable(address: &RequestUrl) -> Result<(), Problem> {
    let readable = |text: &str| {
        percent_decode_str(text)
            .decode_utf8()
            .is_ok_and(|text| !text.contains('\0'))
    };
    if !readable(&address.path) {
        return Err(Problem::NotFound);
    }
    if !readable(&address.query) {
        return Err(Problem::BadRequest(
            "The query must be UTF-8 text without a NUL character".into(),
        ));
    }
    Ok(())
}

/// Two credentials are ambiguous: a proxy may have checked the other one.
pub fn reject_two_credentials(headers: &HeaderMap) -> Result<(), Problem> {
    match headers.get_all(header::AUTHORIZATION).iter().nth(1) {
        None => Ok(()),
        Some(_) => Err(Problem::BadRequest(
            "The request has more than one Authorization header".into(),
        )),
    }
}

pub fn remote_address(request: &Request) -> Option<IpAddr> {
    request.remote_addr().as_socket_addr().map(SocketAddr::ip)
}
