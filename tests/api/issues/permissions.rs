//! Reading issues takes the permission for issues; changing them, labels and assignees, that or the
//! one for pull requests.

use poem::http::Method;
use serde_json::{Value, json};

use super::{WIDGETS, send, start};

const LABELS: &str = "/repos/acme/widgets/labels";

/// Every change but that of making an issue, which takes the permission for issues alone.
fn changes() -> Vec<(Method, String, Value)> {
    let issue = format!("{WIDGETS}/1");
    let labels = json!({"labels": ["bug"]});
    let people = json!({"assignees": ["carol"]});
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
        (Method::POST, format!("{issue}/assignees"), people.clone()),
        (Method::DELETE, format!("{issue}/assignees"), people),
        (Method::POST, fields.clone(), values.clone()),
        (Method::PUT, fields.clone(), values),
        (Method::DELETE, format!("{fields}/5002"), json!({})),
        (Method::PUT, format!("{issue}/lock"), json!({})),
        (Method::DELETE, format!("{issue}/lock"), json!({})),
    ]
}

/// What takes the permission for issues alone.
fn reads_of_issues() -> [String; 3] {
    ["", "/1", "/1/issue-field-values"].map(|rest| format!("{WIDGETS}{rest}"))
}

fn reads() -> Vec<String> {
    ["/1/labels", "/1/assignees/carol"]
        .map(|rest| format!("{WIDGETS}{rest}"))
        .into_iter()
        .chain(["", "/oil"].map(|rest| format!("{LABELS}{rest}")))
        .chain(["", "/carol"].map(|rest| format!("/repos/acme/widgets/assignees{rest}")))
        .collect()
}

#[tokio::test]
async fn either_permission_is_enough_and_reading_is_not_writing() {
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
