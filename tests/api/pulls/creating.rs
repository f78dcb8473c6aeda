//! Creating pull requests.

use forge::app::Settings;
use serde_json::json;
use storage::limits::content::ContentBudget;

use super::{PULLS, WORLD, create_pull, custom, errors, get_pull, start, tip};
use crate::harness::Service;

#[tokio::test]
async fn create_pull_201_with_the_next_number_and_both_branches() {
    let service = start().await;
    let body = json!({
        "title": "Words", "body": "More of *them*.", "head": "acme:topic", "base": "main",
        "draft": true, "maintainer_can_modify": true,
    });
    let answer = service
        .as_("bob-classic")
        .post(PULLS, body)
        .await
        .expect(201);
    let created = answer.json();
    assert_eq!(answer.header("location"), created["url"].as_str());
    assert_eq!(
        (&created["number"], &created["state"]),
        (&json!(1), &json!("open"))
    );
    assert_eq!(created["title"], "Words");
    assert_eq!(created["body"], "More of *them*.");
    assert_eq!(created["user"]["login"], "bob");
    assert_eq!(created["head"]["ref"], "topic");
    assert_eq!(created["head"]["sha"], tip(&service, "topic").await);
    assert_eq!(created["base"]["sha"], tip(&service, "main").await);
    assert_eq!(
        (&created["draft"], &created["merged"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(created["maintainer_can_modify"], true);
    assert_eq!(created["mergeable"], true);
    assert_eq!(created["mergeable_state"], "draft");
    assert_eq!(created["rebaseable"], true);
    let counts = ["commits", "changed_files", "additions", "deletions"];
    let counted = counts.map(|key| created[key].as_i64());
    assert_eq!(counted, [Some(2), Some(2), Some(2), Some(1)]);
    assert_eq!(get_pull(&service, &json!(1)).await, created);
    let second = create_pull(&service, "carol", "clash").await;
    assert_eq!(second["number"], 2);
    assert_eq!(second["mergeable"], false);
    assert_eq!(second["mergeable_state"], "dirty");
    assert_eq!(second["rebaseable"], false);
    let repository = service.anonymous().get("/repos/acme/gadgets").await.json();
    assert_eq!(repository["open_issues_count"], 2);
}

#[tokio::test]
async fn create_pull_201_for_concurrent_requests_with_unique_numbers() {
    let service = start().await;
    let heads = ["topic", "first", "clash", "flow"];
    let alice = service.as_("alice");
    let requests = heads.map(|head| {
        let body = json!({"title": head, "head": head, "base": "main"});
        alice.post(PULLS, body)
    });
    let answers = {
        let [a, b, c, d] = requests;
        let (a, b, c, d) = tokio::join!(a, b, c, d);
        [a, b, c, d]
    };
    let mut numbers = answers.map(|answer| answer.expect(201).json()["number"].as_i64());
    numbers.sort_unstable();
    assert_eq!(numbers, [1, 2, 3, 4].map(Some));
}

#[tokio::test]
async fn create_pull_403_without_push_access_or_permission_or_when_archived() {
    let service = start().await;
    let body = json!({"title": "Words", "head": "topic", "base": "main"});
    for token in ["dave-classic", "mallory", "alice-reads", "alice-metadata"] {
        service
            .as_(token)
            .post(PULLS, body.clone())
            .await
            .expect(403);
    }
    let attic = "/repos/acme/attic/pulls";
    let answer = service.as_("alice").post(attic, body.clone()).await;
    let archived = "Repository was archived so is read-only.";
    assert_eq!(answer.expect(403).message(), archived);
    service
        .as_("alice-pulls")
        .post(PULLS, body)
        .await
        .expect(201);
}

#[tokio::test]
async fn create_pull_403_when_the_secondary_rate_limit_is_exceeded() {
    let settings = Settings {
        content: Some(ContentBudget {
            minute: 1,
            ..ContentBudget::default()
        }),
        ..Settings::default()
    };
    let service = Service::with(WORLD, settings).await;
    create_pull(&service, "bob-classic", "topic").await;
    let body = json!({"title": "Again", "head": "clash", "base": "main"});
    let answer = service
        .as_("bob-classic")
        .post(PULLS, body)
        .await
        .expect(403);
    assert_eq!(answer.header("retry-after"), Some("60"));
}

#[tokio::test]
async fn create_pull_404_when_the_repository_is_hidden() {
    let service = start().await;
    let body = json!({"title": "Words", "head": "topic", "base": "main"});
    let answer = service
        .as_("mallory")
        .post("/repos/acme/widgets/pulls", body)
        .await;
    answer.expect(404);
}

#[tokio::test]
async fn create_pull_422_when_a_branch_is_absent() {
    let service = start().await;
    let alice = service.as_("alice");
    let invalid = |field: &str| ("invalid".to_owned(), field.to_owned(), None);
    for (base, head, expected) in [
        ("nowhere", "topic", vec![invalid("base")]),
        ("main", "nothing", vec![invalid("head")]),
        ("main", "mallory:topic", vec![invalid("head")]),
        ("nowhere", "nothing", vec![invalid("base"), invalid("head")]),
    ] {
        let body = json!({"title": "Words", "head": head, "base": base});
        let answer = alice.post(PULLS, body).await.expect(422);
        assert_eq!(errors(&answer), expected, "{base} {head}");
    }
    let body = json!({"title": "Words", "head": "topic", "base": "main", "head_repo": "widgets"});
    let answer = alice.post(PULLS, body).await.expect(422);
    assert_eq!(errors(&answer), [invalid("head_repo")]);
}

#[tokio::test]
async fn create_pull_422_when_there_is_nothing_to_merge_or_a_pull_request_exists() {
    let service = start().await;
    let alice = service.as_("alice");
    create_pull(&service, "alice", "topic").await;
    for (base, head, message) in [
        ("main", "old", "No commits between main and old"),
        ("main", "main", "No commits between main and main"),
        (
            "main",
            "topic",
            "A pull request already exists for acme:topic.",
        ),
        (
            "main",
            "alone",
            "The alone branch has no history in common with main",
        ),
    ] {
        let body = json!({"title": "Words", "head": head, "base": base});
        let answer = alice.post(PULLS, body).await.expect(422);
        assert_eq!(errors(&answer), custom("head", message));
    }
    let body = json!({"title": "Elsewhere", "head": "topic", "base": "old"});
    alice.post(PULLS, body).await.expect(201);
}

#[tokio::test]
async fn create_pull_422_without_a_title() {
    let service = start().await;
    let alice = service.as_("alice");
    let body = json!({"head": "topic", "base": "main"});
    let answer = alice.post(PULLS, body).await.expect(422);
    let missing = ("missing_field".to_owned(), "title".to_owned(), None);
    assert_eq!(errors(&answer), [missing]);
    let body = json!({"title": " ", "head": "topic", "base": "main"});
    let answer = alice.post(PULLS, body).await.expect(422);
    assert_eq!(errors(&answer), custom("title", "title can't be blank"));
    let answer = alice.post(PULLS, json!({"title": "Words"})).await;
    answer.expect(422);
}
