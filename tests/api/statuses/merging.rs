//! The effect of statuses on the pull request of their commit.

use serde_json::json;

use super::{GADGETS, get, report, sha, start};
use crate::harness::Service;

async fn mergeable_state(service: &Service) -> String {
    let pull = get(service, "pulls/1").await.expect(200).json();
    assert_eq!(pull["mergeable"], true);
    pull["mergeable_state"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn get_pull_200_is_unstable_until_the_statuses_of_its_head_succeed() {
    let service = start().await;
    let [main, head] = [
        sha(&service, "main").await,
        sha(&service, "feature/a").await,
    ];
    assert_eq!(mergeable_state(&service).await, "clean");
    report(&service, &main, "failure", "ci").await;
    assert_eq!(mergeable_state(&service).await, "clean");
    for (state, expected) in [
        ("pending", "unstable"),
        ("error", "unstable"),
        ("success", "clean"),
        ("failure", "unstable"),
    ] {
        report(&service, &head, state, "ci").await;
        assert_eq!(mergeable_state(&service).await, expected, "{state}");
    }
    // The new head has no statuses yet.
    let later = sha(&service, "later").await;
    let path = format!("{GADGETS}/git/refs/heads/feature/a");
    let alice = service.as_("alice");
    alice.patch(&path, json!({"sha": later})).await.expect(200);
    assert_eq!(mergeable_state(&service).await, "clean");
}
