//! Resets and snapshots, also under load. `main` uses the database of the test run, so these
//! tests cover PostgreSQL too.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use poem::http::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{ALICE, Site};

#[tokio::test]
async fn reset_world_204_restores_main_and_its_id_sequences() {
    let site = Site::start().await;
    let first = site.comment("", "one").await;
    let second = site.comment("", "two").await;
    assert_eq!(site.branch("", "made").await, 201);
    assert_eq!(site.branches("", "made").await.len(), 1);
    for _ in 0..3 {
        site.reset("main").await;
        assert!(site.branches("", "made").await.is_empty());
        assert_eq!(count_comments(&site, "", "one").await, 0);
        assert_eq!(site.comment("", "one").await, first);
        assert_eq!(site.comment("", "two").await, second);
        assert_eq!(site.branch("", "made").await, 201);
    }
}

#[tokio::test]
async fn reset_world_204_undoes_changes_deletions_and_swapped_names() {
    let site = Site::start().await;
    let refs = "/repos/acme/gadgets/git/refs/heads/feature/a";
    let before = site.branches("", "").await;
    let (status, _) = site.send(Method::DELETE, refs, Some(ALICE), None).await;
    assert_eq!(status, 204);
    assert_eq!(site.branch("", "feature/a").await, 201);
    let fields = fields(&site).await;
    let (one, other) = (&fields[0], &fields[1]);
    for (field, name) in [(one, "aside"), (other, name(one)), (one, name(other))] {
        let path = format!("/orgs/acme/issue-fields/{}", field["id"]);
        let body = json!({"name": name});
        let (status, answer) = site
            .send(Method::PATCH, &path, Some(ALICE), Some(body))
            .await;
        assert_eq!(status, 200, "{answer}");
    }
    site.reset("main").await;
    assert_eq!(site.branches("", "").await, before);
    assert_eq!(self::fields(&site).await, fields);
    let (_, found) = site
        .send(
            Method::GET,
            "/repos/acme/gadgets/git/ref/heads/feature/a",
            Some(ALICE),
            None,
        )
        .await;
    assert_ne!(found["object"]["sha"], site.main_sha("").await);
}

#[tokio::test]
async fn reset_world_204_resets_the_rate_limits() {
    let site = Site::start().await;
    for world in ["main", "made"] {
        if world == "made" {
            site.create_world(json!({"name": "made"})).await;
        }
        let base = if world == "main" { "" } else { "/_worlds/made" };
        site.branches(base, "x").await;
        assert!(used_requests(&site, base).await > 0);
        site.reset(world).await;
        assert_eq!(used_requests(&site, base).await, 0, "{world}");
    }
}

#[tokio::test]
async fn reset_world_404_and_422_when_the_world_or_its_snapshot_is_missing() {
    let site = Site::start().await;
    let (status, _) = site.control(Method::POST, "/nobody/reset", None).await;
    assert_eq!(status, 404);
    let (status, _) = site
        .control(Method::DELETE, "/main/snapshots/loaded", None)
        .await;
    assert_eq!(status, 204);
    let (status, answer) = site.control(Method::POST, "/main/reset", None).await;
    assert_eq!(status, 422, "{answer}");
    let message = answer["message"].as_str().unwrap();
    assert!(
        message.contains("make a snapshot named `loaded`"),
        "{message}"
    );
    let (status, _) = site
        .control(Method::PUT, "/main/snapshots/loaded", None)
        .await;
    assert_eq!(status, 201);
    site.reset("main").await;
}

#[tokio::test]
async fn make_snapshot_201_and_restore_snapshot_204_in_any_order() {
    let site = Site::start().await;
    let created = site.create_world(json!({"name": "made"})).await;
    for (world, base) in [("main", ""), ("made", created.as_str())] {
        for step in ["one", "step-two", "step_3"] {
            assert_eq!(site.branch(base, &format!("at-{step}")).await, 201);
            let path = format!("/{world}/snapshots/{step}");
            let (status, snapshot) = site.control(Method::PUT, &path, None).await;
            assert_eq!(status, 201, "{snapshot}");
            assert_eq!(snapshot["name"], step);
            assert!(snapshot["bytes"].as_u64().unwrap() > 0);
        }
        for (step, branches) in [("step-two", 2), ("one", 1), ("step_3", 3), ("one", 1)] {
            let path = format!("/{world}/snapshots/{step}/restore");
            let (status, answer) = site.control(Method::POST, &path, None).await;
            assert_eq!(status, 204, "{answer}");
            assert_eq!(
                site.branches(base, "at-").await.len(),
                branches,
                "{world} {step}"
            );
        }
        let path = format!("/{world}/snapshots");
        let (_, listed) = site.control(Method::GET, &path, None).await;
        let listed = listed.as_array().unwrap().iter();
        let names: Vec<_> = listed
            .map(|found| found["name"].as_str().unwrap())
            .collect();
        let expected: &[&str] = match world {
            "main" => &["loaded", "one", "step-two", "step_3"],
            _ => &["one", "step-two", "step_3"],
        };
        assert_eq!(names, expected);
    }
}

#[tokio::test]
async fn make_snapshot_201_replaces_one_of_the_same_name() {
    let site = Site::start().await;
    for name in ["first", "second"] {
        assert_eq!(site.branch("", name).await, 201);
        let (status, _) = site
            .control(Method::PUT, "/main/snapshots/again", None)
            .await;
        assert_eq!(status, 201);
    }
    site.reset("main").await;
    let (status, _) = site
        .control(Method::POST, "/main/snapshots/again/restore", None)
        .await;
    assert_eq!(status, 204);
    assert_eq!(site.branches("", "second").await.len(), 1);
}

#[tokio::test]
async fn make_snapshot_404_and_422_when_the_world_is_unknown_or_the_name_invalid() {
    let site = Site::start().await;
    let (status, _) = site.control(Method::PUT, "/nobody/snapshots/a", None).await;
    assert_eq!(status, 404);
    for name in ["Upper", "a.b", "a%2Fb", "%22", "a%20b", &"a".repeat(41)] {
        let path = format!("/main/snapshots/{name}");
        let (status, answer) = site.control(Method::PUT, &path, None).await;
        assert_eq!(status, 422, "{name}: {answer}");
        assert_eq!(answer["errors"][0]["field"], "name");
    }
}

#[tokio::test]
async fn restore_snapshot_404_and_422_when_the_world_or_the_snapshot_is_missing() {
    let site = Site::start().await;
    for path in [
        "/nobody/snapshots/loaded/restore",
        "/main/snapshots/nothing/restore",
        "/main/snapshots/a%22b/restore",
    ] {
        let (status, answer) = site.control(Method::POST, path, None).await;
        assert_eq!(status, 404, "{path}: {answer}");
    }
    let (status, _) = site
        .control(Method::DELETE, "/main/snapshots/loaded", None)
        .await;
    assert_eq!(status, 204);
    let (status, _) = site
        .control(Method::POST, "/main/snapshots/loaded/restore", None)
        .await;
    assert_eq!(status, 422);
}

#[tokio::test]
async fn delete_snapshot_204_and_404_and_list_snapshots_200_and_404() {
    let site = Site::start().await;
    site.control(Method::PUT, "/main/snapshots/a", None).await;
    let (status, _) = site
        .control(Method::DELETE, "/main/snapshots/a", None)
        .await;
    assert_eq!(status, 204);
    for path in [
        "/main/snapshots/a",
        "/nobody/snapshots/a",
        "/main/snapshots/a%2Eb",
    ] {
        let (status, _) = site.control(Method::DELETE, path, None).await;
        assert_eq!(status, 404, "{path}");
    }
    let (status, listed) = site.control(Method::GET, "/main/snapshots", None).await;
    assert_eq!((status, listed.as_array().unwrap().len()), (200, 1));
    let (status, _) = site.control(Method::GET, "/nobody/snapshots", None).await;
    assert_eq!(status, 404);
}

/// No request fails, and each sees the state before or after a reset. What was written between
/// two resets is gone after the second.
#[tokio::test(flavor = "multi_thread")]
async fn resets_are_atomic_for_concurrent_requests() {
    let site = Arc::new(Site::start().await);
    let stop = Arc::new(AtomicBool::new(false));
    let answered = Arc::new(AtomicUsize::new(0));
    let mut load = JoinSet::new();
    for worker in 0..4 {
        let (site, stop, answered) = (site.clone(), stop.clone(), answered.clone());
        load.spawn(async move {
            let mut number = 0;
            while !stop.load(Ordering::SeqCst) {
                number += 1;
                send_requests(&site, worker, number).await;
                answered.fetch_add(1, Ordering::SeqCst);
            }
        });
    }
    for _ in 0..20 {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        site.reset("main").await;
    }
    stop.store(true, Ordering::SeqCst);
    while let Some(done) = load.join_next().await {
        done.unwrap();
    }
    assert!(answered.load(Ordering::SeqCst) >= 20);
    site.reset("main").await;
    assert!(site.branches("", "made-").await.is_empty());
}

/// Sends requests whose answers must fit the state before or after a reset.
async fn send_requests(site: &Site, worker: usize, number: usize) {
    let sha = site.main_sha("").await;
    let name = format!("refs/heads/made-{worker}-{number}");
    let body = json!({"ref": name, "sha": sha});
    let path = "/repos/acme/gadgets/git/refs";
    let (status, created) = site.send(Method::POST, path, Some(ALICE), Some(body)).await;
    assert_eq!(status, 201, "{created}");
    let path = format!(
        "/repos/acme/gadgets/git/{}",
        name.replacen("refs/", "ref/", 1)
    );
    let (status, found) = site.send(Method::GET, &path, Some(ALICE), None).await;
    assert!([200, 404].contains(&status), "{found}");
    let pull = "/repos/acme/gadgets/pulls/1";
    let (status, listed) = site
        .send(Method::GET, &format!("{pull}/comments"), Some(ALICE), None)
        .await;
    assert_eq!(status, 200, "{listed}");
    let (status, shown) = site.send(Method::GET, pull, Some(ALICE), None).await;
    assert_eq!(status, 200, "{shown}");
}

async fn count_comments(site: &Site, base: &str, text: &str) -> usize {
    let path = format!("{base}/repos/acme/gadgets/pulls/1/comments?per_page=100");
    let (_, found) = site.send(Method::GET, &path, Some(ALICE), None).await;
    let found = found.as_array().unwrap().iter();
    found.filter(|found| found["body"] == text).count()
}

async fn used_requests(site: &Site, base: &str) -> i64 {
    let path = format!("{base}/rate_limit");
    let (_, limits) = site.send(Method::GET, &path, Some(ALICE), None).await;
    limits["resources"]["core"]["used"].as_i64().unwrap()
}

async fn fields(site: &Site) -> Vec<Value> {
    let path = "/orgs/acme/issue-fields";
    let (status, found) = site.send(Method::GET, path, Some(ALICE), None).await;
    assert_eq!(status, 200, "{found}");
    found.as_array().unwrap().clone()
}

fn name(field: &Value) -> &str {
    field["name"].as_str().unwrap()
}

#[tokio::test]
async fn make_snapshot_422_when_there_are_too_many() {
    let site = Site::start().await;
    site.create_world(json!({"name": "full", "template": "empty"}))
        .await;
    let make = async |name: &str| {
        let path = format!("/full/snapshots/{name}");
        site.control(Method::PUT, &path, None).await
    };
    for number in 0..100 {
        assert_eq!(make(&format!("s{number}")).await.0, 201);
    }
    let (status, answer) = make("more").await;
    assert_eq!(status, 422, "{answer}");
    assert_eq!(
        answer["message"],
        "Too many snapshots: there are 100 snapshots already; delete one first"
    );
    assert_eq!(make("s7").await.0, 201);
    let (status, _) = site
        .control(Method::DELETE, "/full/snapshots/s7", None)
        .await;
    assert_eq!(status, 204);
    assert_eq!(make("more").await.0, 201);
}

/// Creates a commit of acme/gadgets and a branch on it. Returns the SHA.
async fn commit(site: &Site, message: &str) -> String {
    let repository = "/repos/acme/gadgets/git";
    let main = site.main_sha("").await;
    let path = format!("{repository}/commits/{main}");
    let (_, head) = site.send(Method::GET, &path, Some(ALICE), None).await;
    let body = json!({"message": message, "tree": head["tree"]["sha"], "parents": [main]});
    let path = format!("{repository}/commits");
    let (status, created) = site
        .send(Method::POST, &path, Some(ALICE), Some(body))
        .await;
    assert_eq!(status, 201, "{created}");
    let body = json!({"ref": format!("refs/heads/{message}"), "sha": created["sha"]});
    let path = format!("{repository}/refs");
    let (status, answer) = site
        .send(Method::POST, &path, Some(ALICE), Some(body))
        .await;
    assert_eq!(status, 201, "{answer}");
    created["sha"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn restore_snapshot_204_restores_commits_whose_ids_were_assigned_again() {
    let site = Site::start().await;
    let one = commit(&site, "one").await;
    let (status, _) = site.control(Method::PUT, "/main/snapshots/one", None).await;
    assert_eq!(status, 201);
    site.reset("main").await;
    commit(&site, "two").await;
    let path = "/main/snapshots/one/restore";
    let (status, answer) = site.control(Method::POST, path, None).await;
    assert_eq!(status, 204, "{answer}");
    let path = "/repos/acme/gadgets/commits?sha=one";
    let (status, listed) = site.send(Method::GET, path, Some(ALICE), None).await;
    assert_eq!((status, listed[0]["sha"].as_str()), (200, Some(&*one)));
}
