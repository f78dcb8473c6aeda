//! Commits with the longest messages.

use contract::json::OMITTED;
use serde_json::{Value, json};

use super::{REPO, get, values};
use crate::git_refs::seed::gadgets;
use crate::harness::{Answer, Service};

/// Small in the database, and six times as large as JSON.
pub fn long_message() -> String {
    "\u{1}".repeat(160_000)
}

/// Creates so many commits with long messages on top of one; returns them, the oldest first.
pub async fn long_commits(
    service: &Service,
    caller: &'static str,
    tip: &str,
    count: usize,
) -> Vec<String> {
    let (commits, caller) = (format!("{REPO}/git/commits"), service.as_(caller));
    let tree = caller.get(&format!("{commits}/{tip}")).await.expect(200);
    let (tree, message) = (tree.json()["tree"]["sha"].clone(), long_message());
    let mut made: Vec<String> = Vec::new();
    for _ in 0..count {
        let parents = [made.last().map_or(tip, String::as_str)];
        let body = json!({"message": message, "tree": tree, "parents": parents});
        let commit = caller.post(&commits, body).await.expect(201).json();
        made.push(commit["sha"].as_str().unwrap().to_owned());
    }
    made
}

/// 2 MiB of commits are shown whole: 13 of these.
fn check_messages(commits: &Value) {
    let commits = commits.as_array().unwrap().iter();
    let messages: Vec<&str> = commits
        .map(|commit| commit["commit"]["message"].as_str().unwrap())
        .collect();
    let (whole, others) = messages.split_at(13);
    assert!(whole.iter().all(|message| *message == long_message()));
    assert_eq!(&others[..4], [OMITTED; 4]);
}

#[tokio::test]
async fn list_commits_200_omits_the_messages_that_are_too_much_for_a_page() {
    let (service, history) = gadgets().await;
    let made = long_commits(&service, "alice-classic", &history.main, 30).await;
    let tip = made.last().unwrap();
    let (refs, body) = (
        format!("{REPO}/git/refs"),
        json!({"ref": "refs/heads/long", "sha": tip}),
    );
    service
        .as_("alice-classic")
        .post(&refs, body)
        .await
        .expect(201);
    let list = get(&service, "commits?sha=long&per_page=100")
        .await
        .expect(200);
    assert_eq!(values(&list.json(), "sha").len(), 32);
    check_messages(&list.json());
    let last: Answer = get(&service, &format!("commits/{}", made[0]))
        .await
        .expect(200);
    assert_eq!(last.json()["commit"]["message"], long_message());
    // The base and the merge base come first, and the oldest of the others.
    let compared = get(&service, "compare/main...long?per_page=100").await;
    check_messages(&compared.expect(200).json()["commits"]);
}
