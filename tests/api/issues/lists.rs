//! Changes that take lists: many values take as many queries as one. An app hears of each.

use poem::http::Method;
use serde_json::{Value, json};

use super::{ISSUES, open_issue, send, start};
use crate::harness::Service;
use crate::support::queries::counted;

/// Events of long lists are inserted a megabyte at a time.
const INSERTS: u64 = 16;

/// The number of queries of a request.
async fn queries(service: &Service, method: Method, path: &str, body: Value) -> u64 {
    let answer = send(service, "alice", method, path, body);
    let (answer, queries) = counted(answer).await;
    assert!(answer.status.is_success(), "{path}: {}", answer.text);
    assert!(queries > 0, "{path}");
    queries
}

fn names(prefix: &str, count: usize) -> Vec<String> {
    let names = 0..count;
    names.map(|number| format!("{prefix}{number}")).collect()
}

/// The paths of a pull request and of an issue, which have different events.
async fn pull_and_issue(service: &Service) -> [String; 2] {
    let issue = open_issue(service, "alice", json!({"title": "T"})).await;
    [json!(1), issue["number"].clone()].map(|number| format!("{ISSUES}/{number}"))
}

#[tokio::test]
async fn add_issue_labels_200_takes_as_many_queries_for_many_labels_as_for_one() {
    let service = start().await;
    for path in pull_and_issue(&service).await {
        let path = format!("{path}/labels");
        let add = async |count: usize| {
            let body = json!({"labels": names(&format!("of {count} on {path} "), count)});
            queries(&service, Method::POST, &path, body).await
        };
        add(2).await;
        let (few, many) = (add(1).await, add(90).await);
        assert!(many <= few + INSERTS, "{path}: {few} and {many}");
        let replace = async |count: usize| {
            let body = json!({"labels": names("other ", count)});
            queries(&service, Method::PUT, &path, body).await
        };
        let (all, none) = (replace(100).await, replace(1).await);
        assert!(
            all.max(none) <= few + INSERTS,
            "{path}: {few}, {all} and {none}"
        );
    }
}

#[tokio::test]
async fn create_issue_201_takes_as_many_queries_for_many_labels_as_for_one() {
    let service = start().await;
    let create = async |count: usize| {
        let body = json!({"title": "T", "labels": names(&format!("of {count} "), count)});
        queries(&service, Method::POST, ISSUES, body).await
    };
    create(2).await;
    let (few, many) = (create(1).await, create(100).await);
    assert!(many <= few + INSERTS, "{few} and {many}");
}

#[tokio::test]
async fn add_assignees_201_takes_as_many_queries_for_many_users_as_for_one() {
    let service = start().await;
    for path in pull_and_issue(&service).await {
        let path = format!("{path}/assignees");
        let change = async |method: Method, logins: &[&str]| {
            let body = json!({"assignees": logins});
            queries(&service, method, &path, body).await
        };
        change(Method::POST, &["alice"]).await;
        let few = change(Method::DELETE, &["alice"]).await;
        let all = ["alice", "bob", "carol"];
        let added = change(Method::POST, &all).await;
        let removed = change(Method::DELETE, &all).await;
        assert!(
            added.max(removed) <= few + 2,
            "{path}: {few}, {added} and {removed}"
        );
    }
}

#[tokio::test]
async fn set_issue_field_values_200_takes_as_many_queries_for_many_values_as_for_one() {
    let service = start().await;
    for path in pull_and_issue(&service).await {
        let path = format!("{path}/issue-field-values");
        let set = async |values: Value| {
            let body = json!({"issue_field_values": values});
            queries(&service, Method::PUT, &path, body).await
        };
        set(json!([{"field_id": 5001, "value": "a"}])).await;
        let few = set(json!([{"field_id": 5001, "value": "b"}])).await;
        let many = set(json!([
            {"field_id": 5001, "value": "c"},
            {"field_id": 5002, "value": 1},
            {"field_id": 5003, "value": "2026-03-10"},
            {"field_id": 5004, "value": "High"},
            {"field_id": 5005, "value": ["Linux", "macOS"]},
        ]))
        .await;
        assert!(many <= few, "{path}: {few} and {many}");
    }
}
