//! The hourly rate limits.

use forge::app::Settings;
use storage::limits::Budgets;

use crate::harness::{Service, WORLD};

async fn limited(anonymous: u64, user: u64) -> Service {
    let budgets = Budgets {
        anonymous,
        user,
        ..Budgets::default()
    };
    let settings = Settings {
        budgets: Some(budgets),
        ..Settings::default()
    };
    Service::with(WORLD, settings).await
}

#[tokio::test]
async fn every_response_reports_the_rate_limit_until_it_is_exceeded() {
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
    assert_eq!(
        refused.message(),
        "API rate limit exceeded for this address. (But here's the good news: Authenticated \
         requests get a higher rate limit. Check out the documentation for more details.)"
    );
    assert_eq!(refused.header("x-ratelimit-remaining"), Some("0"));
    assert_eq!(refused.header("x-ratelimit-reset"), Some("1773138600"));
    assert_eq!(refused.header("retry-after"), None);
    service.clock.advance(3000);
    caller.get("/versions").await.expect(200);
}

#[tokio::test]
async fn tokens_of_one_user_share_a_rate_limit() {
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
async fn get_rate_limit_200_without_counting_the_request() {
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
async fn a_304_is_free_for_authenticated_callers() {
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

/// Such a 304 does not prove that the caller has read the response before.
#[tokio::test]
async fn a_304_for_a_wildcard_or_a_future_date_costs_a_request() {
    let service = limited(60, 100).await;
    let alice = service.as_("alice-classic");
    let path = "/orgs/acme/projectsV2/1";
    // `Last-Modified` is omitted for the current second.
    service.clock.advance(1);
    let first = alice.get(path).await.expect(200);
    let modified = first.header("last-modified").unwrap();
    for (used, name, value) in [
        ("2", "If-None-Match", "*"),
        ("3", "If-None-Match", "\"other\", *"),
        ("4", "If-Modified-Since", "Fri, 31 Dec 9999 23:59:59 GMT"),
        ("4", "If-Modified-Since", modified),
        ("4", "If-None-Match", first.header("etag").unwrap()),
    ] {
        let again = alice.clone().header(name, value).get(path).await;
        let again = again.expect(304);
        assert_eq!(again.header("x-ratelimit-used"), Some(used), "{value}");
    }
}

#[tokio::test]
async fn an_invalid_credential_counts_against_its_ip_address() {
    let service = limited(3, 5000).await;
    for (used, credential) in [("1", "Bearer nobody"), ("2", "Basic eDp5")] {
        let caller = service.anonymous().header("Authorization", credential);
        let refused = caller.get("/versions").await.expect(401);
        assert_eq!(refused.header("x-ratelimit-limit"), Some("3"));
        assert_eq!(refused.header("x-ratelimit-used"), Some(used));
    }
    service.anonymous().get("/versions").await.expect(200);
    service.anonymous().get("/versions").await.expect(403);
    let refused = service.as_("nobody").get("/versions").await.expect(401);
    assert_eq!(refused.header("x-ratelimit-remaining"), Some("0"));
    let alice = service.as_("alice-classic");
    let answer = alice.get("/versions").await.expect(200);
    assert_eq!(answer.header("x-ratelimit-used"), Some("1"));
}

#[tokio::test]
async fn too_many_failed_logins_are_403_for_an_hour_except_with_a_valid_token() {
    let budgets = Budgets {
        failed_logins: 2,
        ..Budgets::default()
    };
    let settings = Settings {
        budgets: Some(budgets),
        ..Settings::default()
    };
    let service = Service::with(WORLD, settings).await;
    let nobody = service.as_("nobody");
    nobody.get("/versions").await.expect(401);
    let forged = service.as_("eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOjF9.AAAA");
    forged.get("/app").await.expect(401);
    for path in ["/versions", "/app", "/repos/acme/gadgets", "/nowhere"] {
        for caller in [&nobody, &forged] {
            let refused = caller.get(path).await.expect(403);
            assert_eq!(
                refused.message(),
                "Maximum number of login attempts exceeded. Please try again later."
            );
            assert_eq!(
                refused.json()["documentation_url"],
                "https://docs.github.com/rest"
            );
            // Clients would take either header for a rate limit, and wait until it resets.
            assert_eq!(refused.header("retry-after"), None);
            assert_eq!(refused.header("x-ratelimit-remaining"), None);
        }
    }
    let alice = service.as_("alice-classic");
    alice.get("/versions").await.expect(200);
    service.anonymous().get("/versions").await.expect(200);
    service.clock.advance(3600);
    nobody.get("/versions").await.expect(401);
}
