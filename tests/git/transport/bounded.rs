//! Requests that ask for more than they may: refused before they cost anything.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use poem::Body;
use poem::http::Method;
use tokio::io::{AsyncRead, ReadBuf};

use super::GitServer;
use crate::support::server::Client;

/// A body that notices when it is read.
#[derive(Clone, Default)]
struct Watched(Arc<AtomicBool>);

impl AsyncRead for Watched {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        _: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.0.store(true, Ordering::Relaxed);
        Poll::Ready(Ok(()))
    }
}

/// The status of a request, and whether its body was read.
async fn sent(client: &Client<'_>, path: &str) -> (u16, bool) {
    let watched = Watched::default();
    let body = Body::from_async_read(watched.clone());
    let response = client.send_body(Method::POST, path, body).await;
    let read = watched.0.load(Ordering::Relaxed);
    (response.status.as_u16(), read)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_is_not_read_before_its_caller_is_authorized() {
    let server = GitServer::start().await;
    let anonymous = server.server.anonymous();
    let mallory = server.server.as_("mallory-classic");
    for version in ["version=0", "version=2"] {
        let anonymous = anonymous.clone().header("Git-Protocol", version);
        for (client, path, status) in [
            (&anonymous, "/acme/nowhere.git/git-upload-pack", 401),
            (&anonymous, "/acme/widgets.git/git-upload-pack", 401),
            (&anonymous, "/acme/gadgets.git/git-receive-pack", 401),
            (&mallory, "/acme/widgets.git/git-upload-pack", 404),
            (&mallory, "/acme/gadgets.git/git-receive-pack", 403),
        ] {
            assert_eq!(sent(client, path).await, (status, false), "{path}");
        }
        let path = "/acme/gadgets.git/git-upload-pack";
        assert_eq!(sent(&anonymous, path).await, (200, true));
    }
    server.stop().await;
}

fn line(text: &str) -> String {
    format!("{:04x}{text}\n", text.len() + 5)
}

/// The response to a fetch that excludes the history of these references.
async fn excluding(server: &GitServer, version: u8, want: &str, names: &[String]) -> String {
    let names: String = names
        .iter()
        .map(|name| line(&format!("deepen-not {name}")))
        .collect();
    let want = line(&format!("want {want}"));
    let body = match version {
        2 => [&line("command=fetch"), "0001", &want, &names, "0000"].concat(),
        _ => [&want, &names, "0000"].concat(),
    };
    let client = server.server.anonymous();
    let client = client.header("Git-Protocol", format!("version={version}"));
    let path = "/acme/gadgets.git/git-upload-pack";
    let response = client.send_body(Method::POST, path, body.into()).await;
    response.expect(200).text
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fetch_excludes_a_bounded_number_of_histories() {
    let server = GitServer::start().await;
    let want = server.tip("acme/gadgets", "heads/main").await.unwrap();
    for version in [0, 1, 2] {
        let names: Vec<String> = (0..101).map(|number| format!("missing-{number}")).collect();
        let refusal = excluding(&server, version, &want, &names).await;
        let expected = "ERR more than 100 deepen-not lines\n";
        assert!(refusal.ends_with(expected), "{version}: {refusal}");
        let refusal = excluding(&server, version, &want, &names[1..]).await;
        let expected = "ERR upload-pack: ambiguous deepen-not: missing-1\n";
        assert!(refusal.ends_with(expected), "{version}: {refusal}");
    }
    for name in ["aside", "heads/aside", "pull/1/head", "refs/tags/v1.0"] {
        let all = vec![name.to_owned(); 100];
        let shallow = excluding(&server, 0, &want, &all).await;
        assert!(shallow.contains(&format!("shallow {want}")), "{shallow}");
    }
    server.stop().await;
}
