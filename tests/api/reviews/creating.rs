//! Create a review, with and without comments.

use serde_json::{Value, json};

use super::{COMMENTS, REVIEWS, WIDGETS, create_review, head_sha, ids, list, review_path, start};

#[tokio::test]
async fn create_review_200_with_the_whole_review() {
    let service = start().await;
    let head = head_sha(&service).await;
    let body = json!({"event": "REQUEST_CHANGES", "body": "Not **yet**."});
    let review = create_review(&service, "alice", body).await;
    let id = review["id"].as_i64().unwrap();
    let origin = review["html_url"]
        .as_str()
        .unwrap()
        .split("/acme")
        .next()
        .unwrap();
    assert!(origin.starts_with("http"), "{origin}");
    let page = format!("{origin}/acme/gadgets/pull/1#pullrequestreview-{id}");
    let pull = format!("{origin}/repos/acme/gadgets/pulls/1");
    let user = review["user"].clone();
    assert_eq!(user["login"], "alice");
    assert!(review["node_id"].as_str().unwrap().starts_with("PRR_"));
    let expected = json!({
        "id": id,
        "node_id": review["node_id"],
        "user": user,
        "body": "Not **yet**.",
        "state": "CHANGES_REQUESTED",
        "html_url": page,
        "pull_request_url": pull,
        "author_association": "MEMBER",
        "_links": {"html": {"href": page}, "pull_request": {"href": pull}},
        "submitted_at": "2026-03-10T09:30:00Z",
        "commit_id": head,
    });
    assert_eq!(review, expected);
    let found = service.anonymous().get(&review_path(&review)).await;
    assert_eq!(found.expect(200).json(), expected);
}

#[tokio::test]
async fn create_review_200_with_comments_by_line_position_and_range() {
    let service = start().await;
    let body = json!({"event": "COMMENT", "comments": [
        {"path": "src/lib.rs", "line": 3, "body": "A line"},
        {"path": "README.md", "position": 3, "body": "A position"},
        {"path": "src/lib.rs", "line": 3, "start_line": 1, "body": "A range"},
        {"path": "src/lib.rs", "line": 2, "side": "LEFT", "body": "A deletion"},
    ]});
    let review = create_review(&service, "mallory", body).await;
    assert_eq!(review["state"], "COMMENTED");
    assert_eq!(review["body"], "");
    let comments = list(
        &service,
        "mallory",
        &format!("{}/comments", review_path(&review)),
    )
    .await;
    let found: Vec<Value> = comments
        .iter()
        .map(|comment| {
            json!([
                comment["body"],
                comment["path"],
                comment["line"],
                comment["start_line"],
                comment["side"]
            ])
        })
        .collect();
    let expected = json!([
        ["A line", "src/lib.rs", 3, null, "RIGHT"],
        ["A position", "README.md", 2, null, "RIGHT"],
        ["A range", "src/lib.rs", 3, 1, "RIGHT"],
        ["A deletion", "src/lib.rs", 2, null, "LEFT"],
    ]);
    assert_eq!(json!(found), expected);
    for comment in &comments {
        assert_eq!(comment["pull_request_review_id"], review["id"]);
        assert_eq!(comment["user"]["login"], "mallory");
    }
    assert_eq!(
        ids(&list(&service, "bob-classic", COMMENTS).await),
        ids(&comments)
    );
    let pull = service.anonymous().get("/repos/acme/gadgets/pulls/1").await;
    assert_eq!(pull.expect(200).json()["review_comments"], 4);
}

#[tokio::test]
async fn create_review_200_on_an_older_commit_maps_lines_to_the_head() {
    let service = start().await;
    let path = "/repos/acme/gadgets/git/ref/heads/older";
    let older = service.anonymous().get(path).await.expect(200).json()["object"]["sha"].clone();
    let body = json!({"event": "COMMENT", "commit_id": older, "comments": [
        {"path": "src/lib.rs", "line": 2, "body": "Two"},
    ]});
    let review = create_review(&service, "alice", body).await;
    assert_eq!(review["commit_id"], older);
    let comments = list(
        &service,
        "alice",
        &format!("{}/comments", review_path(&review)),
    )
    .await;
    assert_eq!(comments[0]["original_line"], 2);
    assert_eq!(comments[0]["line"], 3);
    assert_eq!(comments[0]["original_commit_id"], older);
    assert_eq!(comments[0]["commit_id"], head_sha(&service).await.as_str());
}

#[tokio::test]
async fn create_review_200_notifies_the_author_and_mentioned_users_of_each_comment() {
    use sea_orm::{EntityTrait, QueryOrder};
    use storage::entities::notification;
    let service = start().await;
    let body = json!({"event": "COMMENT", "comments": [
        {"path": "README.md", "line": 2, "body": "@carol, @mallory?"},
        {"path": "README.md", "line": 1, "body": "@bob"},
    ]});
    create_review(&service, "mallory", body).await;
    let rows = notification::Entity::find()
        .order_by_asc(notification::Column::CommentId)
        .order_by_asc(notification::Column::RecipientId)
        .all(service.app.db.reads())
        .await
        .unwrap();
    let notified: Vec<_> = rows
        .iter()
        .map(|row| (row.recipient_id, row.reason))
        .collect();
    use notification::Reason::{Author, Mention};
    assert_eq!(notified, [(1002, Author), (1003, Mention), (1002, Mention)]);
}

#[tokio::test]
async fn create_review_403_when_locked_archived_or_without_the_permission() {
    let service = start().await;
    let body = json!({"event": "COMMENT", "body": "x"});
    let locked = "/repos/acme/gadgets/pulls/3/reviews";
    let answer = service
        .as_("mallory")
        .post(locked, body.clone())
        .await
        .expect(403);
    assert_eq!(
        answer.message(),
        "Unable to create comment because issue is locked."
    );
    let archived = "/repos/acme/attic/pulls/1/reviews";
    service
        .as_("alice")
        .post(archived, body.clone())
        .await
        .expect(403);
    let fine = service.as_("alice-fine-metadata");
    fine.post(WIDGETS, body.clone()).await.expect(403);
    service.as_("alice").post(locked, body).await.expect(200);
}

#[tokio::test]
async fn create_review_404_when_the_pull_request_is_absent_or_hidden() {
    let service = start().await;
    let body = json!({"event": "APPROVE"});
    let absent = "/repos/acme/gadgets/pulls/99/reviews";
    service
        .as_("alice")
        .post(absent, body.clone())
        .await
        .expect(404);
    service.as_("mallory").post(WIDGETS, body).await.expect(404);
}

#[tokio::test]
async fn create_review_422_for_a_verdict_on_the_callers_own_pull_request() {
    let service = start().await;
    for (event, message) in [
        ("APPROVE", "Can not approve your own pull request"),
        (
            "REQUEST_CHANGES",
            "Can not request changes on your own pull request",
        ),
    ] {
        let body = json!({"event": event, "body": "x"});
        let answer = service
            .as_("bob-classic")
            .post(REVIEWS, body)
            .await
            .expect(422);
        assert_eq!(answer.message(), message);
    }
    let body = json!({"event": "COMMENT", "body": "x"});
    create_review(&service, "bob-classic", body).await;
}

#[tokio::test]
async fn create_review_422_when_it_is_empty_too_long_or_invalid() {
    let service = start().await;
    let alice = service.as_("alice");
    let too_many: Vec<Value> = (0..101)
        .map(|_| json!({"path": "README.md", "line": 2, "body": "x"}))
        .collect();
    for (body, message) in [
        (
            json!({"event": "REQUEST_CHANGES"}),
            "You need to leave a comment indicating the requested changes.",
        ),
        (
            json!({"event": "COMMENT", "body": " "}),
            "Body can't be blank",
        ),
        (
            json!({"event": "COMMENT", "body": "x".repeat(262_145)}),
            "Body is too long (maximum is 65536 characters)",
        ),
        (
            json!({"event": "COMMENT", "comments": too_many}),
            "A review can have at most 100 comments",
        ),
        (
            json!({"event": "APPROVE", "commit_id": "1".repeat(40)}),
            "The commitOID is not part of the pull request",
        ),
    ] {
        let answer = alice.post(REVIEWS, body).await.expect(422);
        assert_eq!(answer.message(), message);
    }
    let answer = alice
        .post(REVIEWS, json!({"event": "REJECT"}))
        .await
        .expect(422);
    assert!(answer.message().starts_with("Invalid request."));
}

#[tokio::test]
async fn create_review_422_when_a_comment_is_invalid_and_creates_nothing() {
    let service = start().await;
    let alice = service.as_("alice");
    let valid = json!({"path": "README.md", "line": 2, "body": "x"});
    for invalid in [
        json!({"path": "README.md", "line": 99, "body": "x"}),
        json!({"path": "README.md", "position": 99, "body": "x"}),
        json!({"path": "absent", "line": 1, "body": "x"}),
        json!({"path": "README.md", "line": 2, "body": " "}),
        json!({"path": "README.md", "body": "x"}),
        json!({"path": "src/lib.rs", "line": 3, "start_line": 3, "body": "x"}),
    ] {
        for event in [json!("APPROVE"), json!("")] {
            let body = json!({"event": event, "comments": [valid, invalid]});
            alice.post(REVIEWS, body).await.expect(422);
        }
    }
    assert_eq!(list(&service, "alice", REVIEWS).await, Vec::<Value>::new());
    assert_eq!(list(&service, "alice", COMMENTS).await, Vec::<Value>::new());
}
