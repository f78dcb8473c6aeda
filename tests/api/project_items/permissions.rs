//! Projects that do not exist, which the table in `crates/forge/src/access/README.md` does not cover.

use poem::http::Method;
use serde_json::{Value, json};

use super::start;

fn draft() -> Value {
    json!({"title": "Paint it"})
}

#[tokio::test]
async fn every_operation_on_items_is_404_when_the_project_is_absent() {
    let service = start().await;
    let alice = service.as_("alice");
    let issue = json!({"type": "Issue", "owner": "acme", "repo": "gadgets", "number": 3});
    let archived = json!({"archived": true});
    for owner in ["/orgs/acme", "/users/alice"] {
        for (method, suffix, body) in [
            (Method::GET, "items", Value::Null),
            (Method::GET, "items/5502", Value::Null),
            (Method::POST, "items", issue.clone()),
            (Method::PATCH, "items/5502", archived.clone()),
            (Method::DELETE, "items/5502", Value::Null),
        ] {
            let path = format!("{owner}/projectsV2/9/{suffix}");
            let body = Some(body.to_string()).filter(|_| !body.is_null());
            alice.send(method, &path, body).await.expect(404);
        }
    }
    let path = "/orgs/acme/projectsV2/9/drafts";
    alice.post(path, draft()).await.expect(404);
}

#[tokio::test]
async fn create_user_project_draft_404_when_the_user_is_absent() {
    let service = start().await;
    for id in ["9", "1004", "alice", "-1", "99999999999999999999"] {
        let path = format!("/user/{id}/projectsV2/1/drafts");
        service.as_("alice").post(&path, draft()).await.expect(404);
    }
}
