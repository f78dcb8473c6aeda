//! The bare poem server: it serves recorded responses with their headers from memory and does
//! nothing else. Nothing built on poem can serve these bytes faster.

use std::collections::HashMap;
use std::path::Path;

use poem::endpoint::make_sync;
use poem::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use poem::listener::{Acceptor, Listener, TcpListener};
use poem::{Body, EndpointExt, Request, Response, Server};

use super::http::Recorded;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

struct Ready {
    status: StatusCode,
    headers: HeaderMap,
    body: bytes::Bytes,
}

#[tokio::main]
pub async fn serve(responses: &Path) {
    let text = std::fs::read_to_string(responses).unwrap();
    let recorded: HashMap<String, Recorded> = serde_json::from_str(&text).unwrap();
    let ready: HashMap<String, Ready> = recorded
        .into_iter()
        .map(|(name, response)| (format!("/{name}"), prepare(response)))
        .collect();
    let acceptor = TcpListener::bind("127.0.0.1:0").into_acceptor().await;
    let acceptor = acceptor.unwrap();
    let address = acceptor.local_addr()[0].as_socket_addr().copied();
    println!("  API   http://{}/", address.unwrap());
    let endpoint = make_sync(move |request: Request| respond(&ready, &request));
    Server::new_with_acceptor(acceptor)
        .run(endpoint.map_to_response())
        .await
        .unwrap();
}

fn prepare(response: Recorded) -> Ready {
    let mut headers = HeaderMap::new();
    for (name, value) in &response.headers {
        headers.append(
            HeaderName::from_bytes(name.as_bytes()).unwrap(),
            HeaderValue::from_str(value).unwrap(),
        );
    }
    Ready {
        status: StatusCode::from_u16(response.status).unwrap(),
        headers,
        body: response.body.into_bytes().into(),
    }
}

fn respond(ready: &HashMap<String, Ready>, request: &Request) -> Response {
    let Some(found) = ready.get(request.uri().path()) else {
        return StatusCode::NOT_FOUND.into();
    };
    let mut response = Response::builder()
        .status(found.status)
        .body(Body::from_bytes(found.body.clone()));
    response.headers_mut().clone_from(&found.headers);
    response
}
