//! Review comments, as `Spec, Pull request review comments` has them. Here: who
//! may do what to one comment, and what a request may say. Where comments stand
//! is in `placing.rs` and `following.rs`, lists are in `listing.rs`, texts in
//! `texts.rs`, limits in `limits.rs`, and what others hear in `telling.rs`.

mod following;
mod limits;
mod listing;
mod placing;
mod telling;
mod texts;

use forgewright::app::Settings;
use serde_json::{Value, json};

use crate::harness::{Answer, Service};

const WORLD: &str = include_str!("review_comments/world.yaml");
const COMMENTS: &str = "/repos/acme/gadgets/pulls/1/comments";
const WIDGETS: &str = "/repos/acme/widgets/pulls/1/comments";

async fn start() -> Service {
    Service::with(WORLD, Settings::default()).await
}

fn comment_path(id: &Value) -> String {
    format!("/repos/acme/gadgets/pulls/comments/{id}")
}

/// What a branch of gadgets points at.
async fn sha(service: &Service, branch: &str) -> String {
    sha_in(service, "gadgets", branch).await
}

async fn sha_in(service: &Service, repository: &str, branch: &str) -> String {
    let path = format!("/repos/acme/{repository}/git/ref/heads/{branch}");
    let answer = service.as_("alice").get(&path).await.expect(200);
    answer.json()["object"]["sha"].as_str().unwrap().to_owned()
}

/// Writes a comment on line 2 of README.md, and gives it back.
async fn commented(service: &Service, token: &str, body: &str) -> Value {
    let head = sha(service, "topic").await;
    let body = json!({"body": body, "commit_id": head, "path": "README.md", "line": 2});
    let answer = service.as_(token).post(COMMENTS, body).await;
    answer.expect(201).json()
}

async fn replied(service: &Service, token: &str, root: &Value, body: &str) -> Value {
    let path = format!("{COMMENTS}/{}/replies", root["id"]);
    let answer = service.as_(token).post(&path, json!({"body": body})).await;
    answer.expect(201).json()
}

/// The refused fields of an answer.
fn refused(answer: &Answer) -> Vec<(String, String, Option<String>)> {
    assert_eq!(answer.message(), "Validation Failed", "{}", answer.text);
    let body = answer.json();
    let errors = body["errors"].as_array().unwrap().iter();
    errors
        .map(|error| {
            assert_eq!(error["resource"], "PullRequestReviewComment");
            let word = |key: &str| error[key].as_str().unwrap().to_owned();
            let message = error["message"].as_str().map(str::to_owned);
            (word("code"), word("field"), message)
        })
        .collect()
}

#[tokio::test]
async fn create_review_comment_201_with_the_whole_comment() {
    let service = start().await;
    let head = sha(&service, "topic").await;
    let body = json!({"body": "Why **2**?", "commit_id": head, "path": "README.md", "line": 2});
    let answer = service
        .as_("mallory")
        .post(COMMENTS, body)
        .await
        .expect(201);
    let comment = answer.json();
    let id = comment["id"].as_i64().unwrap();
    let url = comment["url"].as_str().unwrap();
    assert!(url.ends_with(&format!("/repos/acme/gadgets/pulls/comments/{id}")));
    assert_eq!(answer.header("location"), Some(url));
    let host = url.split("/repos/").next().unwrap();
    let page = format!("{host}/acme/gadgets/pull/1#discussion_r{id}");
    assert_eq!(comment["html_url"], page);
    assert_eq!(
        comment["_links"],
        json!({
            "self": {"href": url},
            "html": {"href": page},
            "pull_request": {"href": format!("{host}/repos/acme/gadgets/pulls/1")},
        })
    );
    assert!(comment["node_id"].as_str().unwrap().starts_with("PRRC_"));
    assert!(comment["pull_request_review_id"].is_i64());
    assert_eq!(comment["user"]["login"], "mallory");
    assert_eq!(comment["author_association"], "NONE");
    assert_eq!(comment["body"], "Why **2**?");
    assert_eq!(comment["created_at"], "2026-03-10T09:30:00Z");
    assert_eq!(comment["updated_at"], "2026-03-10T09:30:00Z");
    assert_eq!(comment["commit_id"], head.as_str());
    assert_eq!(comment["original_commit_id"], head.as_str());
    assert_eq!(comment["diff_hunk"], "@@ -1,3 +1,3 @@\n one\n-two\n+2");
    assert_eq!(comment["subject_type"], "line");
    for key in ["in_reply_to_id", "body_html", "body_text"] {
        assert!(comment.get(key).is_none(), "{key}");
    }
    for key in ["start_line", "original_start_line", "start_side"] {
        assert!(comment.as_object().unwrap()[key].is_null(), "{key}");
    }
    let read = service.anonymous().get(&comment_path(&comment["id"])).await;
    assert_eq!(read.expect(200).json(), comment);
}

#[tokio::test]
async fn create_review_comment_201_with_what_the_author_is_to_the_repository() {
    let service = start().await;
    for (token, association) in [
        ("alice", "MEMBER"),
        ("bob-classic", "MEMBER"),
        ("mallory", "NONE"),
        ("ci-bot", "NONE"),
    ] {
        let comment = commented(&service, token, token).await;
        assert_eq!(comment["author_association"], association, "{token}");
    }
    let head = sha_in(&service, "widgets", "topic").await;
    let body = json!({"body": "x", "commit_id": head, "path": "a.txt", "line": 1});
    let answer = service.as_("carol").post(WIDGETS, body).await.expect(201);
    assert_eq!(answer.json()["author_association"], "COLLABORATOR");
}

#[tokio::test]
async fn create_review_comment_201_as_the_bot_of_an_app() {
    let service = start().await;
    let comment = commented(&service, "ci-bot", "Broken").await;
    assert_eq!(comment["user"]["login"], "ci-bot[bot]");
    assert_eq!(comment["user"]["type"], "Bot");
}

#[tokio::test]
async fn create_review_comment_401_without_a_credential() {
    let service = start().await;
    let answer = service
        .anonymous()
        .post(COMMENTS, json!({}))
        .await
        .expect(401);
    assert_eq!(answer.message(), "Requires authentication");
    let answer = service.as_("nobody").post(COMMENTS, json!({})).await;
    assert_eq!(answer.expect(401).message(), "Bad credentials");
}

#[tokio::test]
async fn create_review_comment_403_when_archived_or_locked_or_not_permitted() {
    let service = start().await;
    let path = "/repos/acme/attic/pulls/1/comments";
    let answer = service.as_("alice").post(path, json!({})).await.expect(403);
    assert_eq!(answer.message(), "Repository was archived so is read-only.");
    let locked = "/repos/acme/gadgets/pulls/3/comments";
    let answer = service
        .as_("mallory")
        .post(locked, json!({}))
        .await
        .expect(403);
    assert_eq!(
        answer.message(),
        "Unable to create comment because issue is locked."
    );
    let head = sha(&service, "other").await;
    let body = json!({"body": "x", "commit_id": head, "path": "README.md", "line": 1});
    service.as_("alice").post(locked, body).await.expect(201);
    let answer = service
        .as_("alice-fine-metadata")
        .post(WIDGETS, json!({}))
        .await;
    assert_eq!(
        answer.expect(403).message(),
        "Resource not accessible by personal access token"
    );
}

#[tokio::test]
async fn create_review_comment_404_when_the_pull_request_is_absent_or_hidden() {
    let service = start().await;
    let absent = "/repos/acme/gadgets/pulls/99/comments";
    service
        .as_("alice")
        .post(absent, json!({}))
        .await
        .expect(404);
    service
        .as_("mallory")
        .post(WIDGETS, json!({}))
        .await
        .expect(404);
}

#[tokio::test]
async fn create_review_comment_422_without_a_text_or_a_place() {
    let service = start().await;
    let alice = service.as_("alice");
    let head = sha(&service, "topic").await;
    let answer = alice.post(COMMENTS, json!({"line": 2})).await.expect(422);
    assert_eq!(
        answer.message(),
        "Invalid request.\n\n\"body\" wasn't supplied."
    );
    let answer = alice.post(COMMENTS, json!({"body": "x"})).await.expect(422);
    assert_eq!(
        answer.message(),
        "Invalid request.\n\n\"commit_id\", \"path\" weren't supplied."
    );
    let body = json!({"body": "x", "commit_id": head, "path": "README.md"});
    let answer = alice.post(COMMENTS, body).await.expect(422);
    assert!(
        answer
            .message()
            .starts_with("Invalid request.\n\nNo subschema in \"oneOf\" matched.\n\"positioning\"")
    );
}

#[tokio::test]
async fn create_review_comment_422_when_the_text_is_blank_or_too_long() {
    let service = start().await;
    let head = sha(&service, "topic").await;
    let with = |text: String| json!({"body": text, "commit_id": head.clone(), "path": "README.md", "line": 2});
    let blank = (
        "unprocessable".to_owned(),
        "data".to_owned(),
        Some("Body cannot be blank".to_owned()),
    );
    for text in ["", "  \n\t "] {
        let answer = service.as_("alice").post(COMMENTS, with(text.into())).await;
        assert_eq!(refused(&answer.expect(422)), std::slice::from_ref(&blank));
    }
    let longest = "é".repeat(65_536);
    service
        .as_("alice")
        .post(COMMENTS, with(longest.clone()))
        .await
        .expect(201);
    let answer = service
        .as_("alice")
        .post(COMMENTS, with(longest + "é"))
        .await
        .expect(422);
    assert_eq!(
        refused(&answer)[0].2.as_deref(),
        Some("Body is too long (maximum is 65536 characters)")
    );
}

#[tokio::test]
async fn reply_to_review_comment_201_where_its_thread_is() {
    let service = start().await;
    let root = commented(&service, "alice", "Why?").await;
    let path = format!("{COMMENTS}/{}/replies", root["id"]);
    let answer = service
        .as_("bob-classic")
        .post(&path, json!({"body": "Shorter."}))
        .await
        .expect(201);
    let reply = answer.json();
    assert_eq!(answer.header("location"), reply["url"].as_str());
    assert_eq!(reply["in_reply_to_id"], root["id"]);
    assert_ne!(
        reply["pull_request_review_id"],
        root["pull_request_review_id"]
    );
    for key in [
        "path",
        "diff_hunk",
        "commit_id",
        "original_commit_id",
        "position",
        "original_position",
        "line",
        "original_line",
        "side",
        "start_line",
        "subject_type",
    ] {
        assert_eq!(reply[key], root[key], "{key}");
    }
}

#[tokio::test]
async fn create_review_comment_201_as_a_reply_that_ignores_everything_but_its_text() {
    let service = start().await;
    let root = commented(&service, "alice", "Why?").await;
    let body = json!({
        "body": "Shorter.", "in_reply_to": root["id"], "commit_id": 7, "path": null,
        "line": "two", "side": "UP", "position": -1.5, "nonsense": {},
    });
    let reply = service
        .as_("bob-classic")
        .post(COMMENTS, body)
        .await
        .expect(201)
        .json();
    assert_eq!(reply["in_reply_to_id"], root["id"]);
    assert_eq!(reply["line"], 2);
}

#[tokio::test]
async fn create_review_comment_422_when_in_reply_to_is_no_thread_here() {
    let service = start().await;
    let root = commented(&service, "alice", "Why?").await;
    let reply = replied(&service, "bob-classic", &root, "Shorter.").await;
    let invalid = [("invalid".to_owned(), "in_reply_to".to_owned(), None)];
    for (path, id) in [
        (COMMENTS, &reply["id"]),
        (COMMENTS, &json!(424_242)),
        ("/repos/acme/gadgets/pulls/2/comments", &root["id"]),
    ] {
        let answer = service
            .as_("bob-classic")
            .post(path, json!({"body": "x", "in_reply_to": id}))
            .await;
        assert_eq!(refused(&answer.expect(422)), invalid);
    }
}

#[tokio::test]
async fn reply_to_review_comment_404_when_the_comment_is_elsewhere_or_absent() {
    let service = start().await;
    let root = commented(&service, "alice", "Why?").await;
    let body = json!({"body": "x"});
    for path in [
        format!(
            "/repos/acme/gadgets/pulls/2/comments/{}/replies",
            root["id"]
        ),
        format!(
            "/repos/acme/gadgets/pulls/99/comments/{}/replies",
            root["id"]
        ),
        format!("{COMMENTS}/424242/replies"),
    ] {
        let answer = service
            .as_("bob-classic")
            .post(&path, body.clone())
            .await
            .expect(404);
        assert_eq!(answer.message(), "Not Found");
    }
}

#[tokio::test]
async fn reply_to_review_comment_422_when_it_is_a_reply_or_has_no_text() {
    let service = start().await;
    let root = commented(&service, "alice", "Why?").await;
    let reply = replied(&service, "bob-classic", &root, "Shorter.").await;
    let path = format!("{COMMENTS}/{}/replies", reply["id"]);
    let answer = service
        .as_("alice")
        .post(&path, json!({"body": "x"}))
        .await
        .expect(422);
    assert_eq!(refused(&answer)[0].1, "in_reply_to");
    let path = format!("{COMMENTS}/{}/replies", root["id"]);
    let answer = service
        .as_("alice")
        .post(&path, json!({}))
        .await
        .expect(422);
    assert_eq!(
        answer.message(),
        "Invalid request.\n\n\"body\" wasn't supplied."
    );
    let answer = service
        .as_("alice")
        .post(&path, json!({"body": " "}))
        .await
        .expect(422);
    assert_eq!(
        refused(&answer)[0].2.as_deref(),
        Some("Body cannot be blank")
    );
}

#[tokio::test]
async fn reply_to_review_comment_401_and_403_like_a_comment() {
    let service = start().await;
    let root = commented(&service, "alice", "Why?").await;
    let path = format!("{COMMENTS}/{}/replies", root["id"]);
    service
        .anonymous()
        .post(&path, json!({"body": "x"}))
        .await
        .expect(401);
    let path = "/repos/acme/attic/pulls/1/comments/9900/replies";
    service
        .as_("bob-classic")
        .post(path, json!({"body": "x"}))
        .await
        .expect(403);
}

#[tokio::test]
async fn reply_to_review_comment_403_when_the_repository_is_archived() {
    let service = start().await;
    let path = "/repos/acme/attic/pulls/1/comments/9900/replies";
    let answer = service
        .as_("bob-classic")
        .post(path, json!({"body": "x"}))
        .await
        .expect(403);
    assert_eq!(answer.message(), "Repository was archived so is read-only.");
}

#[tokio::test]
async fn get_review_comment_200_and_304_when_unchanged() {
    let service = start().await;
    let comment = commented(&service, "alice", "Why?").await;
    let path = comment_path(&comment["id"]);
    let answer = service.anonymous().get(&path).await.expect(200);
    assert_eq!(
        answer.header("last-modified"),
        Some("Tue, 10 Mar 2026 09:30:00 GMT")
    );
    let tag = answer.header("etag").unwrap().to_owned();
    let again = service.anonymous().header("If-None-Match", &*tag);
    again.get(&path).await.expect(304);
}

#[tokio::test]
async fn get_review_comment_404_when_absent_hidden_or_of_another_repository() {
    let service = start().await;
    let comment = commented(&service, "alice", "Why?").await;
    let elsewhere = format!("/repos/acme/widgets/pulls/comments/{}", comment["id"]);
    service.as_("alice").get(&elsewhere).await.expect(404);
    service
        .anonymous()
        .get(&comment_path(&json!(424_242)))
        .await
        .expect(404);
    service
        .anonymous()
        .get(&comment_path(&json!("x")))
        .await
        .expect(404);
    service.as_("mallory").get(&elsewhere).await.expect(404);
}

#[tokio::test]
async fn get_review_comment_403_without_the_permission() {
    let service = start().await;
    let path = "/repos/acme/widgets/pulls/comments/1";
    service
        .as_("alice-fine-metadata")
        .get(path)
        .await
        .expect(403);
}

#[tokio::test]
async fn update_review_comment_200_by_its_author_and_by_writers() {
    let service = start().await;
    let comment = commented(&service, "mallory", "Why?").await;
    let path = comment_path(&comment["id"]);
    service.clock.advance(60);
    let answer = service
        .as_("mallory")
        .patch(&path, json!({"body": "Why **not**?"}))
        .await;
    let changed = answer.expect(200).json();
    let mut expected = comment.clone();
    expected["body"] = json!("Why **not**?");
    expected["updated_at"] = json!("2026-03-10T09:31:00Z");
    assert_eq!(changed, expected);
    service
        .as_("alice")
        .patch(&path, json!({"body": "Moderated."}))
        .await
        .expect(200);
    let html = service
        .anonymous()
        .header("Accept", "application/vnd.github-commitcomment.html+json");
    let shown = html.get(&path).await.expect(200).json();
    assert_eq!(shown["body_html"], "<p dir=\"auto\">Moderated.</p>");
}

#[tokio::test]
async fn update_review_comment_401_403_and_404_for_everybody_else() {
    let service = start().await;
    let comment = commented(&service, "alice", "Why?").await;
    let path = comment_path(&comment["id"]);
    let body = json!({"body": "x"});
    service
        .anonymous()
        .patch(&path, body.clone())
        .await
        .expect(401);
    for token in ["mallory", "bob-classic"] {
        let answer = service
            .as_(token)
            .patch(&path, body.clone())
            .await
            .expect(403);
        assert_eq!(answer.message(), "Must have push access to repository");
    }
    let absent = comment_path(&json!(424_242));
    service
        .as_("alice")
        .patch(&absent, body.clone())
        .await
        .expect(404);
    let archived = "/repos/acme/attic/pulls/comments/9900";
    service
        .as_("mallory")
        .patch(archived, body)
        .await
        .expect(403);
}

#[tokio::test]
async fn update_review_comment_422_when_the_text_is_missing_or_blank() {
    let service = start().await;
    let comment = commented(&service, "alice", "Why?").await;
    let path = comment_path(&comment["id"]);
    let answer = service
        .as_("alice")
        .patch(&path, json!({"body": null}))
        .await
        .expect(422);
    assert_eq!(
        answer.message(),
        "Invalid request.\n\nFor 'properties/body', nil is not a string."
    );
    let answer = service
        .as_("alice")
        .patch(&path, json!({"body": ""}))
        .await
        .expect(422);
    assert_eq!(
        refused(&answer)[0].2.as_deref(),
        Some("Body cannot be blank")
    );
}

#[tokio::test]
async fn delete_review_comment_204_and_its_replies_stay_as_first_comments() {
    let service = start().await;
    let root = commented(&service, "alice", "Why?").await;
    let reply = replied(&service, "bob-classic", &root, "Shorter.").await;
    let path = comment_path(&root["id"]);
    let answer = service.as_("alice").delete(&path).await.expect(204);
    assert_eq!(answer.text, "");
    for _ in 0..2 {
        service.as_("alice").delete(&path).await.expect(404);
        service.as_("alice").get(&path).await.expect(404);
        service
            .as_("alice")
            .patch(&path, json!({"body": "x"}))
            .await
            .expect(404);
    }
    let stays = service
        .anonymous()
        .get(&comment_path(&reply["id"]))
        .await
        .expect(200)
        .json();
    assert!(stays.get("in_reply_to_id").is_none());
    let answer = replied(&service, "alice", &stays, "Still.").await;
    assert_eq!(answer["in_reply_to_id"], reply["id"]);
}

#[tokio::test]
async fn delete_review_comment_204_by_writers_and_apps_too() {
    let service = start().await;
    for token in ["alice", "ci-bot"] {
        let comment = commented(&service, "mallory", token).await;
        service
            .as_(token)
            .delete(&comment_path(&comment["id"]))
            .await
            .expect(204);
    }
}

#[tokio::test]
async fn delete_review_comment_401_403_and_404_for_everybody_else() {
    let service = start().await;
    let comment = commented(&service, "alice", "Why?").await;
    let path = comment_path(&comment["id"]);
    service.anonymous().delete(&path).await.expect(401);
    service.as_("mallory").delete(&path).await.expect(403);
    service.as_("bob-classic").delete(&path).await.expect(403);
    service
        .as_("alice")
        .delete(&comment_path(&json!(424_242)))
        .await
        .expect(404);
    let archived = "/repos/acme/attic/pulls/comments/9900";
    service.as_("mallory").delete(archived).await.expect(403);
}
