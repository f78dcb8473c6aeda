//! Setting values, archiving and restoring.

use serde_json::{Value, json};

use super::{CHORES, ITEMS, choice_id, errors, list_ids, start};

fn set(id: i64, value: impl Into<Value>) -> Value {
    json!({"fields": [{"id": id, "value": value.into()}]})
}

#[tokio::test]
async fn update_org_project_item_200_with_every_type_of_value() {
    let service = start().await;
    let alice = service.as_("alice");
    let path = format!("{ITEMS}/5502");
    let option = choice_id(&service, 5001, 1).await;
    let iteration = choice_id(&service, 5005, 2).await;
    let body = json!({"fields": [
        {"id": 5001, "value": option},
        {"id": 5002, "value": "With `code`"},
        {"id": 5003, "value": 42.5},
        {"id": 5004, "value": "2026-04-01"},
        {"id": 5005, "value": iteration},
    ]});
    let item = alice.patch(&path, body).await.expect(200).json();
    let values: Vec<&Value> = (0..5)
        .map(|index| &item["fields"][index]["value"])
        .collect();
    assert_eq!(values[0]["name"]["raw"], "In progress");
    assert_eq!(values[1]["html"], "With <code>code</code>");
    assert_eq!(values[2], 42.5);
    assert_eq!(values[3], "2026-04-01");
    assert_eq!(values[4]["title"]["raw"], "Iteration 3");
    let item = alice.patch(&path, set(5003, Value::Null)).await.expect(200);
    assert_eq!(item.json()["fields"][0]["value"], Value::Null);
    let item = alice.patch(&path, set(5002, "")).await.expect(200);
    assert_eq!(item.json()["fields"][0]["value"], Value::Null);
}

#[tokio::test]
async fn update_org_project_item_200_sets_the_value_of_the_issue() {
    let service = start().await;
    let alice = service.as_("alice");
    let low = choice_id(&service, 5006, 1).await;
    let path = format!("{ITEMS}/5501");
    let item = alice.patch(&path, set(5006, low)).await.expect(200).json();
    assert_eq!(item["fields"][0]["value"]["name"]["raw"], "Low");
    let field_values = "/repos/acme/gadgets/issues/3/issue-field-values";
    let field_values = alice.get(field_values).await.expect(200).json();
    assert_eq!(field_values[0]["single_select_option"]["name"], "Low");
    alice.patch(&path, set(5006, Value::Null)).await.expect(200);
    assert_eq!(list_ids(&service, "?q=priority:low").await, [0_i64; 0]);
    let draft = format!("{ITEMS}/5502");
    alice
        .patch(&draft, set(5006, Value::Null))
        .await
        .expect(422);
}

#[tokio::test]
async fn update_org_project_item_403_when_the_issue_may_not_be_changed() {
    let service = start().await;
    let low = choice_id(&service, 5006, 1).await;
    let path = format!("{ITEMS}/5501");
    let token = service.as_("alice-projects");
    token.patch(&path, set(5006, low.clone())).await.expect(403);
    token.patch(&path, set(5002, "Mine")).await.expect(200);
    let (issue, pull) = (path, format!("{ITEMS}/5503"));
    for (token, allowed, refused) in [
        ("alice-issues", &issue, &pull),
        ("alice-pulls", &pull, &issue),
    ] {
        let token = service.as_(token);
        let value = set(5006, low.clone());
        token.patch(allowed, value.clone()).await.expect(200);
        token.patch(refused, value).await.expect(403);
    }
}

#[tokio::test]
async fn update_org_project_item_422_and_changes_nothing() {
    let service = start().await;
    let alice = service.as_("alice");
    let path = format!("{ITEMS}/5501");
    let all = format!("{path}?fields=5001,5002,5003,5004,5005");
    let before = alice.get(&all).await.expect(200).json();
    for (id, value) in [
        (5001, json!("00000000")),
        (5001, json!(1)),
        (5002, json!(1)),
        (5002, json!("x".repeat(1025))),
        (5003, json!("3")),
        (5004, json!("2026-02-30")),
        (5004, json!(20)),
        (5005, json!("Iteration 1")),
        (5006, json!("High")),
        (5007, json!(" ")),
    ] {
        let body = json!({"fields": [
            {"id": 5002, "value": "New"},
            {"id": id, "value": value},
        ]});
        let body = match id {
            5002 => json!({"fields": [{"id": 5003, "value": 1}, {"id": id, "value": value}]}),
            _ => body,
        };
        let answer = alice.patch(&path, body).await.expect(422);
        assert_eq!(errors(&answer)[0].0, "fields[1].value", "{id} {value}");
    }
    for body in [
        json!({}),
        json!({"fields": {}}),
        json!({"fields": [{"id": 5002}]}),
        json!({"fields": [{"id": 5002, "value": []}]}),
        json!({"fields": [{"id": 5008, "value": "x"}]}),
        json!({"fields": [{"id": 0, "value": "x"}]}),
        json!({"fields": [{"id": 5002, "value": "a"}, {"id": 5002, "value": "b"}]}),
        json!({"archived": "yes"}),
    ] {
        let answer = alice.patch(&path, body.clone()).await;
        assert_eq!(answer.status, 422, "{body}: {}", answer.text);
    }
    assert_eq!(alice.get(&all).await.expect(200).json(), before);
}

#[tokio::test]
async fn update_org_project_item_200_archives_and_restores() {
    let service = start().await;
    let alice = service.as_("alice");
    let path = format!("{ITEMS}/5501");
    let item = alice.patch(&path, json!({"archived": true})).await;
    let item = item.expect(200).json();
    assert!(item["archived_at"].is_string());
    assert_eq!(item["fields"][0]["data_type"], "title");
    assert_eq!(list_ids(&service, "").await, [5502, 5503, 5504]);
    assert_eq!(list_ids(&service, "?q=is:archived").await, [5501, 5505]);
    let item = alice.patch(&path, json!({"archived": false})).await;
    assert_eq!(item.expect(200).json()["archived_at"], Value::Null);
    assert_eq!(list_ids(&service, "").await, [5501, 5502, 5503, 5504]);
}

#[tokio::test]
async fn update_user_project_item_200_and_422_for_a_valid_and_an_invalid_value() {
    let service = start().await;
    let alice = service.as_("alice");
    let path = format!("{CHORES}/5701");
    let item = alice.patch(&path, set(5008, "2026-05-01")).await;
    assert_eq!(item.expect(200).json()["fields"][0]["value"], "2026-05-01");
    alice.patch(&path, set(5008, "soon")).await.expect(422);
}

#[tokio::test]
async fn deleting_an_option_or_a_field_deletes_its_values() {
    let service = start().await;
    let sql = "DELETE FROM project_field_option WHERE name = 'In progress'";
    service.execute(sql).await;
    let path = format!("{ITEMS}/5501?fields=5001");
    let item = service.as_("alice").get(&path).await.expect(200).json();
    assert_eq!(item["fields"][0]["value"], Value::Null);
    service
        .execute("DELETE FROM project_field WHERE id = 5001")
        .await;
    service.as_("alice").get(&path).await.expect(422);
}
