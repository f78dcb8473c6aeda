//! The clock of a world, and everything that depends on it.

use std::time::Duration;

use forge::app::Settings;
use forge::webhooks::Dispatcher;
use serde_json::{Value, json};
use storage::limits::Budgets;

use super::{expect_unknown_world, main_path, start, with};
use crate::harness::{START, Service, WORLD};

async fn set_clock(service: &Service, body: Value) -> Value {
    let answer = service.anonymous().patch(&main_path("clock"), body).await;
    answer.expect(200).json()
}

#[tokio::test]
async fn get_clock_200_shows_the_system_time_until_it_is_changed() {
    let service = start().await;
    let clock = service
        .anonymous()
        .get(&main_path("clock"))
        .await
        .expect(200);
    let expected = json!({"now": START, "frozen": false, "offset": 0});
    assert_eq!(clock.json(), expected);
    service.clock.advance(1);
    let clock = service.anonymous().get(&main_path("clock")).await.json();
    assert_eq!(clock["now"], "2026-03-10T09:30:01Z");
}

#[tokio::test]
async fn get_clock_404_for_an_unknown_world() {
    let service = start().await;
    let path = "/_forgewright/worlds/nowhere/clock";
    expect_unknown_world(service.anonymous().get(path).await);
}

#[tokio::test]
async fn update_clock_200_freezes_sets_and_moves_the_time() {
    let service = start().await;
    let frozen = set_clock(&service, json!({"frozen": true})).await;
    assert_eq!(frozen, json!({"now": START, "frozen": true, "offset": 0}));
    service.clock.advance(10);
    let moved = set_clock(&service, json!({"advance": 3600})).await;
    let expected = json!({"now": "2026-03-10T10:30:00Z", "frozen": true, "offset": 3590});
    assert_eq!(moved, expected);
    let set = set_clock(
        &service,
        json!({"now": "2030-01-01T00:00:00+01:00", "frozen": false}),
    )
    .await;
    assert_eq!(set["now"], "2029-12-31T23:00:00Z");
    service.clock.advance(5);
    let same = set_clock(&service, json!({})).await;
    assert_eq!(same["now"], "2029-12-31T23:00:05Z");
    let back = set_clock(&service, json!({"advance": -5})).await;
    assert_eq!(back["now"], "2029-12-31T23:00:00Z");
}

#[tokio::test]
async fn update_clock_404_for_an_unknown_world() {
    let service = start().await;
    let path = "/_forgewright/worlds/nowhere/clock";
    expect_unknown_world(service.anonymous().patch(path, json!({})).await);
}

#[tokio::test]
async fn update_clock_400_when_the_body_is_not_json() {
    let service = start().await;
    let method = poem::http::Method::PATCH;
    let answer = service
        .anonymous()
        .send(method, &main_path("clock"), Some("{".into()))
        .await;
    answer.expect(400);
}

#[tokio::test]
async fn update_clock_422_when_the_time_is_invalid_or_out_of_range() {
    let service = start().await;
    let refused = async |body: Value| {
        let answer = service.anonymous().patch(&main_path("clock"), body).await;
        answer.expect(422)
    };
    for (body, field) in [
        (json!({"now": "1969-12-31T23:59:59Z"}), "now"),
        (json!({"advance": i64::MAX}), "advance"),
        (json!({"advance": -99_999_999_999_i64}), "advance"),
        (json!({"now": START, "advance": 1}), "advance"),
    ] {
        let errors = refused(body).await.refusals("Clock");
        assert_eq!(errors, [(field.to_owned(), "custom".to_owned())]);
    }
    for body in [
        json!({"now": "tomorrow"}),
        json!({"advance": "1h"}),
        json!({"frozen": null}),
        json!({"freeze": true}),
    ] {
        refused(body).await.message();
    }
    let clock = service.anonymous().get(&main_path("clock")).await.json();
    assert_eq!(clock["now"], START);
}

#[tokio::test]
async fn release_clock_200_returns_to_the_system_time() {
    let service = start().await;
    set_clock(&service, json!({"frozen": true, "advance": 86_400})).await;
    service.clock.advance(2);
    let answer = service
        .anonymous()
        .delete(&main_path("clock"))
        .await
        .expect(200);
    let expected = json!({"now": "2026-03-10T09:30:02Z", "frozen": false, "offset": 0});
    assert_eq!(answer.json(), expected);
}

#[tokio::test]
async fn release_clock_404_for_an_unknown_world() {
    let service = start().await;
    let path = "/_forgewright/worlds/nowhere/clock";
    expect_unknown_world(service.anonymous().delete(path).await);
}

#[tokio::test]
async fn tokens_expire_with_the_clock_and_not_before() {
    let service = start().await;
    let app = service.as_("ci-bot-installation");
    let path = "/installation/repositories";
    app.get(path).await.expect(200);
    set_clock(&service, json!({"advance": 3599})).await;
    app.get(path).await.expect(200);
    set_clock(&service, json!({"advance": 1})).await;
    app.get(path).await.expect(401);
    set_clock(&service, json!({"advance": -1})).await;
    app.get(path).await.expect(200);
}

#[tokio::test]
async fn rate_limits_and_the_date_header_follow_the_clock() {
    let settings = Settings {
        budgets: Some(Budgets {
            user: 2,
            ..Budgets::default()
        }),
        ..Settings::default()
    };
    let service = with(WORLD, settings).await;
    let alice = service.as_("alice-classic");
    let first = alice.get("/user").await.expect(200);
    assert_eq!(first.header("date"), Some("Tue, 10 Mar 2026 09:30:00 GMT"));
    let reset: i64 = first.header("x-ratelimit-reset").unwrap().parse().unwrap();
    alice.get("/user").await.expect(200);
    alice.get("/user").await.expect(403);
    set_clock(&service, json!({"advance": 3600})).await;
    let fresh = alice.get("/user").await.expect(200);
    assert_eq!(fresh.header("date"), Some("Tue, 10 Mar 2026 10:30:00 GMT"));
    assert_eq!(fresh.header("x-ratelimit-remaining"), Some("1"));
    let later = (reset + 3600).to_string();
    assert_eq!(fresh.header("x-ratelimit-reset"), Some(later.as_str()));
    alice.get("/user").await.expect(200);
    alice.get("/user").await.expect(403);
    set_clock(&service, json!({"now": "2020-01-01T00:00:00Z"})).await;
    let past = alice.get("/user").await.expect(200);
    assert_eq!(past.header("x-ratelimit-reset"), Some("1577840400"));
}

#[tokio::test]
async fn iterations_and_creation_times_follow_the_clock() {
    let service = start().await;
    set_clock(&service, json!({"advance": 60, "frozen": true})).await;
    let body = json!({"name": "Sprint", "data_type": "iteration", "iteration_configuration": {
        "start_date": "2026-03-10", "duration": 7,
    }});
    let alice = service.as_("alice-classic");
    let answer = alice.post("/orgs/acme/projectsV2/1/fields", body).await;
    let field = answer.expect(201).json();
    assert_eq!(field["created_at"], "2026-03-10T09:31:00Z", "{field}");
    let path = format!("/orgs/acme/projectsV2/1/fields/{}", field["id"]);
    let completed = async || {
        let field = alice.get(&path).await.expect(200).json();
        let iterations = field["configuration"]["iterations"].as_array().unwrap();
        let completed = iterations
            .iter()
            .filter(|iteration| iteration["completed"] == true);
        completed.count()
    };
    assert_eq!(completed().await, 0);
    set_clock(&service, json!({"now": "2026-03-16T23:59:59Z"})).await;
    assert_eq!(completed().await, 0);
    set_clock(&service, json!({"advance": 1})).await;
    assert_eq!(completed().await, 1);
}

/// On its own, the dispatcher looks for due deliveries every five seconds.
#[tokio::test]
async fn a_delivery_that_becomes_due_by_a_clock_change_is_sent_at_once() {
    let settings = Settings {
        webhook_retries: 1,
        ..Settings::default()
    };
    // Nothing listens there, so every attempt fails.
    let service = super::deliveries::start_with_webhook("http://127.0.0.1:9/hook", settings).await;
    super::deliveries::create_branch(&service).await;
    let dispatcher = Dispatcher::new(service.app.clone());
    assert_eq!(dispatcher.round().await.unwrap().failed, 2);
    let path = main_path("deliveries?event=push&status=pending");
    let pending = service.anonymous().get(&path).await.expect(200).json();
    assert_eq!(
        pending[0]["next_attempt_at"], "2026-03-10T09:30:10Z",
        "{pending}"
    );
    assert_eq!(pending[0]["attempt"], 2);
    let is_woken = async || {
        let waiting = tokio::time::timeout(Duration::ZERO, service.app.outbox.wait());
        waiting.await.is_ok()
    };
    // The new branch may have woken it.
    is_woken().await;
    assert!(!is_woken().await);
    set_clock(&service, json!({"advance": 10})).await;
    assert!(is_woken().await);
    assert_eq!(dispatcher.round().await.unwrap().failed, 2);
    let path = main_path("deliveries?event=push&status=failed");
    let failed = service.anonymous().get(&path).await.expect(200).json();
    let mut second = failed.as_array().unwrap().iter();
    let second = second.find(|row| row["id"] == pending[0]["id"]);
    assert_eq!(second.unwrap()["delivered_at"], "2026-03-10T09:30:10Z");
}
