//! Who may fetch and push, and the error messages for everyone else.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::GitServer;
use crate::support::server::Answer;

async fn info(server: &GitServer, token: Option<&str>, repository: &str, service: &str) -> Answer {
    let path = format!("/{repository}/info/refs?service=git-{service}-pack");
    let client = server.server.anonymous();
    let client = match token {
        Some(token) => {
            let basic = BASE64_STANDARD.encode(format!("anybody:{token}"));
            client.header("Authorization", format!("Basic {basic}"))
        }
        None => client,
    };
    client.get(&path).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_caller_gets_githubs_status_and_message() {
    let server = GitServer::start().await;
    let denied = |who: &str, what: &str| format!("Permission to {what}.git denied to {who}.\n");
    let absent = "Repository not found.\n";
    for (token, repository, service, status, words) in [
        (None, "acme/gadgets.git", "upload", 200, None),
        (None, "acme/gadgets", "upload", 200, None),
        (
            None,
            "acme/gadgets.git",
            "receive",
            401,
            Some("No anonymous write access.\n"),
        ),
        (None, "acme/widgets.git", "upload", 401, Some(absent)),
        (None, "acme/none.git", "upload", 401, Some(absent)),
        (None, "acme/none.git", "receive", 401, Some(absent)),
        (
            Some("mallory-classic"),
            "acme/widgets.git",
            "upload",
            404,
            Some(absent),
        ),
        (
            Some("mallory-classic"),
            "acme/widgets.git",
            "receive",
            404,
            Some(absent),
        ),
        (
            Some("mallory-classic"),
            "acme/gadgets.git",
            "upload",
            200,
            None,
        ),
        (
            Some("mallory-classic"),
            "acme/gadgets.git",
            "receive",
            403,
            Some(&denied("mallory", "acme/gadgets")[..]),
        ),
        (Some("bob-classic"), "acme/widgets.git", "upload", 200, None),
        (
            Some("bob-classic"),
            "acme/widgets.git",
            "receive",
            403,
            Some(&denied("bob", "acme/widgets")[..]),
        ),
        (Some("alice-reads"), "acme/widgets.git", "upload", 200, None),
        (
            Some("alice-reads"),
            "acme/widgets.git",
            "receive",
            403,
            Some(&denied("alice", "acme/widgets")[..]),
        ),
        (
            Some("alice-metadata"),
            "acme/widgets.git",
            "upload",
            403,
            Some("Write access to repository not granted.\n"),
        ),
        (
            Some("alice-classic"),
            "acme/widgets.git",
            "receive",
            200,
            None,
        ),
        (
            Some("ci-bot-token"),
            "acme/widgets.git",
            "receive",
            200,
            None,
        ),
        (
            Some("alice-classic"),
            "acme/old.git",
            "receive",
            403,
            Some("This repository was archived so it is read-only.\n"),
        ),
        (None, "acme/old.git", "upload", 200, None),
        (
            Some("alice-classic"),
            "acme/off.git",
            "receive",
            403,
            Some("Access to this repository has been disabled.\n"),
        ),
        (None, "acme/off.git", "upload", 200, None),
    ] {
        let response = info(&server, token, repository, service).await;
        let case = format!("{token:?} {repository} {service}");
        assert_eq!(
            response.status.as_u16(),
            status,
            "{case}: {}",
            response.text
        );
        assert!(response.header("x-github-request-id").is_some(), "{case}");
        if let Some(words) = words {
            assert_eq!(response.text, words, "{case}");
            assert_eq!(
                response.header("content-type"),
                Some("text/plain; charset=utf-8")
            );
        }
        let challenge = response.header("www-authenticate");
        assert_eq!(
            challenge,
            (status == 401).then_some("Basic realm=\"GitHub\""),
            "{case}"
        );
    }
    let wrong = info(
        &server,
        Some("nobody-knows-it"),
        "acme/gadgets.git",
        "upload",
    )
    .await;
    assert_eq!(wrong.status.as_u16(), 401);
    assert!(wrong.text.starts_with("Invalid username or token."));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_can_be_a_password_a_user_name_or_a_bearer_token() {
    let server = GitServer::start().await;
    let host = server.url(None, "acme/widgets.git");
    let host = host.strip_prefix("http://").unwrap();
    for credential in [
        "alice:alice-classic",
        "alice-classic:x-oauth-basic",
        "alice-classic:",
        "x-access-token:ci-bot-token",
    ] {
        let folder = server.folder();
        folder.git(&["clone", "-q", &format!("http://{credential}@{host}"), "."]);
        folder.fsck();
    }
    let folder = server.folder();
    let bearer = "http.extraHeader=Authorization: Bearer alice-classic";
    folder.git(&["-c", bearer, "clone", "-q", &format!("http://{host}"), "."]);
    let folder = server.folder();
    let stderr = folder.refused(&["clone", &format!("http://{host}"), "."]);
    assert!(stderr.contains("could not read Username"), "{stderr}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_without_smart_http_gets_a_request_to_upgrade() {
    let server = GitServer::start().await;
    let client = server.server.anonymous();
    let response = client.get("/acme/gadgets.git/info/refs").await.expect(403);
    assert!(response.text.starts_with("Please upgrade your git client."));
    server.stop().await;
}
