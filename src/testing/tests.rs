//! Servers as a test uses them, with a client that blocks.

use std::io::{Read, Write};
use std::net::TcpStream;

use super::{Builder, World, start};

const WORLD: &str = "
users: [{login: zoe}]
tokens: [{kind: classic, user: zoe}]
";

/// The status line and the body of an answer.
fn get(world: &World, path: &str, token: &str) -> (String, String) {
    let (host, mount) = {
        let rest = world.url().strip_prefix("http://").unwrap();
        rest.split_once('/')
            .map_or((rest, String::new()), |(host, mount)| {
                (host, format!("/{mount}"))
            })
    };
    let mut stream = TcpStream::connect(host).unwrap();
    write!(
        stream,
        "GET {mount}{path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: test\r\n\
         Authorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.lines().next().unwrap().to_owned(), body.to_owned())
}

#[tokio::test]
async fn the_demo_is_served_until_it_is_dropped() {
    let forge = start().await.unwrap();
    let (status, body) = get(&forge, "/user", forge.token("alice").unwrap());
    assert_eq!(status, "HTTP/1.1 200 OK");
    assert!(body.contains(r#""login":"alice""#), "{body}");
    assert!(forge.app("ci-bot").unwrap().private_key.is_some());
    let host = forge.url().replace("http://", "");
    drop(forge);
    assert!(TcpStream::connect(host).is_err());
}

#[tokio::test]
async fn git_reads_from_a_world() {
    let forge = start().await.unwrap();
    let world = forge.world().await.unwrap();
    let credentials = format!("http://alice:{}@", world.token("alice").unwrap());
    let url = world.url().replace("http://", &credentials);
    let listed = std::process::Command::new("git")
        .args(["ls-remote", &format!("{url}/acme/gadgets.git")])
        .output()
        .unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.contains("refs/heads/main"), "{listed}");
}

#[tokio::test]
async fn a_world_is_chosen_and_others_are_made() {
    let forge = Builder::default().world(WORLD).start().await.unwrap();
    let unknown = forge.token("alice").unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "the world has no token of alice; it has: zoe"
    );
    let like_main = forge.world().await.unwrap();
    let (status, _) = get(&like_main, "/user", like_main.token("zoe").unwrap());
    assert_eq!(status, "HTTP/1.1 200 OK");
    // Tokens without a value are made anew in each world.
    let (status, _) = get(&like_main, "/user", forge.token("zoe").unwrap());
    assert_eq!(status, "HTTP/1.1 401 Unauthorized");
    let empty = forge.world_from("users: []\n").await.unwrap();
    assert!(empty.tokens().is_empty());
    assert!(empty.control_url().starts_with(forge.url()));
    let gone = like_main.url.replace(forge.url(), "");
    drop(like_main);
    let (status, _) = get(&forge, &format!("{gone}/meta"), "");
    assert_eq!(status, "HTTP/1.1 404 Not Found");
}

#[tokio::test]
async fn a_mistake_in_the_world_is_named() {
    let world = Builder::default().world("users: [{logn: zoe}]\n");
    let error = world.start().await.unwrap_err().to_string();
    assert!(error.contains("did you mean `login`?"), "{error}");
}
