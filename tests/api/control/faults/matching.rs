//! Which requests a fault applies to, and how often.

use poem::http::Method;
use serde_json::{Value, json};

use super::create_fault;
use crate::control::{main_path, start};
use crate::harness::{Client, Service};

/// The status of a request; 418 if the fault of the test applied to it.
async fn status(caller: &Client<'_>, method: Method, path: &str) -> u16 {
    let body = (method != Method::GET).then(|| "{}".to_owned());
    caller.send(method, path, body).await.status.as_u16()
}

/// Replaces all faults by one with this condition. Its status is one that the server itself
/// never sends.
async fn set_fault(service: &Service, condition: Value) {
    service
        .anonymous()
        .delete(&main_path("faults"))
        .await
        .expect(204);
    let mut body = json!({"effect": "status", "status": 418});
    let fields = body.as_object_mut().unwrap();
    fields.extend(condition.as_object().unwrap().clone());
    create_fault(service, body).await;
}

#[tokio::test]
async fn a_fault_applies_only_to_matching_requests() {
    let service = start().await.undocumented();
    let (alice, bob) = (service.as_("alice-classic"), service.as_("bob-classic"));
    let app = service.as_("ci-bot-installation");
    let (anonymous, stranger) = (service.anonymous(), service.as_("unknown"));
    let gadgets = "/repos/acme/gadgets";
    let get = Method::GET;
    for (condition, matching, others) in [
        (
            json!({"operation": "get_repository"}),
            vec![(&alice, &get, gadgets), (&stranger, &get, gadgets)],
            vec![
                (&alice, &get, "/user"),
                (&alice, &get, "/repos/acme/gadgets/pulls"),
            ],
        ),
        (
            json!({"operation": "get_ref"}),
            vec![(&alice, &get, "/api/v3/repos/acme/gadgets/git/ref/heads/a/b")],
            vec![(
                &alice,
                &get,
                "/repos/acme/gadgets/git/matching-refs/heads/a",
            )],
        ),
        (
            json!({"operation": "update_ref"}),
            vec![(
                &alice,
                &Method::POST,
                "/repos/acme/gadgets/git/refs/heads/a",
            )],
            vec![(&alice, &Method::POST, "/repos/acme/gadgets/git/refs")],
        ),
        (
            json!({"method": "POST"}),
            vec![(&alice, &Method::POST, "/user")],
            vec![(&alice, &get, "/user")],
        ),
        (
            json!({"path": "/repos/*/gadgets/**"}),
            vec![
                (&anonymous, &get, "/repos/acme/gadgets/pulls"),
                (&anonymous, &get, "/api/v3/repos/acme/gadgets/pulls"),
            ],
            vec![
                (&anonymous, &get, "/repos/acme/widgets/pulls"),
                (&anonymous, &get, gadgets),
            ],
        ),
        (
            json!({"caller": "Alice"}),
            vec![(&alice, &get, "/user")],
            vec![
                (&bob, &get, "/user"),
                (&anonymous, &get, "/user"),
                (&stranger, &get, "/user"),
            ],
        ),
        (
            json!({"caller": "ci-bot"}),
            vec![(&app, &get, "/user")],
            vec![(&alice, &get, "/user")],
        ),
        (
            json!({"caller": "anonymous"}),
            vec![(&anonymous, &get, gadgets)],
            vec![(&alice, &get, gadgets)],
        ),
        (
            json!({}),
            vec![(&stranger, &get, "/nowhere"), (&alice, &get, "/")],
            vec![],
        ),
    ] {
        set_fault(&service, condition.clone()).await;
        for (caller, method, path) in matching {
            let status = status(caller, method.clone(), path).await;
            assert_eq!(status, 418, "{condition} {method} {path}");
        }
        for (caller, method, path) in others {
            let status = status(caller, method.clone(), path).await;
            assert_ne!(status, 418, "{condition} {method} {path}");
        }
    }
}

#[tokio::test]
async fn a_fault_applies_as_often_as_configured_and_counts() {
    let service = start().await.undocumented();
    set_fault(
        &service,
        json!({"skip": 1, "times": 2, "operation": "get_authenticated_user"}),
    )
    .await;
    let alice = service.as_("alice-classic");
    let mut seen = Vec::new();
    for _ in 0..4 {
        seen.push(status(&alice, Method::GET, "/user").await);
    }
    assert_eq!(seen, [200, 418, 418, 200]);
    service.clock.advance(60);
    let faults = service.anonymous().get(&main_path("faults")).await.json();
    assert_eq!(
        (&faults[0]["matched"], &faults[0]["used"]),
        (&json!(4), &json!(2))
    );
    assert_eq!(faults[0]["last_used_at"], "2026-03-10T09:30:00Z");
}

#[tokio::test]
async fn a_fault_applies_with_its_probability() {
    let service = start().await.undocumented();
    set_fault(&service, json!({"probability": 0.25})).await;
    let mut applied = 0;
    for _ in 0..400 {
        let status = status(&service.anonymous(), Method::GET, "/versions").await;
        applied += usize::from(status == 418);
    }
    assert!((70..130).contains(&applied), "{applied} of 400");
}

#[tokio::test]
async fn no_fault_applies_to_the_control_api_and_the_documents() {
    let service = start().await.undocumented();
    set_fault(&service, json!({})).await;
    let anonymous = service.anonymous();
    for path in ["/_forgewright/worlds", "/openapi/control.json", "/healthz"] {
        assert_eq!(status(&anonymous, Method::GET, path).await, 200, "{path}");
    }
}
