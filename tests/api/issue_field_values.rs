//! Values of issues and pull requests in the issue fields of their organization.

use forge::app::Settings;
use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::{Answer, Service};
use crate::issues::{ISSUES, WIDGETS, WORLD, errors, open_issue, send, start};

/// The values of the pull request.
const VALUES: &str = "/repos/acme/gadgets/issues/1/issue-field-values";

fn body_with(values: &[(i64, Value)]) -> Value {
    let values = values
        .iter()
        .map(|(field, value)| json!({"field_id": field, "value": value}));
    json!({"issue_field_values": values.collect::<Vec<_>>()})
}

async fn add_values(service: &Service, values: &[(i64, Value)]) -> Answer {
    service.as_("carol").post(VALUES, body_with(values)).await
}

/// The fields that have a value, with the values.
fn values(answer: &Answer) -> Vec<(i64, Value)> {
    let body = answer.json();
    let rows = body.as_array().unwrap().iter();
    rows.map(|row| {
        (
            row["issue_field_id"].as_i64().unwrap(),
            row["value"].clone(),
        )
    })
    .collect()
}

async fn list_values(service: &Service) -> Vec<(i64, Value)> {
    values(&service.as_("alice").get(VALUES).await.expect(200))
}

#[tokio::test]
async fn add_issue_field_values_200_with_a_value_of_each_data_type() {
    let service = start().await;
    let all = [
        (5005, json!(["linux", "macOS", "Linux"])),
        (5004, json!("High")),
        (5003, json!("2026-03-31")),
        (5002, json!(2.5)),
        (5001, json!("Soon, please")),
    ];
    let answer = add_values(&service, &all).await.expect(200);
    let listed = answer.json();
    let high = listed[3]["single_select_option"]["id"].clone();
    assert_eq!(
        values(&answer),
        [
            (5001, json!("Soon, please")),
            (5002, json!(2.5)),
            (5003, json!("2026-03-31")),
            (5004, high.clone()),
            (5005, json!("macOS,Linux")),
        ]
    );
    assert_eq!(
        listed[3],
        json!({"issue_field_id": 5004, "issue_field_name": "Priority",
            "node_id": listed[3]["node_id"], "data_type": "single_select", "value": high,
            "single_select_option": {"id": high, "name": "High", "color": "red"}})
    );
    assert!(listed[3]["node_id"].as_str().unwrap().starts_with("IFSS_"));
    let names = crate::issues::pluck(&listed[4], "multi_select_options", "name");
    assert_eq!(names, ["macOS", "Linux"]);
    assert_eq!(values(&answer), list_values(&service).await);
}

#[tokio::test]
async fn add_issue_field_values_200_keeps_other_values_and_an_empty_list_removes_all() {
    let service = start().await;
    add_values(&service, &[(5001, json!("One")), (5002, json!(1))])
        .await
        .expect(200);
    let answer = add_values(&service, &[(5002, json!(2))]).await.expect(200);
    assert_eq!(values(&answer), [(5001, json!("One")), (5002, json!(2))]);
    let unchanged = service.as_("carol").post(VALUES, json!({})).await;
    assert_eq!(values(&unchanged.expect(200)).len(), 2);
    let answer = add_values(&service, &[]).await.expect(200);
    assert_eq!(values(&answer), []);
    assert_eq!(list_values(&service).await, []);
}

#[tokio::test]
async fn get_issue_200_and_list_issues_200_with_the_current_values() {
    let service = start().await;
    let alice = service.as_("alice");
    let list = "/repos/acme/gadgets/issues?state=all";
    let issue = "/repos/acme/gadgets/issues/1";
    let shown = alice.get(issue).await.expect(200).json();
    assert_eq!(shown["issue_field_values"], json!([]));
    let given = add_values(&service, &[(5002, json!(2.5)), (5001, json!("Soon"))]).await;
    let given = given.expect(200).json();
    let shown = alice.get(issue).await.expect(200).json();
    assert_eq!(shown["issue_field_values"], given);
    let listed = alice.get(list).await.expect(200).json();
    let mut listed = listed.as_array().unwrap().iter();
    let listed = listed.find(|issue| issue["number"] == 1).unwrap();
    assert_eq!(listed["issue_field_values"], given);
    let path = format!("{VALUES}/5001");
    alice.delete(&path).await.expect(204);
    let shown = alice.get(issue).await.expect(200).json();
    assert_eq!(shown["issue_field_values"], json!([given[1]]));
}

#[tokio::test]
async fn set_issue_field_values_200_replaces_all_values() {
    let service = start().await;
    add_values(&service, &[(5001, json!("One")), (5002, json!(1))])
        .await
        .expect(200);
    let body = body_with(&[(5003, json!("2026-01-01"))]);
    let answer = send(&service, "carol", Method::PUT, VALUES, body).await;
    assert_eq!(values(&answer.expect(200)), [(5003, json!("2026-01-01"))]);
    assert_eq!(list_values(&service).await.len(), 1);
}

#[tokio::test]
async fn add_issue_field_values_422_with_every_error_and_without_a_change() {
    let service = start().await;
    add_values(&service, &[(5001, json!("One"))])
        .await
        .expect(200);
    let invalid = [
        (5001, json!("Two")),
        (5001, json!(3)),
        (5002, json!("three")),
        (5003, json!("2026-02-30")),
        (5004, json!("Highest")),
        (5004, json!(["High"])),
        (5005, json!("Linux")),
        (5005, json!([])),
        (4999, json!("x")),
        (5001, json!("Twice")),
    ];
    let answer = add_values(&service, &invalid).await.expect(422);
    let error_at = |index: usize, key| {
        let field = format!("issue_field_values[{index}].{key}");
        (field, "invalid".to_owned())
    };
    let mut expected: Vec<_> = (1..8).map(|index| error_at(index, "value")).collect();
    expected.extend([error_at(8, "field_id"), error_at(9, "field_id")]);
    assert_eq!(errors(&answer), expected);
    assert_eq!(list_values(&service).await, [(5001, json!("One"))]);
}

#[tokio::test]
async fn add_issue_field_values_422_when_the_body_is_invalid() {
    let service = start().await;
    for body in [
        json!({"issue_field_values": [{"field_id": 5001}]}),
        json!({"issue_field_values": [{"field_id": 5001, "value": null}]}),
        json!({"issue_field_values": [{"field_id": 5001, "value": {"a": 1}}]}),
        json!({"issue_field_values": [{"field_id": "Remarks", "value": "x"}]}),
        json!({"issue_field_values": vec![json!({"field_id": 5001, "value": "x"}); 26]}),
        json!({"issue_field_values": {}}),
    ] {
        let answer = service.as_("carol").post(VALUES, body.clone()).await;
        assert_eq!(answer.status, 422, "{body}: {}", answer.text);
    }
    for text in ["", " ", &"x".repeat(1025)] {
        add_values(&service, &[(5001, json!(text))])
            .await
            .expect(422);
    }
}

#[tokio::test]
async fn delete_issue_field_value_204_once_and_404_for_an_absent_value() {
    let service = start().await;
    add_values(&service, &[(5001, json!("One")), (5005, json!(["Linux"]))])
        .await
        .expect(200);
    let path = format!("{VALUES}/5005");
    let carol = service.as_("carol");
    carol.delete(&path).await.expect(204);
    carol.delete(&path).await.expect(404);
    carol.delete(&format!("{VALUES}/4999")).await.expect(404);
    assert_eq!(list_values(&service).await, [(5001, json!("One"))]);
}

#[tokio::test]
async fn deleting_a_field_or_an_option_deletes_its_values() {
    let service = start().await;
    let all = [
        (5001, json!("One")),
        (5004, json!("High")),
        (5005, json!(["Linux", "macOS"])),
    ];
    let answer = add_values(&service, &all).await.expect(200);
    let macos = answer.json()[2]["multi_select_options"][0]["id"].clone();
    let alice = service.as_("alice-fields");
    let fields = "/orgs/acme/issue-fields";
    let kept = json!({"options": [{"id": macos, "name": "Mac", "color": "blue", "priority": 1}]});
    alice
        .patch(&format!("{fields}/5005"), kept)
        .await
        .expect(200);
    let others = json!({"options": [{"name": "New", "color": "red", "priority": 1}]});
    alice
        .patch(&format!("{fields}/5004"), others)
        .await
        .expect(200);
    alice.delete(&format!("{fields}/5001")).await.expect(204);
    assert_eq!(list_values(&service).await, [(5005, json!("Mac"))]);
}

/// A change requires write access, an existing issue and a readable repository.
async fn requires_write_access(method: Method, suffix: &str) {
    let service = start().await;
    add_values(&service, &[(5001, json!("One"))])
        .await
        .expect(200);
    let body = body_with(&[(5001, json!("Two"))]);
    let change = async |token: &str, path: &str| {
        let path = format!("{path}/issue-field-values{suffix}");
        send(&service, token, method.clone(), &path, body.clone()).await
    };
    for token in ["erin", "mallory"] {
        change(token, &format!("{ISSUES}/1")).await.expect(403);
    }
    change("mallory", &format!("{WIDGETS}/1")).await.expect(404);
    change("carol", &format!("{ISSUES}/99")).await.expect(404);
    assert_eq!(list_values(&service).await, [(5001, json!("One"))]);
}

#[tokio::test]
async fn add_issue_field_values_403_and_404_without_write_access() {
    requires_write_access(Method::POST, "").await;
}

#[tokio::test]
async fn set_issue_field_values_403_and_404_without_write_access() {
    requires_write_access(Method::PUT, "").await;
}

#[tokio::test]
async fn delete_issue_field_value_403_and_404_without_write_access() {
    requires_write_access(Method::DELETE, "/5001").await;
}

#[tokio::test]
async fn set_issue_field_values_422_changes_nothing() {
    let service = start().await;
    add_values(&service, &[(5001, json!("One"))])
        .await
        .expect(200);
    let body = body_with(&[(5002, json!(1)), (5003, json!("never"))]);
    let answer = send(&service, "carol", Method::PUT, VALUES, body).await;
    let field = "issue_field_values[1].value".to_owned();
    assert_eq!(errors(&answer.expect(422)), [(field, "invalid".to_owned())]);
    assert_eq!(list_values(&service).await, [(5001, json!("One"))]);
}

#[tokio::test]
async fn list_issue_field_values_200_and_403_and_404_by_access_to_the_issue() {
    let service = start().await;
    add_values(&service, &[(5001, json!("One"))])
        .await
        .expect(200);
    for token in ["erin", "mallory"] {
        let answer = service.as_(token).get(VALUES).await.expect(200);
        assert_eq!(values(&answer), [(5001, json!("One"))]);
    }
    service.anonymous().get(VALUES).await.expect(200);
    let hidden = format!("{WIDGETS}/1/issue-field-values");
    service.as_("alice-metadata").get(&hidden).await.expect(403);
    service.as_("mallory").get(&hidden).await.expect(404);
}

#[tokio::test]
async fn members_only_fields_are_hidden_from_others() {
    let settings = Settings {
        issue_field_visibility: true,
        ..Settings::default()
    };
    let service = Service::with(WORLD, settings).await;
    let both = body_with(&[(5001, json!("One")), (5002, json!(1))]);
    let alice = service.as_("alice");
    alice.post(VALUES, both.clone()).await.expect(200);
    // Carol has write access, but is not a member.
    let carol = service.as_("carol");
    let listed = values(&carol.get(VALUES).await.expect(200));
    assert_eq!(listed, [(5001, json!("One"))]);
    let issue = carol.get("/repos/acme/gadgets/issues/1").await;
    let shown = &issue.expect(200).json()["issue_field_values"];
    assert_eq!(shown.as_array().unwrap().len(), 1);
    let answer = carol.post(VALUES, both).await.expect(422);
    let field = "issue_field_values[1].field_id".to_owned();
    assert_eq!(errors(&answer), [(field, "invalid".to_owned())]);
    carol.delete(&format!("{VALUES}/5002")).await.expect(404);
    let cleared = send(&service, "carol", Method::PUT, VALUES, body_with(&[])).await;
    assert_eq!(values(&cleared.expect(200)), []);
    assert_eq!(list_values(&service).await, [(5002, json!(1))]);
    let listed_by_app = values(&service.as_("listener").get(VALUES).await.expect(200));
    assert_eq!(listed_by_app.len(), 1);
}

/// Tokens of a member: for resources of her own, and for an app that is installed on acme.
const TOKENS: &str = "  - {kind: fine_grained, user: alice, owner: alice, repositories: all, permissions: {metadata: read}, value: alice-own}
  - {kind: app_user, user: alice, app: puller, value: alice-puller}
";

#[tokio::test]
async fn members_only_fields_are_hidden_from_tokens_without_access_to_the_organization() {
    let settings = Settings {
        issue_field_visibility: true,
        ..Settings::default()
    };
    let service = Service::with(&(WORLD.to_owned() + TOKENS), settings).await;
    let both = body_with(&[(5001, json!("One")), (5002, json!(1))]);
    service.as_("alice").post(VALUES, both).await.expect(200);
    let listed = async |token: &str| {
        let answer = service.as_(token).get(VALUES).await.expect(200);
        values(&answer).len()
    };
    for token in ["alice", "alice-reads", "alice-puller"] {
        assert_eq!(listed(token).await, 2, "{token}");
    }
    let suspend = "UPDATE installation SET suspended_at = 1 \
                   WHERE app_id = (SELECT id FROM app WHERE slug = 'puller')";
    service.execute(suspend).await;
    for token in ["alice-own", "alice-puller"] {
        assert_eq!(listed(token).await, 1, "{token}");
    }
}

#[tokio::test]
async fn changed_values_update_the_issue_and_are_listed_in_pages() {
    let service = start().await;
    let issue = open_issue(&service, "carol", json!({"title": "x"})).await;
    let path = format!("{ISSUES}/{}/issue-field-values", issue["number"]);
    service.clock.advance(60);
    let body = body_with(&[(5001, json!("One")), (5002, json!(1e300))]);
    let carol = service.as_("carol");
    carol.post(&path, body.clone()).await.expect(200);
    let updated = crate::issues::get_issue(&service, issue["number"].as_i64().unwrap()).await;
    assert_ne!(updated["updated_at"], issue["updated_at"]);
    let answer = carol
        .get(&format!("{path}?per_page=1&page=2"))
        .await
        .expect(200);
    assert_eq!(values(&answer), [(5002, json!(1e300))]);
    assert!(answer.header("link").unwrap().contains("rel=\"prev\""));
    let answer = carol.get(&format!("{path}?page=9223372036854775807")).await;
    assert_eq!(answer.expect(200).json(), json!([]));
    service.clock.advance(60);
    carol.post(&path, body).await.expect(200);
    let unchanged = crate::issues::get_issue(&service, issue["number"].as_i64().unwrap()).await;
    assert_eq!(updated["updated_at"], unchanged["updated_at"]);
}
