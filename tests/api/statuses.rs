//! Commit statuses: lists and the combined status. Creating is in `creating.rs`, webhook
//! events are in `events.rs`, and the effect on pull requests is in `merging.rs`.

mod creating;
mod events;
mod merging;

use forge::app::Settings;
use serde_json::{Value, json};

use crate::harness::{Answer, Service};

pub const WORLD: &str = include_str!("statuses/world.yaml");
pub const GADGETS: &str = "/repos/acme/gadgets";
pub const WIDGETS: &str = "/repos/acme/widgets";

pub async fn start() -> Service {
    Service::with(WORLD, Settings::default()).await
}

/// The commit at the tip of a branch, the same in every repository.
pub async fn sha(service: &Service, branch: &str) -> String {
    let path = format!("{GADGETS}/git/ref/heads/{branch}");
    let answer = service.as_("alice").get(&path).await.expect(200);
    answer.json()["object"]["sha"].as_str().unwrap().to_owned()
}

async fn post(service: &Service, token: &str, sha: &str, body: Value) -> Answer {
    let path = format!("{GADGETS}/statuses/{sha}");
    service.as_(token).post(&path, body).await
}

/// Creates a status of a commit of acme/gadgets, and returns it.
async fn report(service: &Service, sha: &str, state: &str, context: &str) -> Value {
    let body = json!({"state": state, "context": context});
    post(service, "alice", sha, body).await.expect(201).json()
}

async fn get(service: &Service, path: &str) -> Answer {
    service.anonymous().get(&format!("{GADGETS}/{path}")).await
}

fn pluck<'a>(list: &'a Value, key: &str) -> Vec<&'a str> {
    let items = list.as_array().unwrap().iter();
    items.map(|item| item[key].as_str().unwrap()).collect()
}

#[tokio::test]
async fn list_commit_statuses_for_ref_200_newest_first_by_any_name() {
    let service = start().await;
    let sha = sha(&service, "feature/a").await;
    for (state, context) in [("pending", "ci"), ("success", "lint"), ("failure", "ci")] {
        report(&service, &sha, state, context).await;
    }
    for name in [
        "feature/a",
        "heads/feature/a",
        "heads%2Ffeature%2Fa",
        "refs/heads/feature/a",
        &sha,
        &sha[..8],
    ] {
        let list = get(&service, &format!("commits/{name}/statuses")).await;
        let list = list.expect(200).json();
        assert_eq!(
            pluck(&list, "state"),
            ["failure", "success", "pending"],
            "{name}"
        );
        assert_eq!(pluck(&list, "context"), ["ci", "lint", "ci"]);
        assert_eq!(list[0]["creator"]["login"], "alice");
    }
    let none = get(&service, "commits/v1/statuses").await.expect(200);
    assert_eq!(none.json(), json!([]));
    let page = get(&service, "commits/feature/a/statuses?per_page=2&page=2").await;
    let page = page.expect(200);
    assert_eq!(pluck(&page.json(), "state"), ["pending"]);
    assert!(
        page.header("link")
            .unwrap()
            .contains("page=1>; rel=\"prev\"")
    );
}

#[tokio::test]
async fn list_commit_statuses_for_ref_200_with_links_that_clients_can_split() {
    let service = start().await;
    let sha = sha(&service, "main").await;
    let branch = json!({"ref": "refs/heads/a,b;c", "sha": sha});
    let refs = format!("{GADGETS}/git/refs");
    service.as_("alice").post(&refs, branch).await.expect(201);
    for state in ["pending", "success"] {
        report(&service, &sha, state, "ci").await;
    }
    let first = get(&service, "commits/a,b;c/statuses?per_page=1").await;
    let first = first.expect(200);
    let link = first.header("link").unwrap();
    let next = "commits/a%2Cb%3Bc/statuses?per_page=1&page=2";
    assert!(link.contains(&format!("{next}>; rel=\"next\"")), "{link}");
    let second = get(&service, next).await.expect(200).json();
    assert_eq!(pluck(&second, "state"), ["pending"]);
}

#[tokio::test]
async fn list_commit_statuses_200_same_as_under_the_newer_path() {
    let service = start().await;
    let sha = sha(&service, "feature/a").await;
    report(&service, &sha, "success", "ci").await;
    let list = get(&service, &format!("commits/{sha}/statuses")).await;
    for name in [&sha, "feature%2Fa"] {
        let older = get(&service, &format!("statuses/{name}")).await;
        assert_eq!(older.expect(200).json(), list.json());
    }
}

#[tokio::test]
async fn list_commit_statuses_for_ref_403_and_404_when_they_may_not_be_read() {
    assert_unreadable("commits/{}/statuses").await;
}

#[tokio::test]
async fn list_commit_statuses_403_and_404_when_they_may_not_be_read() {
    assert_unreadable("statuses/{}").await;
}

#[tokio::test]
async fn get_combined_status_for_ref_403_and_404_when_it_may_not_be_read() {
    assert_unreadable("commits/{}/status").await;
}

/// Asserts that a private repository is 404 for outsiders, and that its statuses require
/// the permission.
async fn assert_unreadable(list: &str) {
    let service = start().await;
    let path = format!("{WIDGETS}/{}", list.replace("{}", "main"));
    service.anonymous().get(&path).await.expect(404);
    service.as_("mallory").get(&path).await.expect(404);
    service
        .as_("alice-fine-metadata")
        .get(&path)
        .await
        .expect(403);
    for token in ["bob-classic", "carol-status", "ci-bot"] {
        service.as_(token).get(&path).await.expect(200);
    }
    for absent in ["nothing", "heads%2Fnothing", &"0".repeat(40)] {
        let path = list.replace("{}", absent);
        get(&service, &path).await.expect(404);
    }
}

#[tokio::test]
async fn get_combined_status_for_ref_200_from_the_newest_status_of_each_context() {
    let service = start().await;
    let sha = sha(&service, "feature/a").await;
    let state = async || {
        let answer = get(&service, "commits/feature/a/status").await.expect(200);
        let combined = answer.json();
        let total = combined["total_count"].as_i64().unwrap();
        (combined["state"].as_str().unwrap().to_owned(), total)
    };
    assert_eq!(state().await, ("pending".to_owned(), 0));
    for (reported, context, expected, total) in [
        ("success", "ci", "success", 1),
        ("pending", "lint", "pending", 2),
        ("error", "CI", "failure", 2),
        ("success", "Lint", "failure", 2),
        ("failure", "ci", "failure", 2),
        ("success", "ci", "success", 2),
    ] {
        report(&service, &sha, reported, context).await;
        assert_eq!(
            state().await,
            (expected.to_owned(), total),
            "{reported} {context}"
        );
    }
    let combined = get(&service, "commits/feature/a/status").await.json();
    assert_eq!(pluck(&combined["statuses"], "context"), ["Lint", "ci"]);
    assert_eq!(combined["sha"], *sha);
    assert_eq!(combined["repository"]["full_name"], "acme/gadgets");
    assert_eq!(combined["statuses"][0].get("creator"), None);
    let url = combined["url"].as_str().unwrap();
    assert!(
        url.ends_with(&format!("{GADGETS}/commits/{sha}/status")),
        "{url}"
    );
}

#[tokio::test]
async fn get_combined_status_for_ref_200_in_pages() {
    let service = start().await;
    let sha = sha(&service, "main").await;
    for number in 0..3 {
        report(&service, &sha, "success", &format!("context {number}")).await;
    }
    let path = "commits/main/status?per_page=2";
    let first = get(&service, path).await.expect(200);
    assert!(
        first
            .header("link")
            .unwrap()
            .contains("page=2>; rel=\"next\"")
    );
    let second = get(&service, &format!("{path}&page=2")).await.expect(200);
    let second = second.json();
    assert_eq!(pluck(&second["statuses"], "context"), ["context 2"]);
    assert_eq!(
        (&second["total_count"], &second["state"]),
        (&json!(3), &json!("success"))
    );
    let beyond = get(&service, &format!("{path}&page=9")).await.expect(200);
    assert_eq!(beyond.json()["statuses"], json!([]));
}

/// Responses are cached until the commit gets a new status, or the reference points at
/// another commit.
#[tokio::test]
async fn get_combined_status_for_ref_200_and_304_until_the_commit_gets_a_new_status() {
    let service = start().await;
    let [main, feature] = [
        sha(&service, "main").await,
        sha(&service, "feature/a").await,
    ];
    report(&service, &main, "success", "ci").await;
    for list in ["status", "statuses"] {
        let path = format!("{GADGETS}/commits/main/{list}");
        let answer = service.anonymous().get(&path).await.expect(200);
        let tag = answer.header("etag").unwrap().to_owned();
        let conditional = service.anonymous().header("If-None-Match", tag);
        conditional.get(&path).await.expect(304);
        report(&service, &feature, "failure", "ci").await;
        conditional.get(&path).await.expect(304);
        report(&service, &main, "failure", "ci").await;
        conditional.get(&path).await.expect(200);
        report(&service, &main, "success", "ci").await;
    }
    let state = get(&service, "commits/main/status").await.json()["state"].clone();
    assert_eq!(state, "success");
    let body = json!({"sha": feature});
    let path = format!("{GADGETS}/git/refs/heads/main");
    service.as_("alice").patch(&path, body).await.expect(200);
    let state = get(&service, "commits/main/status").await.json()["state"].clone();
    assert_eq!(state, "failure");
    service
        .execute("UPDATE account SET login = 'alicia', login_key = 'alicia' WHERE id = 1001")
        .await;
    let list = get(&service, "commits/main/statuses").await.json();
    assert_eq!(list[0]["creator"]["login"], "alicia");
    service.execute("DELETE FROM commit_status").await;
    let state = get(&service, "commits/main/status").await.json()["state"].clone();
    assert_eq!(state, "pending");
}
