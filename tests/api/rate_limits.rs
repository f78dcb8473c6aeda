//! The hourly budget.

use forgewright::app::Settings;
use forgewright::limits::Budgets;

use crate::harness::{Service, WORLD};

async fn limited(anonymous: u64, user: u64) -> Service {
    let budgets = Budgets {
        anonymous,
        user,
        installation: 5000,
    };
    let settings = Settings {
        budgets: Some(budgets),
        ..Settings::default()
    };
    Service::with(WORLD, settings).await
}

#[tokio::test]
async fn the_budget_is_told_with_every_answer_and_runs_out() {
    let service = limited(2, 5000).await;
    let caller = service.anonymous();
    let first = caller.get("/versions").await.expect(200);
    assert_eq!(first.header("x-ratelimit-limit"), Some("2"));
    assert_eq!(first.header("x-ratelimit-remaining"), Some("1"));
    assert_eq!(first.header("x-ratelimit-used"), Some("1"));
    assert_eq!(first.header("x-ratelimit-resource"), Some("core"));
    assert_eq!(first.header("x-ratelimit-reset"), Some("1773138600"));
    caller.get("/nowhere").await.expect(404);
    service.clock.advance(600);
    let refused = caller.get("/versions").await.expect(403);
    assert!(
        refused
            .message()
            .starts_with("API rate limit exceeded for ")
    );
    assert_eq!(refused.header("x-ratelimit-remaining"), Some("0"));
    assert_eq!(refused.header("x-ratelimit-reset"), Some("1773138600"));
    assert_eq!(refused.header("retry-after"), None);
    service.clock.advance(3000);
    caller.get("/versions").await.expect(200);
}

#[tokio::test]
async fn tokens_of_one_user_share_a_budget() {
    let service = limited(60, 2).await;
    service
        .as_("alice-classic")
        .get("/versions")
        .await
        .expect(200);
    service.as_("alice-fine").get("/versions").await.expect(200);
    let refused = service
        .as_("alice-classic")
        .get("/versions")
        .await
        .expect(403);
    assert_eq!(
        refused.message(),
        "API rate limit exceeded for user ID 1001."
    );
    service
        .as_("bob-classic")
        .get("/versions")
        .await
        .expect(200);
}

#[tokio::test]
async fn get_rate_limit_200_without_counting() {
    let service = limited(60, 100).await;
    let alice = service.as_("alice-classic");
    alice.get("/versions").await.expect(200);
    for _ in 0..3 {
        let answer = alice.get("/rate_limit").await.expect(200);
        let core = &answer.json()["resources"]["core"];
        assert_eq!(
            (core["limit"].as_u64(), core["used"].as_u64()),
            (Some(100), Some(1))
        );
        assert_eq!(answer.json()["rate"], *core);
    }
    let newest = alice.clone().header("X-GitHub-Api-Version", "2026-03-10");
    assert!(
        newest
            .get("/rate_limit")
            .await
            .expect(200)
            .json()
            .get("rate")
            .is_none()
    );
}

#[tokio::test]
async fn get_rate_limit_404_without_limits() {
    let service = Service::start().await;
    let answer = service.anonymous().get("/rate_limit").await.expect(404);
    assert_eq!(answer.header("x-ratelimit-limit"), None);
}

#[tokio::test]
async fn a_304_is_free_for_those_who_say_who_they_are() {
    let service = limited(60, 100).await;
    for (caller, used) in [
        (service.as_("alice-classic"), "1"),
        (service.anonymous(), "2"),
    ] {
        let tag = caller
            .get("/versions")
            .await
            .header("etag")
            .unwrap()
            .to_owned();
        let again = caller
            .clone()
            .header("If-None-Match", tag)
            .get("/versions")
            .await
            .expect(304);
        assert_eq!(again.header("x-ratelimit-used"), Some(used));
    }
}
