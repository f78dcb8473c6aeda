//! Requests that no client would send: each gets a prompt, well-formed error.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use poem::Body;
use poem::http::Method;

use super::{Folder, GitServer};
use crate::support::git::run_in;
use crate::support::server::{Answer, Client};

const UPLOAD: &str = "/acme/gadgets.git/git-upload-pack";
const RECEIVE: &str = "/acme/gadgets.git/git-receive-pack";

fn line(text: &str) -> String {
    format!("{:04x}{text}", text.len() + 4)
}

impl GitServer {
    /// Sends the commands of a push with all objects of a folder.
    pub async fn raw_push(
        &self,
        folder: &Folder,
        commands: &[(&str, &str, &str)],
        capabilities: &str,
    ) -> String {
        let names = folder.objects().join("\n");
        self.raw_push_with(commands, capabilities, &folder.pack(&names))
            .await
    }

    pub async fn raw_push_with(
        &self,
        commands: &[(&str, &str, &str)],
        capabilities: &str,
        pack: &[u8],
    ) -> String {
        let mut body = String::new();
        for (index, (old, new, name)) in commands.iter().enumerate() {
            let list = if index == 0 {
                format!("\0{capabilities}")
            } else {
                String::new()
            };
            body.push_str(&line(&format!("{old} {new} {name}{list}")));
        }
        let body = [body.as_bytes(), b"0000", pack].concat();
        let client = self.server.as_("alice-classic");
        let response = client.send_body(Method::POST, RECEIVE, body.into()).await;
        response.expect(200).text
    }
}

impl Folder {
    /// A pack with only these objects.
    pub fn pack(&self, names: &str) -> Vec<u8> {
        let names = format!("{}\n", names.trim());
        run_in(
            self.path(),
            &["pack-objects", "--stdout", "-q"],
            names.as_bytes(),
        )
        .stdout
    }
}

async fn post(client: &Client<'_>, path: &str, body: impl Into<Vec<u8>>) -> Answer {
    client
        .send_body(Method::POST, path, Body::from(body.into()))
        .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn malformed_packets_get_an_error() {
    let server = GitServer::start().await;
    let (old, new) = (server.server.anonymous(), server.server.anonymous());
    let new = new.header("Git-Protocol", "version=2");
    let unknown = [line("command=steal"), "0000".to_owned()].concat();
    let want = [
        line("command=fetch"),
        "0001".to_owned(),
        line("want x"),
        "0000".to_owned(),
    ];
    for (client, body) in [
        (&old, "zzzz"),
        (&old, "0003"),
        (&old, "ffff"),
        (&old, "00"),
        (&old, "0032want 1"),
        (&old, "0009have\n"),
        (&new, "fff0abc"),
        (&new, &unknown),
        (&new, &want.concat()),
    ] {
        let response = post(client, UPLOAD, body).await.expect(200);
        assert!(response.text.contains("ERR "), "{body}: {}", response.text);
    }
    for body in ["", "0000"] {
        assert_eq!(post(&old, UPLOAD, body).await.expect(200).text, "");
    }
    let alice = server.server.as_("alice-classic");
    for body in ["zzzz", "0003", "00", "ffff", "0009abcde0000", "fff0abc"] {
        post(&alice, RECEIVE, body).await.expect(400);
    }
    for body in ["", "0000"] {
        assert_eq!(post(&alice, RECEIVE, body).await.expect(200).text, "");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_over_the_limits_are_rejected() {
    let server = GitServer::start().await;
    let client = server
        .server
        .anonymous()
        .header("Git-Protocol", "version=2");
    let want = line(&format!("want {}\n", "12".repeat(20)));
    let wants = [
        line("command=fetch"),
        "0001".to_owned(),
        want.repeat(400_000),
    ]
    .concat();
    post(&client, UPLOAD, wants.clone()).await.expect(413);
    // A decompression bomb.
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(&vec![b'0'; 64 << 20]).unwrap();
    let bomb = gzip.finish().unwrap();
    let compressed = client.clone().header("Content-Encoding", "gzip");
    post(&compressed, UPLOAD, bomb.clone()).await.expect(413);
    post(&compressed, UPLOAD, &bomb[..bomb.len() / 2])
        .await
        .expect(413);
    post(&compressed, UPLOAD, &b"no gzip"[..]).await.expect(400);
    let other = client.clone().header("Content-Encoding", "br");
    post(&other, UPLOAD, &b"0000"[..]).await.expect(415);
    let alice = server.server.as_("alice-classic");
    let zero = "0".repeat(40);
    let commands: String = (0..10_001)
        .map(|number| line(&format!("{zero} {zero} refs/heads/{number}")))
        .collect();
    post(&alice, RECEIVE, commands).await.expect(400);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_compressed_request_is_accepted() {
    let server = GitServer::start().await;
    let client = server.server.anonymous();
    let client = client
        .header("Git-Protocol", "version=2")
        .header("Content-Encoding", "gzip");
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    let body = [
        line("command=ls-refs"),
        "0001".to_owned(),
        line("peel"),
        "0000".to_owned(),
    ];
    gzip.write_all(body.concat().as_bytes()).unwrap();
    let response = post(&client, UPLOAD, gzip.finish().unwrap())
        .await
        .expect(200);
    assert!(
        response.text.contains("refs/heads/main\n"),
        "{}",
        response.text
    );
    assert!(response.text.contains(" peeled:"), "{}", response.text);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_push_can_change_a_reference_only_once() {
    let server = GitServer::start().await;
    let clone = server.clone_of("acme/gadgets");
    let (zero, new) = ("0".repeat(40), clone.git(&["rev-parse", "HEAD"]));
    let twice = [
        (&zero[..], &new[..], "refs/heads/x"),
        (&zero, &new, "refs/heads/x"),
    ];
    let report = server.raw_push(&clone, &twice, "report-status").await;
    assert!(report.contains("ok refs/heads/x\n"), "{report}");
    assert!(
        report.contains("ng refs/heads/x multiple updates"),
        "{report}"
    );
    let funny = [
        (&zero[..], &new[..], "refs/heads/a..b"),
        (&zero, &new, "HEAD"),
    ];
    let report = server.raw_push(&clone, &funny, "report-status").await;
    assert_eq!(report.matches("funny refname").count(), 2, "{report}");
    server.stop().await;
}
