//! Assignees of issues and pull requests, and the users who can be assigned.

use poem::http::Method;
use serde_json::{Value, json};

use super::{ISSUES, WIDGETS, get_issue, open_issue, pluck, send, start, titled};
use crate::harness::{Answer, Service};

const ASSIGNEES: &str = "/repos/acme/gadgets/assignees";

async fn assign(service: &Service, token: &str, number: i64, body: Value) -> Answer {
    let path = format!("{ISSUES}/{number}/assignees");
    service.as_(token).post(&path, body).await
}

async fn unassign(service: &Service, token: &str, number: i64, body: Value) -> Answer {
    let path = format!("{ISSUES}/{number}/assignees");
    send(service, token, Method::DELETE, &path, body).await
}

fn logins(rows: &Value) -> Vec<&str> {
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| row["login"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn list_assignees_200_with_writers_and_members() {
    let service = start().await;
    let answer = service.anonymous().get(ASSIGNEES).await.expect(200);
    assert_eq!(logins(&answer.json()), ["alice", "bob", "carol"]);
    let path = format!("{ASSIGNEES}?per_page=1&page=3");
    let answer = service.as_("alice").get(&path).await.expect(200);
    assert_eq!(logins(&answer.json()), ["carol"]);
    let path = format!("{ASSIGNEES}?page=9223372036854775807");
    let answer = service.as_("alice").get(&path).await.expect(200);
    assert_eq!(answer.json(), json!([]));
}

#[tokio::test]
async fn check_assignee_204_when_the_user_can_be_assigned() {
    let service = start().await;
    for login in ["alice", "BOB", "carol"] {
        let path = format!("{ASSIGNEES}/{login}");
        service.as_("bob-classic").get(&path).await.expect(204);
    }
}

#[tokio::test]
async fn check_assignee_404_when_the_user_cannot_be_assigned() {
    let service = start().await;
    for login in ["mallory", "erin", "nobody", "acme"] {
        let path = format!("{ASSIGNEES}/{login}");
        service.as_("alice").get(&path).await.expect(404);
    }
}

#[tokio::test]
async fn check_issue_assignee_204_when_the_user_can_be_assigned() {
    let service = start().await;
    let path = format!("{ISSUES}/1/assignees/bob");
    service.as_("alice").get(&path).await.expect(204);
}

#[tokio::test]
async fn check_issue_assignee_404_when_the_user_cannot_be_assigned_or_the_issue_is_absent() {
    let service = start().await;
    for path in ["1/assignees/mallory", "7/assignees/bob"] {
        let path = format!("{ISSUES}/{path}");
        service.as_("alice").get(&path).await.expect(404);
    }
}

#[tokio::test]
async fn add_assignees_201_keeps_earlier_assignees_and_ignores_invalid_ones() {
    let service = start().await;
    open_issue(&service, "mallory", titled("One")).await;
    for number in [1, 2] {
        service.clock.advance(5);
        let body = json!({"assignees": ["Bob", "mallory", "nobody", "bob"]});
        let answer = assign(&service, "erin", number, body).await;
        assert_eq!(
            pluck(&answer.expect(201).json(), "assignees", "login"),
            ["bob"]
        );
        let body = json!({"assignees": [{"login": "carol"}]});
        let issue = assign(&service, "erin", number, body).await.expect(201);
        let issue = issue.json();
        assert_eq!(pluck(&issue, "assignees", "login"), ["bob", "carol"]);
        assert_eq!(issue["assignee"]["login"], "bob");
        assert_eq!(get_issue(&service, number).await, issue);
        let empty = assign(&service, "erin", number, json!({})).await;
        assert_eq!(empty.expect(201).json(), issue);
    }
}

#[tokio::test]
async fn add_assignees_403_without_triage_access() {
    let service = start().await;
    let body = json!({"assignees": ["bob"]});
    for token in ["mallory", "bob-classic", "alice-metadata", "alice-reads"] {
        assign(&service, token, 1, body.clone()).await.expect(403);
    }
}

#[tokio::test]
async fn add_assignees_404_when_the_issue_is_absent_or_hidden() {
    let service = start().await;
    let body = json!({"assignees": ["bob"]});
    assign(&service, "alice", 7, body.clone()).await.expect(404);
    let path = format!("{WIDGETS}/1/assignees");
    service.as_("mallory").post(&path, body).await.expect(404);
}

#[tokio::test]
async fn add_assignees_422_when_the_body_has_the_wrong_type() {
    let service = start().await;
    for body in [json!({"assignees": "carol"}), json!({"assignees": [7]})] {
        assign(&service, "alice", 1, body).await.expect(422);
    }
}

#[tokio::test]
async fn remove_assignees_200_ignores_users_who_are_not_assigned() {
    let service = start().await;
    let body = json!({"assignees": ["alice", "bob"]});
    assign(&service, "alice", 1, body).await.expect(201);
    let body = json!({"assignees": ["BOB", "carol", "nobody"]});
    let issue = unassign(&service, "erin", 1, body).await.expect(200).json();
    assert_eq!(pluck(&issue, "assignees", "login"), ["alice"]);
}

#[tokio::test]
async fn remove_assignees_403_without_triage_access() {
    let service = start().await;
    let body = json!({"assignees": ["bob"]});
    unassign(&service, "bob-classic", 1, body).await.expect(403);
}

#[tokio::test]
async fn remove_assignees_404_when_the_issue_is_absent() {
    let service = start().await;
    let body = json!({"assignees": ["bob"]});
    unassign(&service, "alice", 7, body).await.expect(404);
}

#[tokio::test]
async fn remove_assignees_422_when_the_body_has_the_wrong_type() {
    let service = start().await;
    let body = json!({"assignees": {"bob": true}});
    unassign(&service, "alice", 1, body).await.expect(422);
}
