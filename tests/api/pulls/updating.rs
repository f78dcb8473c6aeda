//! Merging the base into the branch of a pull request.

use serde_json::{Value, json};

use super::{
    MERGED_README, PULLS, REFS, blob_sha, commit, commit_summary, create_pull, file_sha, get_pull,
    merge, put, start, tip,
};
use crate::harness::{Answer, Service};

async fn update(service: &Service, token: &str, number: u8, body: Value) -> Answer {
    let path = format!("{PULLS}/{number}/update-branch");
    put(service, token, &path, body).await
}

#[tokio::test]
async fn update_pull_branch_202_merges_the_base_into_the_branch() {
    let service = start().await;
    create_pull(&service, "bob-classic", "topic").await;
    let (base, head) = (tip(&service, "main").await, tip(&service, "topic").await);
    let body = json!({"expected_head_sha": head});
    let answer = update(&service, "carol", 1, body).await.expect(202).json();
    assert_eq!(answer["message"], "Updating pull request branch.");
    let sha = tip(&service, "topic").await;
    let expected = (
        "Merge branch 'main' into topic".to_owned(),
        vec![head, base],
        ["carol", "carol"].map(str::to_owned),
    );
    assert_eq!(commit_summary(&commit(&service, &sha).await), expected);
    assert_eq!(
        file_sha(&service, &sha, "README.md").await,
        Some(blob_sha(MERGED_README))
    );
    let pull = get_pull(&service, &json!(1)).await;
    assert_eq!(
        (&pull["head"]["sha"], &pull["commits"]),
        (&json!(sha), &json!(3))
    );
    assert_eq!(pull["rebaseable"], true);
}

#[tokio::test]
async fn update_pull_branch_403_without_permission_or_when_archived() {
    let service = start().await;
    create_pull(&service, "alice", "topic").await;
    for token in ["mallory", "dave-classic", "alice-reads"] {
        update(&service, token, 1, json!({})).await.expect(403);
    }
    let answer = update(&service, "alice-pulls", 1, json!({})).await;
    let answer = answer.expect(403);
    let accepted = answer.header("x-accepted-github-permissions");
    let both = "pull_requests=write,contents=write";
    let expected = format!("{both}; {both},workflows=write");
    assert_eq!(accepted, Some(expected.as_str()));
    let attic = "/repos/acme/attic/pulls/1/update-branch";
    put(&service, "alice", attic, json!({})).await.expect(403);
}

#[tokio::test]
async fn update_pull_branch_403_when_the_base_changed_workflows_without_the_permission() {
    let service = start().await;
    create_pull(&service, "alice", "topic").await;
    let flow = create_pull(&service, "alice", "flow").await;
    let answer = merge(&service, "alice", &flow["number"], json!({})).await;
    answer.expect(200);
    let before = tip(&service, "topic").await;
    for token in ["alice-without-workflow", "alice-contents"] {
        update(&service, token, 1, json!({})).await.expect(403);
    }
    assert_eq!(tip(&service, "topic").await, before);
    update(&service, "alice", 1, json!({})).await.expect(202);
    // Both branches have the same workflows now, so a merge does not change them.
    let answer = merge(&service, "alice-contents", &json!(1), json!({})).await;
    answer.expect(200);
}

#[tokio::test]
async fn update_pull_branch_404_when_absent_or_hidden() {
    let service = start().await;
    update(&service, "alice", 9, json!({})).await.expect(404);
    let hidden = "/repos/acme/widgets/pulls/1/update-branch";
    put(&service, "mallory", hidden, json!({}))
        .await
        .expect(404);
}

#[tokio::test]
async fn update_pull_branch_422_when_the_branch_cannot_be_updated() {
    let service = start().await;
    create_pull(&service, "alice", "topic").await;
    create_pull(&service, "alice", "clash").await;
    let body = json!({"expected_head_sha": tip(&service, "main").await});
    let answer = update(&service, "alice", 1, body).await.expect(422);
    let message = "expected head sha didn’t match current head ref.";
    assert_eq!(answer.message(), message);
    let answer = update(&service, "alice", 2, json!({})).await.expect(422);
    assert_eq!(answer.message(), "merge conflict between base and head");
    update(&service, "alice", 1, json!({})).await.expect(202);
    let answer = update(&service, "alice", 1, json!({})).await.expect(422);
    assert_eq!(
        answer.message(),
        "There are no new commits on the base branch."
    );
    let path = format!("{PULLS}/1");
    let close = json!({"state": "closed"});
    service.as_("alice").patch(&path, close).await.expect(200);
    update(&service, "alice", 1, json!({})).await.expect(422);
    let delete = format!("{REFS}/heads/clash");
    service.as_("alice").delete(&delete).await.expect(204);
    update(&service, "alice", 2, json!({})).await.expect(422);
}
