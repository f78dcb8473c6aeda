//! Reports on commits for every caller of the table. Statuses are for those who may read a
//! reference, and made by those who may change one; each takes a permission of its own. So
//! are check runs, except that only apps make them.

use poem::http::Method;
use serde_json::{Value, json};

use super::table::Table;
use super::{ADMINISTRATOR, Service, start};

const REFERENCES: &str = "Git references";

/// A request, and what succeeds with it.
struct Act {
    method: Method,
    rest: String,
    body: Option<Value>,
    success: u16,
}

async fn sha(service: &Service, repository: &str) -> String {
    let path = format!("/repos/acme/{repository}/git/ref/heads/main");
    let found = service.as_(ADMINISTRATOR).get(&path).await.expect(200);
    found.json()["object"]["sha"].as_str().unwrap().to_owned()
}

/// Runs a request for each caller of a column, in the public and the private repository.
async fn run(column: &str, act: impl Fn(&str) -> Act) {
    run_with(column, act, |_, expected| expected).await;
}

/// The same where some callers get another status than the table says.
async fn run_with(
    column: &str,
    act: impl Fn(&str) -> Act,
    instead: impl Fn(&str, Option<u16>) -> Option<u16>,
) {
    let service = start().await;
    let table = Table::read();
    let mut wrong = Vec::new();
    for (visibility, repository) in [("public", "gadgets"), ("private", "widgets")] {
        let act = act(&sha(&service, repository).await);
        let path = format!("/repos/acme/{repository}/{}", act.rest);
        for (caller, expected) in table.column(REFERENCES, &format!("{column}: {visibility}")) {
            let expected = instead(&caller.label, expected).unwrap_or(act.success);
            for credential in caller.credentials() {
                let speaker = match &credential {
                    Some(credential) => service.as_(credential),
                    None => service.anonymous(),
                };
                let body = act.body.as_ref().map(ToString::to_string);
                let answer = speaker.send(act.method.clone(), &path, body).await;
                if answer.status.as_u16() != expected {
                    let label = &caller.label;
                    wrong.push(format!("{label} {path}: {expected}, got {}", answer.status));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[tokio::test]
async fn statuses_are_read_by_whoever_reads_references() {
    for list in ["status", "statuses"] {
        run("list, get", |_| Act {
            method: Method::GET,
            rest: format!("commits/main/{list}"),
            body: None,
            success: 200,
        })
        .await;
    }
}

#[tokio::test]
async fn statuses_are_made_by_whoever_changes_references() {
    run("create, update, delete", |sha| Act {
        method: Method::POST,
        rest: format!("statuses/{sha}"),
        body: Some(json!({"state": "success"})),
        success: 201,
    })
    .await;
}

#[tokio::test]
async fn checks_are_read_by_whoever_reads_references() {
    for list in ["check-runs", "check-suites"] {
        run("list, get", |_| Act {
            method: Method::GET,
            rest: format!("commits/main/{list}"),
            body: None,
            success: 200,
        })
        .await;
    }
}

#[tokio::test]
async fn checks_are_made_by_apps_that_change_references() {
    let act = |sha: &str| Act {
        method: Method::POST,
        rest: "check-runs".to_owned(),
        body: Some(json!({"name": "lint", "head_sha": sha})),
        success: 201,
    };
    run_with(
        "create, update, delete",
        act,
        |label, expected| match expected {
            None if !label.starts_with("installation") => Some(403),
            expected => expected,
        },
    )
    .await;
}
