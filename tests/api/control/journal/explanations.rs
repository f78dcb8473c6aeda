//! Explanations other than those of the permission table (`tests/api/access`).

use forge::app::Settings;
use serde_json::json;
use storage::limits::Budgets;

use super::{GADGETS, entry, line, start, with};

#[tokio::test]
async fn an_unknown_path_says_whether_github_has_it() {
    let service = start().await;
    let path = format!("{GADGETS}/milestones");
    let answer = service.anonymous().post(&path, json!({})).await.expect(404);
    assert_eq!(
        line(&service, &answer).await,
        "No token → POST /repos/acme/gadgets/milestones: GitHub has this operation \
         (issues/create-milestone), but this server does not → 404"
    );
    let path = format!("/api/v3{GADGETS}/lables");
    let answer = service.anonymous().get(&path).await.expect(404);
    let line = line(&service, &answer).await;
    assert!(
        line.contains("the nearest is GET /repos/{owner}/{repo}/labels"),
        "{line}"
    );
}

#[tokio::test]
async fn a_refusal_by_the_operation_is_explained() {
    let service = start().await;
    let answer = service
        .anonymous()
        .get(&format!("{GADGETS}/pulls/999"))
        .await
        .expect(404);
    let line = line(&service, &answer).await;
    assert!(
        line.contains("the caller has access, but the resource in the path does not exist"),
        "{line}"
    );
}

#[tokio::test]
async fn only_the_permissions_that_a_user_of_an_app_lacks_are_named() {
    let service = start().await;
    let refused = async || {
        let client = service.as_("app-user-administrator-read");
        let path = format!("{GADGETS}/pulls/1/update-branch");
        let answer = client.put(&path).await.expect(403);
        line(&service, &answer).await
    };
    let line = refused().await;
    let expected = "requires `pull_requests: write and contents: write`, \
                    the installation 7002 has read";
    assert!(line.contains(expected), "{line}");
    let permissions = r#"{"pull_requests": "write", "metadata": "read"}"#;
    let sql = format!("UPDATE installation SET permissions = '{permissions}' WHERE id = 7002");
    service.execute(&sql).await;
    let line = refused().await;
    let expected = "requires `contents: write`, the installation 7002 has none";
    assert!(line.contains(expected), "{line}");
}

#[tokio::test]
async fn only_the_permission_for_the_kind_of_an_issue_is_named() {
    let service = start().await;
    let permissions = r#"{"issues": "write", "metadata": "read"}"#;
    let sql = format!("UPDATE installation SET permissions = '{permissions}' WHERE id = 7002");
    service.execute(&sql).await;
    let client = service.as_("app-user-administrator-read");
    let path = format!("{GADGETS}/issues/1");
    let answer = client.patch(&path, json!({})).await.expect(403);
    let line = line(&service, &answer).await;
    let expected = "requires `pull_requests: write`, the installation 7002 has none";
    assert!(line.contains(expected), "{line}");
}

#[tokio::test]
async fn a_missing_label_names_what_its_creation_requires() {
    let service = start().await;
    let labelled = async |token: &str| {
        let path = format!("{GADGETS}/issues/1/labels");
        let client = service.as_(token);
        let answer = client.post(&path, json!(["brand-new"])).await.expect(403);
        line(&service, &answer).await
    };
    let line = labelled("classic-triaging-collaborator").await;
    let expected = "requires the role write, grace has triage";
    assert!(line.contains(expected), "{line}");
    let permissions = r#"{"pull_requests": "write", "metadata": "read"}"#;
    let sql = format!("UPDATE installation SET permissions = '{permissions}' WHERE id = 7002");
    service.execute(&sql).await;
    let line = labelled("app-user-administrator-read").await;
    let expected = "requires `issues: write`, the installation 7002 has none";
    assert!(line.contains(expected), "{line}");
}

#[tokio::test]
async fn an_exceeded_rate_limit_is_explained() {
    let budgets = Budgets {
        anonymous: 1,
        ..Budgets::default()
    };
    let service = with(Settings {
        budgets: Some(budgets),
        ..Settings::default()
    })
    .await;
    service.anonymous().get(GADGETS).await.expect(200);
    let answer = service.anonymous().get(GADGETS).await.expect(403);
    let shown = entry(&service, &answer).await;
    assert_eq!(
        shown["explanation"]["steps"][1]["check"], "limit",
        "{shown:#}"
    );
}

#[tokio::test]
async fn an_admitted_request_names_its_permission() {
    let service = start().await;
    let answer = service.anonymous().get(GADGETS).await.expect(200);
    let line = line(&service, &answer).await;
    assert_eq!(
        line,
        "no token → get_repository: allowed (metadata=read) → 200"
    );
}
