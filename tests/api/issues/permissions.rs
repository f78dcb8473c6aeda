//! Permissions: reading issues requires the one for issues. Changing issues, labels and
//! assignees requires that or the one for pull requests.

use poem::http::Method;
use serde_json::{Value, json};

use super::{WIDGETS, send, start};

const LABELS: &str = "/repos/acme/widgets/labels";

/// Every change except creating an issue, which requires the permission for issues.
fn changes() -> Vec<(Method, String, Value)> {
    let issue = format!("{WIDGETS}/1");
    let labels = json!({"labels": ["bug"]});
    let assignees = json!({"assignees": ["carol"]});
    let values = json!({"issue_field_values": [{"field_id": 5002, "value": 1}]});
    let fields = format!("{issue}/issue-field-values");
    vec![
        (Method::POST, LABELS.to_owned(), json!({"name": "oil"})),
        (Method::PATCH, format!("{LABELS}/oil"), json!({})),
        (Method::DELETE, format!("{LABELS}/oil"), json!({})),
        (Method::PATCH, issue.clone(), json!({"title": "x"})),
        (Method::POST, format!("{issue}/labels"), labels.clone()),
        (Method::PUT, format!("{issue}/labels"), labels),
        (Method::DELETE, format!("{issue}/labels/bug"), json!({})),
        (Method::DELETE, format!("{issue}/labels"), json!({})),
        (
            Method::POST,
            format!("{issue}/assignees"),
            assignees.clone(),
        ),
        (Method::DELETE, format!("{issue}/assignees"), assignees),
        (Method::POST, fields.clone(), values.clone()),
        (Method::PUT, fields.clone(), values),
        (Method::DELETE, format!("{fields}/5002"), json!({})),
        (Method::PUT, format!("{issue}/lock"), json!({})),
        (Method::DELETE, format!("{issue}/lock"), json!({})),
    ]
}

/// Reads that only the permission for issues allows.
fn reads_of_issues() -> [String; 3] {
    ["", "/1", "/1/issue-field-values"].map(|suffix| format!("{WIDGETS}{suffix}"))
}

/// Reads that either permission allows.
fn reads() -> Vec<String> {
    ["/1/labels", "/1/assignees/carol"]
        .map(|suffix| format!("{WIDGETS}{suffix}"))
        .into_iter()
        .chain(["", "/oil"].map(|suffix| format!("{LABELS}{suffix}")))
        .chain(["", "/carol"].map(|suffix| format!("/repos/acme/widgets/assignees{suffix}")))
        .collect()
}

#[tokio::test]
async fn either_permission_allows_changes_and_read_access_does_not() {
    for (token, may_read, reads_issues, may_write) in [
        ("alice-metadata", false, false, false),
        ("alice-reads", true, true, false),
        ("alice-pulls", true, false, true),
        ("listener", true, true, true),
        ("puller", true, false, true),
    ] {
        let service = start().await;
        let oil = json!({"name": "oil"});
        service.as_("alice").post(LABELS, oil).await.expect(201);
        let of_issues = reads_of_issues().map(|path| (path, reads_issues));
        let others = reads().into_iter().map(|path| (path, may_read));
        for (path, may_read) in of_issues.into_iter().chain(others) {
            let status = service.as_(token).get(&path).await.status.as_u16();
            assert_eq!(status != 403, may_read, "{token} {path}: {status}");
        }
        for (method, path, body) in changes() {
            let answer = send(&service, token, method.clone(), &path, body).await;
            let refused = answer.status == 403;
            assert_eq!(
                refused, !may_write,
                "{token} {method} {path}: {}",
                answer.text
            );
        }
    }
}
