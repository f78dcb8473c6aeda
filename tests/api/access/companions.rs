//! Operations around the service that lead to the same Git data and the same pull
//! requests: the table does not speak of them, and they take the same permission.

use poem::http::Method;
use serde_json::{Value, json};

use super::{ADMINISTRATOR, start};
use crate::harness::Service;

const GIT: &str = "/repos/acme/widgets/git";
const REVIEWS: &str = "/repos/acme/widgets/pulls/1/reviews";

/// A token that reaches the private repository and may not read its contents is
/// told so; with the permission it reads what is there.
async fn takes_contents_to_read(path: &str) {
    let service = start().await;
    for token in [
        "fine-grained-administrator-metadata",
        "app-user-administrator-metadata",
        "installation-metadata",
    ] {
        let answer = service.as_(token).get(path).await.expect(403);
        let message = answer.message();
        assert!(message.starts_with("Resource not accessible by"), "{token}");
    }
    for token in ["fine-grained-administrator-read", "installation-read"] {
        service.as_(token).get(path).await.expect(200);
    }
}

async fn sha_of(name: &str) -> String {
    let service = start().await;
    let path = format!("{GIT}/ref/{name}");
    let found = service.as_(ADMINISTRATOR).get(&path).await.expect(200);
    found.json()["object"]["sha"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn list_refs_403_when_the_token_may_not_read_contents() {
    takes_contents_to_read(&format!("{GIT}/refs")).await;
}

#[tokio::test]
async fn list_all_matching_refs_403_when_the_token_may_not_read_contents() {
    takes_contents_to_read(&format!("{GIT}/matching-refs")).await;
}

#[tokio::test]
async fn find_refs_403_when_the_token_may_not_read_contents() {
    takes_contents_to_read(&format!("{GIT}/refs/heads/main")).await;
}

#[tokio::test]
async fn get_commit_403_when_the_token_may_not_read_contents() {
    let sha = sha_of("heads/main").await;
    takes_contents_to_read(&format!("{GIT}/commits/{sha}")).await;
}

#[tokio::test]
async fn get_tree_403_when_the_token_may_not_read_contents() {
    takes_contents_to_read(&format!("{GIT}/trees/main")).await;
}

#[tokio::test]
async fn get_tag_403_when_the_token_may_not_read_contents() {
    let sha = sha_of("tags/v1").await;
    takes_contents_to_read(&format!("{GIT}/tags/{sha}")).await;
}

/// Requests by tokens with no permission, with that to read and with that to write pull
/// requests: reads, and changes that none but the last may make.
async fn takes_permission(
    service: &Service,
    reads: &[String],
    changes: &[(Method, String, Value)],
) {
    for (suffix, may_read, may_write) in [
        ("metadata", false, false),
        ("read", true, false),
        ("write", true, true),
    ] {
        for kind in [
            "fine-grained-administrator",
            "app-user-administrator",
            "installation",
        ] {
            let token = format!("{kind}-{suffix}");
            let speaker = service.as_(&token);
            for path in reads {
                let status = speaker.get(path).await.status.as_u16();
                assert_eq!(status, if may_read { 200 } else { 403 }, "{token} {path}");
            }
            for (method, path, body) in changes {
                let body = Some(body.to_string());
                let status = speaker.send(method.clone(), path, body).await.status;
                let refused = status == 403;
                assert_eq!(refused, !may_write, "{token} {method} {path}: {status}");
            }
        }
    }
}

/// Reviews take the permission that comments take, in both directions.
#[tokio::test]
async fn reviews_take_the_permission_for_pull_requests() {
    let service = start().await;
    let body = json!({"event": "COMMENT", "body": "x"});
    let made = service.as_(ADMINISTRATOR).post(REVIEWS, body.clone()).await;
    let review = format!("{REVIEWS}/{}", made.expect(200).json()["id"]);
    let reads = [
        REVIEWS.to_owned(),
        review.clone(),
        format!("{review}/comments"),
    ];
    let changes = [
        (Method::POST, REVIEWS.to_owned(), body.clone()),
        (Method::PUT, review.clone(), body.clone()),
        (Method::POST, format!("{review}/events"), body),
        (
            Method::PUT,
            format!("{review}/dismissals"),
            json!({"message": "x"}),
        ),
        (Method::DELETE, review.clone(), json!({})),
    ];
    takes_permission(&service, &reads, &changes).await;
}

/// Comments in a conversation take the permission for issues, or the one for pull requests.
#[tokio::test]
async fn issue_comments_take_the_permission_for_issues_or_pull_requests() {
    let service = start().await;
    let folder = "/repos/acme/widgets/issues";
    let all = format!("{folder}/1/comments");
    let body = json!({"body": "x"});
    let made = service.as_(ADMINISTRATOR).post(&all, body.clone()).await;
    let comment = format!("{folder}/comments/{}", made.expect(201).json()["id"]);
    let reads = [all.clone(), format!("{folder}/comments"), comment.clone()];
    let changes = [
        (Method::POST, all, json!({"body": "y"})),
        (Method::PATCH, comment, body),
    ];
    takes_permission(&service, &reads, &changes).await;
}

/// A private repository looks absent to those who cannot read it, and what is public takes a
/// token to change.
#[tokio::test]
async fn reviews_are_hidden_with_their_repository() {
    let service = start().await;
    let body = json!({"event": "COMMENT", "body": "x"});
    for path in [REVIEWS.to_owned(), format!("{REVIEWS}/1/comments")] {
        service.anonymous().get(&path).await.expect(404);
        service.as_("classic-stranger").get(&path).await.expect(404);
    }
    let stranger = service.as_("classic-stranger");
    stranger.post(REVIEWS, body.clone()).await.expect(404);
    let public = REVIEWS.replace("widgets", "gadgets");
    service.anonymous().get(&public).await.expect(200);
    service.anonymous().post(&public, body).await.expect(401);
}
