//! Locking the conversations of issues and pull requests.

use poem::http::Method;
use serde_json::{Value, json};

use super::{ISSUES, WIDGETS, get_issue, open_issue, send, start, titled};
use crate::harness::{Answer, Service};

async fn lock(service: &Service, token: &str, number: i64, body: Value) -> Answer {
    let path = format!("{ISSUES}/{number}/lock");
    send(service, token, Method::PUT, &path, body).await
}

async fn unlock(service: &Service, token: &str, number: i64) -> Answer {
    let path = format!("{ISSUES}/{number}/lock");
    service.as_(token).send(Method::DELETE, &path, None).await
}

#[tokio::test]
async fn lock_issue_204_with_and_without_a_reason() {
    let service = start().await;
    open_issue(&service, "mallory", titled("One")).await;
    for number in [1, 2] {
        lock(&service, "carol", number, json!({})).await.expect(204);
        let issue = get_issue(&service, number).await;
        assert_eq!(issue["locked"], true);
        assert_eq!(issue["active_lock_reason"], json!(null));
        let reason = json!({"lock_reason": "too heated"});
        lock(&service, "carol", number, reason).await.expect(204);
        let issue = get_issue(&service, number).await;
        assert_eq!(issue["active_lock_reason"], "too heated");
        if number == 1 {
            let path = "/repos/acme/gadgets/pulls/1";
            let pull = service.as_("alice").get(path).await.expect(200).json();
            assert_eq!(pull["locked"], true);
            assert_eq!(pull["active_lock_reason"], "too heated");
        }
        unlock(&service, "carol", number).await.expect(204);
        unlock(&service, "carol", number).await.expect(204);
        let issue = get_issue(&service, number).await;
        assert_eq!(issue["locked"], false);
        assert_eq!(issue["active_lock_reason"], json!(null));
    }
}

#[tokio::test]
async fn lock_issue_404_when_it_is_absent_or_hidden() {
    let service = start().await;
    lock(&service, "alice", 7, json!({})).await.expect(404);
    unlock(&service, "alice", 7).await.expect(404);
    let path = format!("{WIDGETS}/1/lock");
    for method in [Method::PUT, Method::DELETE] {
        let answer = send(&service, "mallory", method, &path, json!({})).await;
        answer.expect(404);
    }
}

#[tokio::test]
async fn unlock_issue_404_when_it_is_absent() {
    let service = start().await;
    unlock(&service, "alice", 7).await.expect(404);
}

#[tokio::test]
async fn unlock_issue_204_clears_the_reason() {
    let service = start().await;
    let reason = json!({"lock_reason": "spam"});
    lock(&service, "alice", 1, reason).await.expect(204);
    unlock(&service, "puller", 1).await.expect(204);
    lock(&service, "alice", 1, json!({})).await.expect(204);
    assert_eq!(
        get_issue(&service, 1).await["active_lock_reason"],
        json!(null)
    );
}

#[tokio::test]
async fn lock_issue_422_when_the_reason_is_unknown() {
    let service = start().await;
    let body = json!({"lock_reason": "boring"});
    lock(&service, "alice", 1, body).await.expect(422);
    assert_eq!(get_issue(&service, 1).await["locked"], false);
}
