//! Injected faults: which requests they apply to, and what clients get.

mod effects;
mod matching;

use poem::http::Method;
use serde_json::{Value, json};

use super::{expect_unknown_world, main_path, start};
use crate::harness::Service;

async fn create_fault(service: &Service, body: Value) -> Value {
    let answer = service.anonymous().post(&main_path("faults"), body).await;
    answer.expect(201).json()
}

#[tokio::test]
async fn create_fault_201_fills_in_the_defaults() {
    let service = start().await;
    let created = create_fault(&service, json!({"effect": "secondary_limit"})).await;
    let expected = json!({
        "id": 1, "operation": null, "method": null, "path": null, "caller": null,
        "probability": 1.0, "skip": 0, "times": null,
        "effect": "secondary_limit", "status": 403, "message": null,
        "retry_after": 60, "reset_after": null, "latency_ms": 0, "after": false,
        "matched": 0, "used": 0, "last_used_at": null, "created_at": "2026-03-10T09:30:00Z",
    });
    assert_eq!(created, expected);
    let body = json!({
        "operation": "create_ref", "method": "POST", "path": "/repos/**", "caller": "alice",
        "probability": 0.5, "skip": 1, "times": 2, "effect": "status", "status": 502,
        "message": "Oh no", "retry_after": 3, "latency_ms": 10, "after": true,
    });
    let created = create_fault(&service, body.clone()).await;
    for (name, value) in body.as_object().unwrap() {
        assert_eq!(&created[name], value, "{name}");
    }
    let limit = create_fault(&service, json!({"effect": "primary_limit", "status": 429})).await;
    assert_eq!(
        (&limit["status"], &limit["reset_after"]),
        (&json!(429), &json!(3600))
    );
    let malformed = create_fault(&service, json!({"effect": "malformed"})).await;
    assert_eq!(malformed["after"], true);
}

#[tokio::test]
async fn create_fault_400_and_404_for_an_invalid_body_and_an_unknown_world() {
    let service = start().await;
    let anonymous = service.anonymous();
    let path = main_path("faults");
    let cut = anonymous
        .send(Method::POST, &path, Some("{".to_owned()))
        .await;
    cut.expect(400);
    let path = "/_forgewright/worlds/nowhere/faults";
    expect_unknown_world(anonymous.post(path, json!({"effect": "drop"})).await);
}

#[tokio::test]
async fn create_fault_422_when_the_fault_is_invalid() {
    let service = start().await;
    let anonymous = service.anonymous();
    for (body, field) in [
        (json!({"effect": "status"}), "status"),
        (json!({"effect": "drop", "status": 502}), "status"),
        (
            json!({"effect": "secondary_limit", "status": 500}),
            "status",
        ),
        (json!({"effect": "drop", "message": "x"}), "message"),
        (
            json!({"effect": "primary_limit", "retry_after": 1}),
            "retry_after",
        ),
        (json!({"effect": "drop", "reset_after": 1}), "reset_after"),
        (json!({"effect": "latency"}), "latency_ms"),
        (json!({"effect": "truncate", "after": false}), "after"),
        (
            json!({"effect": "drop", "operation": "make_coffee"}),
            "operation",
        ),
    ] {
        let refused = anonymous.post(&main_path("faults"), body).await.expect(422);
        let expected = [(field.to_owned(), "custom".to_owned())];
        assert_eq!(refused.refusals("Fault"), expected);
    }
    for body in [
        json!({}),
        json!({"effect": "explode"}),
        json!({"effect": "status", "status": 200}),
        json!({"effect": "status", "status": 600}),
        json!({"effect": "drop", "probability": 0}),
        json!({"effect": "drop", "probability": 1.5}),
        json!({"effect": "drop", "times": 0}),
        json!({"effect": "drop", "skip": -1}),
        json!({"effect": "latency", "latency_ms": 60_001}),
        json!({"effect": "drop", "method": "BREW"}),
        json!({"effect": "drop", "path": ""}),
        json!({"effect": "drop", "when": "always"}),
    ] {
        let sent = body.to_string();
        let refused = anonymous.post(&main_path("faults"), body).await;
        assert_eq!(refused.status.as_u16(), 422, "{sent}: {}", refused.text);
    }
    let all = anonymous.get(&main_path("faults")).await.expect(200);
    assert_eq!(all.json(), json!([]));
}

#[tokio::test]
async fn create_fault_422_when_there_are_a_hundred() {
    let service = start().await;
    for _ in 0..100 {
        create_fault(
            &service,
            json!({"effect": "drop", "operation": "create_ref"}),
        )
        .await;
    }
    let answer = service
        .anonymous()
        .post(&main_path("faults"), json!({"effect": "drop"}))
        .await;
    let refused = answer.expect(422);
    assert_eq!(refused.message(), "A world has at most 100 faults");
}

#[tokio::test]
async fn list_faults_200_in_order_of_creation() {
    let service = start().await;
    for caller in ["alice", "bob"] {
        create_fault(&service, json!({"effect": "drop", "caller": caller})).await;
    }
    let all = service
        .anonymous()
        .get(&main_path("faults"))
        .await
        .expect(200)
        .json();
    assert_eq!(
        (&all[0]["caller"], &all[1]["caller"]),
        (&json!("alice"), &json!("bob"))
    );
}

#[tokio::test]
async fn list_faults_404_for_an_unknown_world() {
    let service = start().await;
    let path = "/_forgewright/worlds/nowhere/faults";
    expect_unknown_world(service.anonymous().get(path).await);
}

#[tokio::test]
async fn get_fault_200_and_404() {
    let service = start().await;
    let created = create_fault(&service, json!({"effect": "drop"})).await;
    let anonymous = service.anonymous();
    let shown = anonymous
        .get(&main_path("faults/1"))
        .await
        .expect(200)
        .json();
    assert_eq!(shown, created);
    anonymous.get(&main_path("faults/2")).await.expect(404);
    anonymous.get(&main_path("faults/x")).await.expect(404);
}

#[tokio::test]
async fn delete_fault_204_and_404() {
    let service = start().await;
    for _ in 0..2 {
        create_fault(&service, json!({"effect": "status", "status": 502})).await;
    }
    let anonymous = service.anonymous();
    anonymous.delete(&main_path("faults/1")).await.expect(204);
    anonymous.delete(&main_path("faults/1")).await.expect(404);
    let remaining = anonymous.get(&main_path("faults")).await.json();
    assert_eq!(remaining.as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn delete_faults_204_and_404() {
    let service = start().await;
    for _ in 0..2 {
        create_fault(&service, json!({"effect": "status", "status": 502})).await;
    }
    let anonymous = service.anonymous();
    anonymous.delete(&main_path("faults")).await.expect(204);
    anonymous.get("/user").await.expect(401);
    assert_eq!(anonymous.get(&main_path("faults")).await.json(), json!([]));
    let path = "/_forgewright/worlds/nowhere/faults";
    expect_unknown_world(anonymous.delete(path).await);
}
