//! Which requests meet a fault, and how often.

use poem::http::Method;
use serde_json::{Value, json};

use super::make;
use crate::control::{main, start};
use crate::harness::{Service, Speaker};

/// The status of a request; 418 if it met the fault of the test.
async fn status(caller: &Speaker<'_>, method: Method, path: &str) -> u16 {
    let body = (method != Method::GET).then(|| "{}".to_owned());
    caller.send(method, path, body).await.status.as_u16()
}

/// A rule for some requests, which get a status that the server itself never sends.
async fn rule(service: &Service, condition: Value) {
    service
        .anonymous()
        .delete(&main("faults"))
        .await
        .expect(204);
    let mut body = json!({"effect": "status", "status": 418});
    let fields = body.as_object_mut().unwrap();
    fields.extend(condition.as_object().unwrap().clone());
    make(service, body).await;
}

#[tokio::test]
async fn a_fault_meets_the_requests_that_fit_and_no_others() {
    let service = start().await.undocumented();
    let (alice, bob) = (service.as_("alice-classic"), service.as_("bob-classic"));
    let app = service.as_("ci-bot-installation");
    let (anybody, stranger) = (service.anonymous(), service.as_("unknown"));
    let gadgets = "/repos/acme/gadgets";
    let get = Method::GET;
    for (condition, meets, spared) in [
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
                (&anybody, &get, "/repos/acme/gadgets/pulls"),
                (&anybody, &get, "/api/v3/repos/acme/gadgets/pulls"),
            ],
            vec![
                (&anybody, &get, "/repos/acme/widgets/pulls"),
                (&anybody, &get, gadgets),
            ],
        ),
        (
            json!({"caller": "Alice"}),
            vec![(&alice, &get, "/user")],
            vec![
                (&bob, &get, "/user"),
                (&anybody, &get, "/user"),
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
            vec![(&anybody, &get, gadgets)],
            vec![(&alice, &get, gadgets)],
        ),
        (
            json!({}),
            vec![(&stranger, &get, "/nowhere"), (&alice, &get, "/")],
            vec![],
        ),
    ] {
        rule(&service, condition.clone()).await;
        for (caller, method, path) in meets {
            let status = status(caller, method.clone(), path).await;
            assert_eq!(status, 418, "{condition} {method} {path}");
        }
        for (caller, method, path) in spared {
            let status = status(caller, method.clone(), path).await;
            assert_ne!(status, 418, "{condition} {method} {path}");
        }
    }
}

#[tokio::test]
async fn a_fault_is_used_as_often_as_it_says_and_counts() {
    let service = start().await.undocumented();
    rule(
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
    let rules = service.anonymous().get(&main("faults")).await.json();
    assert_eq!(
        (&rules[0]["matched"], &rules[0]["used"]),
        (&json!(4), &json!(2))
    );
    assert_eq!(rules[0]["last_used_at"], "2026-03-10T09:30:00Z");
}

#[tokio::test]
async fn a_fault_is_used_as_likely_as_it_says() {
    let service = start().await.undocumented();
    rule(&service, json!({"probability": 0.25})).await;
    let mut met = 0;
    for _ in 0..400 {
        let status = status(&service.anonymous(), Method::GET, "/versions").await;
        met += usize::from(status == 418);
    }
    assert!((70..130).contains(&met), "{met} of 400");
}

#[tokio::test]
async fn the_control_api_and_the_documents_meet_no_fault() {
    let service = start().await.undocumented();
    rule(&service, json!({})).await;
    let anybody = service.anonymous();
    for path in ["/_forgewright/worlds", "/openapi/control.json", "/healthz"] {
        assert_eq!(status(&anybody, Method::GET, path).await, 200, "{path}");
    }
}
