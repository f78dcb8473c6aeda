//! Imported repositories that `git` made: the API and `git` agree on their references and on
//! what is a fast-forward.

use git::import::import;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use serde_json::json;

use super::seed::{GADGETS, start};
use super::{MATCHING, REFS};
use crate::harness::Service;
use crate::support::git::Git;
use crate::support::history;

/// Commits of the history without files.
const COMMITS: usize = 2000;

/// Commits of the history with files, which takes long to create.
const COMMITS_WITH_FILES: usize = 300;

/// Pairs of commits that are compared.
const PAIRS: usize = 300;

async fn imported(git: &Git) -> Service {
    let service = start().await;
    let transaction = service.app.db.begin().await.unwrap();
    let now = service.app.clock.now().0;
    import(&transaction, GADGETS, git.path(), now, &mut |_| {})
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    service
}

/// `name sha type` of each reference that starts with this prefix, from `git`.
fn expected(git: &Git, prefix: &str) -> Vec<String> {
    let format = "--format=%(refname) %(objectname) %(objecttype)";
    let mut lines = git.lines(&["for-each-ref", format]);
    lines.retain(|line| line.starts_with(&format!("refs/{prefix}")));
    lines.sort_unstable();
    lines
}

async fn listed(service: &Service, prefix: &str) -> Vec<String> {
    let answer = service
        .anonymous()
        .get(&format!("{MATCHING}/{prefix}"))
        .await
        .expect(200);
    let list = answer.json();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let lines = list.as_array().unwrap().iter().map(|item| {
        let object = &item["object"];
        format!(
            "{} {} {}",
            text(&item["ref"]),
            text(&object["sha"]),
            text(&object["type"])
        )
    });
    lines.collect()
}

#[tokio::test]
async fn the_references_of_an_imported_repository_equal_those_of_git() {
    let git = history::random(1, COMMITS_WITH_FILES);
    let service = imported(&git).await;
    for prefix in [
        "",
        "heads/",
        "heads/topic/1",
        "keep/1",
        "keep/19",
        "tags/v",
        "notes",
        "odd/",
        "pull/1/head",
        "st",
        "remotes/",
        "none",
    ] {
        assert_eq!(
            listed(&service, prefix).await,
            expected(&git, prefix),
            "{prefix}"
        );
    }
    assert!(listed(&service, "").await.len() > COMMITS_WITH_FILES);
}

#[tokio::test]
async fn fast_forwards_agree_with_git() {
    let git = history::tangled(2, COMMITS);
    let service = imported(&git).await;
    for prefix in ["", "heads/c", "heads/c19", "heads/c1999"] {
        assert_eq!(listed(&service, prefix).await, expected(&git, prefix));
    }
    let alice = service.as_("alice-classic");
    let commits = git.lines(&["rev-list", "--all"]);
    let body = json!({"ref": "refs/heads/probe", "sha": commits[0]});
    alice.post(REFS, body).await.expect(201);
    let probe = format!("{REFS}/heads/probe");
    let mut random = StdRng::seed_from_u64(3);
    let mut forward = 0;
    for _ in 0..PAIRS {
        let old = commits.choose(&mut random).unwrap();
        let new = commits.choose(&mut random).unwrap();
        let start = json!({"sha": old, "force": true});
        alice.patch(&probe, start).await.expect(200);
        let answer = alice.patch(&probe, json!({"sha": new})).await;
        let (is_ancestor, _) = git.attempt(&["merge-base", "--is-ancestor", old, new]);
        assert_eq!(
            answer.status.as_u16(),
            if is_ancestor { 200 } else { 422 },
            "{old} {new}"
        );
        forward += usize::from(is_ancestor);
    }
    let balanced = PAIRS / 10..PAIRS * 9 / 10;
    assert!(
        balanced.contains(&forward),
        "{forward} of {PAIRS} pairs are fast-forwards, which is one-sided"
    );
}
