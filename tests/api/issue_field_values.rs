//! Values of issues and pull requests in the issue fields of their organization.

use forgewright::app::Settings;
use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::{Answer, Service};
use crate::issues::{ISSUES, WORLD, opened, refused, send, start};

/// Of the pull request.
const VALUES: &str = "/repos/acme/gadgets/issues/1/issue-field-values";

fn given(values: &[(i64, Value)]) -> Value {
    let values = values
        .iter()
        .map(|(field, value)| json!({"field_id": field, "value": value}));
    json!({"issue_field_values": values.collect::<Vec<_>>()})
}

async fn give(service: &Service, values: &[(i64, Value)]) -> Answer {
    service.as_("carol").post(VALUES, given(values)).await
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

async fn listed(service: &Service) -> Vec<(i64, Value)> {
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
    let answer = give(&service, &all).await.expect(200);
    let shown = answer.json();
    let high = shown[3]["single_select_option"]["id"].clone();
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
        shown[3],
        json!({"issue_field_id": 5004, "issue_field_name": "Priority",
            "node_id": shown[3]["node_id"], "data_type": "single_select", "value": high,
            "single_select_option": {"id": high, "name": "High", "color": "red"}})
    );
    assert!(shown[3]["node_id"].as_str().unwrap().starts_with("IFSS_"));
    let names = crate::issues::words(&shown[4], "multi_select_options", "name");
    assert_eq!(names, ["macOS", "Linux"]);
    assert_eq!(values(&answer), listed(&service).await);
}

#[tokio::test]
async fn add_issue_field_values_200_keeps_the_others_and_an_empty_list_takes_all() {
    let service = start().await;
    give(&service, &[(5001, json!("One")), (5002, json!(1))])
        .await
        .expect(200);
    let answer = give(&service, &[(5002, json!(2))]).await.expect(200);
    assert_eq!(values(&answer), [(5001, json!("One")), (5002, json!(2))]);
    let nothing = service.as_("carol").post(VALUES, json!({})).await;
    assert_eq!(values(&nothing.expect(200)).len(), 2);
    let answer = give(&service, &[]).await.expect(200);
    assert_eq!(values(&answer), []);
    assert_eq!(listed(&service).await, []);
}

#[tokio::test]
async fn set_issue_field_values_200_in_place_of_the_others() {
    let service = start().await;
    give(&service, &[(5001, json!("One")), (5002, json!(1))])
        .await
        .expect(200);
    let body = given(&[(5003, json!("2026-01-01"))]);
    let answer = send(&service, "carol", Method::PUT, VALUES, body).await;
    assert_eq!(values(&answer.expect(200)), [(5003, json!("2026-01-01"))]);
    assert_eq!(listed(&service).await.len(), 1);
}

#[tokio::test]
async fn add_issue_field_values_422_tells_everything_that_is_wrong_and_changes_nothing() {
    let service = start().await;
    give(&service, &[(5001, json!("One"))]).await.expect(200);
    let wrong = [
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
    let answer = give(&service, &wrong).await.expect(422);
    let at = |index: usize, key| {
        let field = format!("issue_field_values[{index}].{key}");
        (field, "invalid".to_owned())
    };
    let mut expected: Vec<_> = (1..8).map(|index| at(index, "value")).collect();
    expected.extend([at(8, "field_id"), at(9, "field_id")]);
    assert_eq!(refused(&answer), expected);
    assert_eq!(listed(&service).await, [(5001, json!("One"))]);
}

#[tokio::test]
async fn add_issue_field_values_422_when_the_form_is_wrong() {
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
        give(&service, &[(5001, json!(text))]).await.expect(422);
    }
}

#[tokio::test]
async fn delete_issue_field_value_204_once_and_404_for_what_is_not_there() {
    let service = start().await;
    give(&service, &[(5001, json!("One")), (5005, json!(["Linux"]))])
        .await
        .expect(200);
    let path = format!("{VALUES}/5005");
    let carol = service.as_("carol");
    carol.delete(&path).await.expect(204);
    carol.delete(&path).await.expect(404);
    carol.delete(&format!("{VALUES}/4999")).await.expect(404);
    assert_eq!(listed(&service).await, [(5001, json!("One"))]);
}

#[tokio::test]
async fn values_go_with_their_field_and_with_their_option() {
    let service = start().await;
    let all = [
        (5001, json!("One")),
        (5004, json!("High")),
        (5005, json!(["Linux", "macOS"])),
    ];
    let answer = give(&service, &all).await.expect(200);
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
    assert_eq!(listed(&service).await, [(5005, json!("Mac"))]);
}

#[tokio::test]
async fn whoever_may_only_triage_reads_values_and_gives_none() {
    let service = start().await;
    give(&service, &[(5001, json!("One"))]).await.expect(200);
    let body = given(&[(5001, json!("Two"))]);
    for token in ["erin", "mallory"] {
        let caller = service.as_(token);
        assert_eq!(values(&caller.get(VALUES).await.expect(200)).len(), 1);
        caller.post(VALUES, body.clone()).await.expect(403);
        caller.delete(&format!("{VALUES}/5001")).await.expect(403);
    }
    service.anonymous().post(VALUES, body).await.expect(401);
    service.anonymous().get(VALUES).await.expect(200);
}

#[tokio::test]
async fn fields_of_members_alone_do_not_exist_for_others() {
    let settings = Settings {
        issue_field_visibility: true,
        ..Settings::default()
    };
    let service = Service::with(WORLD, settings).await;
    let both = given(&[(5001, json!("One")), (5002, json!(1))]);
    let bob = service.as_("alice");
    bob.post(VALUES, both.clone()).await.expect(200);
    // Carol may write, and is no member.
    let carol = service.as_("carol");
    let seen = values(&carol.get(VALUES).await.expect(200));
    assert_eq!(seen, [(5001, json!("One"))]);
    let answer = carol.post(VALUES, both).await.expect(422);
    let at = "issue_field_values[1].field_id".to_owned();
    assert_eq!(refused(&answer), [(at, "invalid".to_owned())]);
    carol.delete(&format!("{VALUES}/5002")).await.expect(404);
    let cleared = send(&service, "carol", Method::PUT, VALUES, given(&[])).await;
    assert_eq!(values(&cleared.expect(200)), []);
    assert_eq!(listed(&service).await, [(5002, json!(1))]);
    let installed = values(&service.as_("listener").get(VALUES).await.expect(200));
    assert_eq!(installed.len(), 1);
}

#[tokio::test]
async fn an_issue_with_values_is_newer_and_its_list_is_in_pages() {
    let service = start().await;
    let issue = opened(&service, "carol", json!({"title": "x"})).await;
    let path = format!("{ISSUES}/{}/issue-field-values", issue["number"]);
    service.clock.advance(60);
    let body = given(&[(5001, json!("One")), (5002, json!(1e300))]);
    let carol = service.as_("carol");
    carol.post(&path, body.clone()).await.expect(200);
    let now = crate::issues::issue(&service, issue["number"].as_i64().unwrap()).await;
    assert_ne!(now["updated_at"], issue["updated_at"]);
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
    let same = crate::issues::issue(&service, issue["number"].as_i64().unwrap()).await;
    assert_eq!(now["updated_at"], same["updated_at"]);
}
