//! Creating issues.

use serde_json::json;

use super::{ISSUES, WIDGETS, errors, get_issue, open_issue, pluck, start, titled};

#[tokio::test]
async fn create_issue_201_with_labels_and_assignees() {
    let service = start().await;
    let body = json!({
        "title": "Squeaks",
        "body": "When **cold**.",
        "labels": ["bug", {"name": "Bug"}, "needs oil"],
        "assignees": ["bob"],
        "assignee": "Carol",
    });
    let answer = service.as_("carol").post(ISSUES, body).await.expect(201);
    let created = answer.json();
    let location = answer.header("location").unwrap().to_owned();
    assert_eq!(created["url"], location);
    assert!(location.ends_with("/repos/acme/gadgets/issues/2"));
    assert_eq!(created["number"], 2, "the pull request has number 1");
    assert_eq!(created["body"], "When **cold**.");
    assert_eq!(created["user"]["login"], "carol");
    assert_eq!(created["state"], "open");
    assert_eq!(pluck(&created, "labels", "name"), ["bug", "needs oil"]);
    assert_eq!(pluck(&created, "assignees", "login"), ["bob", "carol"]);
    assert_eq!(created["assignee"]["login"], "bob");
    assert_eq!(created.get("pull_request"), None);
    let html_url = created["html_url"].as_str().unwrap();
    assert!(html_url.ends_with("/acme/gadgets/issues/2"));
    assert_eq!(get_issue(&service, 2).await, created);
}

#[tokio::test]
async fn create_issue_201_without_labels_and_assignees_when_the_caller_cannot_triage() {
    let service = start().await;
    let body = json!({"title": "One", "labels": ["bug"], "assignees": ["bob", "nobody"]});
    let created = open_issue(&service, "mallory", body).await;
    assert_eq!(created["labels"], json!([]));
    assert_eq!(created["assignees"], json!([]));
    assert_eq!(created["author_association"], "NONE");
    let labels = service.as_("alice").get("/repos/acme/gadgets/labels").await;
    assert_eq!(labels.expect(200).json(), json!([]));
}

#[tokio::test]
async fn create_issue_201_and_the_next_pull_request_has_the_next_number() {
    let service = start().await;
    open_issue(&service, "bob-classic", titled("One")).await;
    let body = json!({"title": "Back", "head": "main", "base": "topic"});
    let pulls = "/repos/acme/gadgets/pulls";
    let refused = service.as_("alice").post(pulls, body).await;
    assert_eq!(refused.status, 422, "nothing to merge");
    let branch = json!({"ref": "refs/heads/more", "sha": tip_of_topic(&service).await});
    let refs = "/repos/acme/gadgets/git/refs";
    service.as_("alice").post(refs, branch).await.expect(201);
    let body = json!({"title": "More", "head": "more", "base": "main"});
    let created = service.as_("alice").post(pulls, body).await.expect(201);
    assert_eq!(created.json()["number"], 3);
    let issue = get_issue(&service, 3).await;
    assert_eq!(issue["title"], "More");
    assert_eq!(issue["draft"], false);
    let repository = service.as_("alice").get("/repos/acme/gadgets").await;
    assert_eq!(repository.expect(200).json()["open_issues_count"], 3);
}

async fn tip_of_topic(service: &crate::harness::Service) -> String {
    let path = "/repos/acme/gadgets/git/ref/heads/topic";
    let answer = service.as_("alice").get(path).await.expect(200);
    answer.json()["object"]["sha"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn create_issue_403_when_the_token_may_not_write_issues_or_the_repository_is_archived() {
    let service = start().await;
    for token in ["alice-metadata", "alice-reads", "alice-pulls", "puller"] {
        let answer = service.as_(token).post(ISSUES, titled("x")).await;
        answer.expect(403);
    }
    let attic = "/repos/acme/attic/issues";
    let answer = service.as_("alice").post(attic, titled("x")).await;
    assert!(answer.expect(403).message().contains("archived"));
}

#[tokio::test]
async fn create_issue_403_when_the_caller_may_not_create_a_missing_label() {
    let service = start().await;
    let erin = service.as_("erin");
    let body = json!({"title": "One", "labels": ["brand-new"]});
    let answer = erin.post(ISSUES, body.clone()).await.expect(403);
    let message = "You do not have permission to create labels on this repository.";
    assert_eq!(answer.message(), message);
    erin.get(&format!("{ISSUES}/2")).await.expect(404);
    let label = json!({"name": "brand-new"});
    let labels = "/repos/acme/gadgets/labels";
    service.as_("carol").post(labels, label).await.expect(201);
    let created = open_issue(&service, "erin", body).await;
    assert_eq!(pluck(&created, "labels", "name"), ["brand-new"]);
}

#[tokio::test]
async fn create_issue_404_when_the_repository_is_hidden() {
    let service = start().await;
    let mallory = service.as_("mallory");
    mallory.post(WIDGETS, titled("x")).await.expect(404);
}

#[tokio::test]
async fn create_issue_410_when_issues_are_disabled() {
    let service = start().await;
    let silent = "/repos/acme/silent/issues";
    let answer = service.as_("alice").post(silent, titled("x")).await;
    let answer = answer.expect(410);
    assert_eq!(answer.message(), "Issues are disabled for this repo");
}

#[tokio::test]
async fn create_issue_422_when_a_value_is_invalid_and_creates_nothing() {
    let service = start().await;
    let alice = service.as_("alice");
    for (body, field, code) in [
        (titled(" "), "title", "missing_field"),
        (
            json!({"title": "x", "assignees": ["nobody"]}),
            "assignees",
            "invalid",
        ),
        (
            json!({"title": "x", "assignees": ["mallory"]}),
            "assignees",
            "invalid",
        ),
        (
            json!({"title": "x", "labels": [""]}),
            "name",
            "missing_field",
        ),
        (
            json!({"title": "x", "labels": ["x".repeat(51)]}),
            "name",
            "custom",
        ),
    ] {
        let answer = alice.post(ISSUES, body.clone()).await.expect(422);
        let expected = [(field.to_owned(), code.to_owned())];
        assert_eq!(errors(&answer), expected, "{body}");
    }
    for body in [
        json!({}),
        json!({"title": 7}),
        json!({"title": "x".repeat(1025)}),
        json!({"title": "x", "body": "x".repeat(65_537)}),
        json!({"title": "x", "labels": "bug"}),
        json!({"title": "x", "labels": [7]}),
    ] {
        alice.post(ISSUES, body).await.expect(422);
    }
    alice.get(&format!("{ISSUES}/2")).await.expect(404);
    let labels = alice.get("/repos/acme/gadgets/labels").await;
    assert_eq!(labels.expect(200).json(), json!([]));
}
