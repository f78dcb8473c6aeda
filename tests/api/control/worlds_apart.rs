//! Many worlds at the same time.

use std::sync::Arc;

use poem::http::Method;
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::{ALICE, Site};

const WORLDS: usize = 100;

/// How many requests are under way at the same time. All worlds exist at the end.
const AT_ONCE: usize = 16;

/// What a test does in its world, and what it sees afterwards: ids, branches and budget.
async fn live(site: &Site, number: usize) -> (i64, Vec<String>, i64) {
    let place = site.make(json!({"name": format!("w{number}")})).await;
    let id = site.comment(&place, &format!("from {number}")).await;
    for name in 0..=number % 3 {
        assert_eq!(site.branch(&place, &format!("made-{name}")).await, 201);
    }
    let branches = site.branches(&place, "made-").await;
    let path = format!("{place}/rate_limit");
    let (_, limits) = site.ask(Method::GET, &path, Some(ALICE), None).await;
    (
        id,
        branches,
        limits["resources"]["core"]["used"].as_i64().unwrap(),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_worlds_at_once_share_neither_data_nor_ids_nor_budgets() {
    let site = Arc::new(Site::start().await);
    let turns = Arc::new(Semaphore::new(AT_ONCE));
    let mut tests = JoinSet::new();
    for number in 0..WORLDS {
        let (site, turns) = (site.clone(), turns.clone());
        tests.spawn(async move {
            let _turn = turns.acquire().await.unwrap();
            (number, live(&site, number).await)
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
async fn links_lead_back_into_the_world() {
    let site = Site::start().await;
    let place = site.make(json!({"name": "linked"})).await;
    let path = format!("{place}/repos/acme/gadgets/git/ref/heads/main");
    let (_, found) = site.ask(Method::GET, &path, Some(ALICE), None).await;
    let url = found["url"].as_str().unwrap();
    let path = url.strip_prefix("http://127.0.0.1").unwrap();
    assert!(path.starts_with("/_worlds/linked/"), "{url}");
    let (status, again) = site.ask(Method::GET, path, Some(ALICE), None).await;
    assert_eq!((status, again), (200, found));
}
