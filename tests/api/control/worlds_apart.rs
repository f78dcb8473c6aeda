//! Many worlds at the same time.

use std::sync::Arc;

use poem::http::Method;
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::{ALICE, Site};

const WORLDS: usize = 100;

/// The number of tests that run at the same time. Their worlds exist until the end.
const CONCURRENT_TESTS: usize = 16;

/// Creates a world and writes to it. Returns what a test would see: the id of a comment, the
/// branches, and the number of requests.
async fn use_world(site: &Site, number: usize) -> (i64, Vec<String>, i64) {
    let base = site
        .create_world(json!({"name": format!("w{number}")}))
        .await;
    let id = site.comment(&base, &format!("from {number}")).await;
    for name in 0..=number % 3 {
        assert_eq!(site.branch(&base, &format!("made-{name}")).await, 201);
    }
    let branches = site.branches(&base, "made-").await;
    let path = format!("{base}/rate_limit");
    let (_, limits) = site.send(Method::GET, &path, Some(ALICE), None).await;
    (
        id,
        branches,
        limits["resources"]["core"]["used"].as_i64().unwrap(),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_concurrent_worlds_share_no_data_ids_or_rate_limits() {
    let site = Arc::new(Site::start().await);
    let permits = Arc::new(Semaphore::new(CONCURRENT_TESTS));
    let mut tests = JoinSet::new();
    for number in 0..WORLDS {
        let (site, permits) = (site.clone(), permits.clone());
        tests.spawn(async move {
            let _permit = permits.acquire().await.unwrap();
            (number, use_world(&site, number).await)
        });
    }
    let mut first_id = None;
    while let Some(done) = tests.join_next().await {
        let (number, (id, branches, used)) = done.unwrap();
        let expected = number % 3 + 1;
        assert_eq!(branches.len(), expected, "world {number}");
        // The same requests give the same ids in every world.
        assert_eq!(*first_id.get_or_insert(id), id, "world {number}");
        // Two for the comment, two for each branch, one for the list.
        assert_eq!(
            used,
            3 + 2 * i64::try_from(expected).unwrap(),
            "world {number}"
        );
    }
    assert!(site.branches("", "made-").await.is_empty());
    site.worlds.end().await;
}

#[tokio::test]
async fn urls_in_answers_point_into_the_world() {
    let site = Site::start().await;
    let base = site.create_world(json!({"name": "linked"})).await;
    let path = format!("{base}/repos/acme/gadgets/git/ref/heads/main");
    let (_, found) = site.send(Method::GET, &path, Some(ALICE), None).await;
    let url = found["url"].as_str().unwrap();
    let path = url.strip_prefix("http://127.0.0.1").unwrap();
    assert!(path.starts_with("/_worlds/linked/"), "{url}");
    let (status, again) = site.send(Method::GET, path, Some(ALICE), None).await;
    assert_eq!((status, again), (200, found));
}
