//! Lists of pull requests.

use serde_json::{Value, json};

use super::{PULLS, create_pull, merge, start};
use crate::harness::Service;

/// Four pull requests a minute apart: 1 is closed, 2 is merged, 3 and 4 are open.
async fn with_four_pulls() -> Service {
    let service = start().await;
    for head in ["clash", "first", "topic", "flow"] {
        create_pull(&service, "alice", head).await;
        service.clock.advance(60);
    }
    let alice = service.as_("alice");
    let close = json!({"state": "closed"});
    alice.patch(&format!("{PULLS}/1"), close).await.expect(200);
    merge(&service, "carol", &json!(2), json!({}))
        .await
        .expect(200);
    service.clock.advance(60);
    let edit = json!({"title": "Edited"});
    alice.patch(&format!("{PULLS}/3"), edit).await.expect(200);
    service
}

async fn numbers(service: &Service, query: &str) -> Vec<i64> {
    let answer = service.anonymous().get(&format!("{PULLS}{query}")).await;
    let list = answer.expect(200).json();
    let numbers = list.as_array().unwrap().iter();
    numbers
        .map(|pull| pull["number"].as_i64().unwrap())
        .collect()
}

#[tokio::test]
async fn list_pulls_200_filtered_and_sorted() {
    let service = with_four_pulls().await;
    for (query, expected) in [
        ("", vec![4, 3]),
        ("?state=open", vec![4, 3]),
        ("?state=closed", vec![2, 1]),
        ("?state=all", vec![4, 3, 2, 1]),
        ("?state=nonsense", vec![4, 3]),
        ("?direction=asc", vec![3, 4]),
        ("?state=all&sort=updated", vec![4, 1, 2, 3]),
        ("?state=all&sort=updated&direction=desc", vec![3, 2, 1, 4]),
        ("?state=all&sort=popularity", vec![4, 3, 2, 1]),
        ("?state=all&sort=long-running", vec![]),
        ("?head=acme:topic", vec![3]),
        ("?head=topic", vec![3]),
        ("?head=mallory:topic", vec![]),
        ("?base=main", vec![4, 3]),
        ("?base=old", vec![]),
        ("?page=2", vec![]),
    ] {
        assert_eq!(numbers(&service, query).await, expected, "{query}");
    }
    service.clock.advance(31 * 24 * 3600);
    let alice = service.as_("alice");
    let edit = json!({"title": "Still here"});
    alice.patch(&format!("{PULLS}/4"), edit).await.expect(200);
    assert_eq!(numbers(&service, "?sort=long-running").await, [4]);
}

#[tokio::test]
async fn list_pulls_200_page_by_page() {
    let service = with_four_pulls().await;
    let path = format!("{PULLS}?state=all&per_page=3");
    let answer = service.anonymous().get(&path).await.expect(200);
    let link = answer.header("link").unwrap();
    assert!(link.contains("page=2>; rel=\"next\""), "{link}");
    assert_eq!(numbers(&service, "?state=all&per_page=3&page=2").await, [1]);
}

#[tokio::test]
async fn list_pulls_200_with_the_state_of_each() {
    let service = with_four_pulls().await;
    let path = format!("{PULLS}?state=all&direction=asc");
    let list = service.anonymous().get(&path).await.expect(200).json();
    let [closed, merged, open] = [0, 1, 2].map(|index| &list[index]);
    assert_eq!(
        (&closed["state"], &closed["merged_at"]),
        (&json!("closed"), &Value::Null)
    );
    assert_eq!(merged["state"], "closed");
    assert_eq!(merged["merged_at"], merged["closed_at"]);
    assert!(merged["merge_commit_sha"].is_string());
    assert_eq!(
        (&open["title"], &open["draft"]),
        (&json!("Edited"), &json!(false))
    );
    assert_eq!(open["user"]["login"], "alice");
    assert_eq!(open["head"]["repo"]["full_name"], "acme/gadgets");
    let newest = service
        .anonymous()
        .header("X-GitHub-Api-Version", "2026-03-10");
    let list = newest.get(&path).await.expect(200).json();
    assert_eq!(list[1]["merge_commit_sha"], merged["merge_commit_sha"]);
    assert_eq!(list[1].get("assignee"), Some(&Value::Null));
}

#[tokio::test]
async fn list_pulls_404_when_hidden() {
    let service = start().await;
    for caller in [service.anonymous(), service.as_("mallory")] {
        caller.get("/repos/acme/widgets/pulls").await.expect(404);
    }
}

#[tokio::test]
async fn is_pull_merged_204_if_it_was_and_404_if_not() {
    let service = with_four_pulls().await;
    let path = |number: u8| format!("{PULLS}/{number}/merge");
    let caller = service.anonymous();
    caller.get(&path(2)).await.expect(204);
    for number in [1, 3, 9] {
        caller.get(&path(number)).await.expect(404);
    }
}

#[tokio::test]
async fn is_pull_merged_404_when_hidden() {
    let service = start().await;
    let path = "/repos/acme/widgets/pulls/1/merge";
    service.as_("mallory").get(path).await.expect(404);
}
