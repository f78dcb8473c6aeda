//! Explanations besides those of the table of permissions (`tests/api/access`).

use forgewright::app::Settings;
use forgewright::limits::Budgets;
use serde_json::json;

use super::{GADGETS, entry, line, start, with};

#[tokio::test]
async fn an_unknown_path_says_whether_github_has_it() {
    let service = start().await;
    let path = format!("{GADGETS}/milestones");
    let answer = service.anonymous().post(&path, json!({})).await.expect(404);
    assert_eq!(
        line(&service, &answer).await,
        "No token → POST /repos/acme/gadgets/milestones: GitHub has this operation \
         (issues/create-milestone), this server does not → 404"
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
async fn what_an_operation_refuses_is_told_in_its_words() {
    let service = start().await;
    let answer = service
        .anonymous()
        .get(&format!("{GADGETS}/pulls/999"))
        .await
        .expect(404);
    let line = line(&service, &answer).await;
    assert!(
        line.contains("admitted, and what the path names does not exist"),
        "{line}"
    );
}

#[tokio::test]
async fn a_limit_is_explained() {
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
async fn a_request_that_is_admitted_says_by_what() {
    let service = start().await;
    let answer = service.anonymous().get(GADGETS).await.expect(200);
    let line = line(&service, &answer).await;
    assert_eq!(
        line,
        "no token → get_repository: admitted (metadata=read) → 200"
    );
}
