//! Merging pull requests.

use serde_json::json;

use super::{MERGED, PULLS, blob, commit, file, merge, opened, pull, put, said, start, tip};

#[tokio::test]
async fn merge_pull_200_with_a_merge_commit() {
    let service = start().await;
    let made = opened(&service, "bob-classic", "topic").await;
    let (base, head) = (tip(&service, "main").await, tip(&service, "topic").await);
    let answer = merge(&service, "carol", &made["number"], json!({}))
        .await
        .expect(200);
    let result = answer.json();
    assert_eq!(result["merged"], true);
    assert_eq!(result["message"], "Pull Request successfully merged");
    let sha = result["sha"].as_str().unwrap();
    assert_eq!(tip(&service, "main").await, sha);
    let message = "Merge pull request #1 from acme/topic\n\nFrom topic";
    let expected = (
        message.to_owned(),
        vec![base.clone(), head.clone()],
        ["carol", "carol"].map(str::to_owned),
    );
    assert_eq!(said(&commit(&service, sha).await), expected);
    assert_eq!(file(&service, sha, "README.md").await, Some(blob(MERGED)));
    assert_eq!(file(&service, sha, "new.txt").await, Some(blob("new\n")));
    let now = pull(&service, &made["number"]).await;
    assert_eq!(
        (&now["state"], &now["merged"]),
        (&json!("closed"), &json!(true))
    );
    assert_eq!(now["merge_commit_sha"], sha);
    assert_eq!(now["merged_by"]["login"], "carol");
    assert_eq!(now["merged_at"], now["closed_at"]);
    assert_eq!(
        (&now["mergeable"], &now["mergeable_state"]),
        (&json!(null), &json!("unknown"))
    );
    assert_eq!(
        (&now["base"]["sha"], &now["commits"]),
        (&json!(base), &json!(2))
    );
    assert_eq!(now["author_association"], "MEMBER");
}

#[tokio::test]
async fn merge_pull_200_as_one_commit() {
    let service = start().await;
    let made = opened(&service, "bob-classic", "topic").await;
    let base = tip(&service, "main").await;
    let body = json!({"merge_method": "squash"});
    let answer = merge(&service, "carol", &made["number"], body)
        .await
        .expect(200);
    let sha = answer.json()["sha"].as_str().unwrap().to_owned();
    let message = "From topic (#1)\n\n* First\n\nWhy it is first.\n\n* Second";
    let expected = (
        message.to_owned(),
        vec![base],
        ["bob", "carol"].map(str::to_owned),
    );
    assert_eq!(said(&commit(&service, &sha).await), expected);
    assert_eq!(file(&service, &sha, "README.md").await, Some(blob(MERGED)));
}

#[tokio::test]
async fn merge_pull_200_of_one_commit_squashed_in_its_own_words() {
    let service = start().await;
    let made = opened(&service, "bob-classic", "first").await;
    let body = json!({"merge_method": "squash"});
    let answer = merge(&service, "carol", &made["number"], body)
        .await
        .expect(200);
    let sha = answer.json()["sha"].as_str().unwrap().to_owned();
    let (message, ..) = said(&commit(&service, &sha).await);
    assert_eq!(message, "First (#1)\n\nWhy it is first.");
}

#[tokio::test]
async fn merge_pull_200_with_each_commit_made_again() {
    let service = start().await;
    let made = opened(&service, "alice", "topic").await;
    let base = tip(&service, "main").await;
    let body = json!({"merge_method": "rebase"});
    let answer = merge(&service, "carol", &made["number"], body)
        .await
        .expect(200);
    let sha = answer.json()["sha"].as_str().unwrap().to_owned();
    let (message, parents, people) = said(&commit(&service, &sha).await);
    assert_eq!(
        (message.trim_end(), people),
        ("Second", ["bob", "carol"].map(str::to_owned))
    );
    let (message, parents, people) = said(&commit(&service, &parents[0]).await);
    let first = "First\n\nWhy it is first.";
    assert_eq!(
        (message.trim_end(), people),
        (first, ["bob", "carol"].map(str::to_owned))
    );
    assert_eq!(parents, [base]);
    assert_eq!(file(&service, &sha, "README.md").await, Some(blob(MERGED)));
    assert_eq!(
        pull(&service, &made["number"]).await["merge_commit_sha"],
        sha
    );
}

#[tokio::test]
async fn merge_pull_200_with_the_callers_own_words_and_head() {
    let service = start().await;
    let made = opened(&service, "bob-classic", "topic").await;
    let body = json!({
        "commit_title": "All in", "commit_message": "At last.", "sha": tip(&service, "topic").await,
    });
    let answer = merge(&service, "alice", &made["number"], body)
        .await
        .expect(200);
    let sha = answer.json()["sha"].as_str().unwrap().to_owned();
    let (message, _, people) = said(&commit(&service, &sha).await);
    assert_eq!(message, "All in\n\nAt last.");
    assert_eq!(people, ["Alice Liddell", "Alice Liddell"]);
}

#[tokio::test]
async fn merge_pull_403_without_permission_or_for_workflows_or_when_archived() {
    let service = start().await;
    let made = opened(&service, "alice", "topic").await;
    for token in ["mallory", "dave-classic", "alice-pulls", "alice-reads"] {
        merge(&service, token, &made["number"], json!({}))
            .await
            .expect(403);
    }
    let attic = "/repos/acme/attic/pulls/1/merge";
    put(&service, "alice", attic, json!({})).await.expect(403);
    let flow = opened(&service, "alice", "flow").await;
    let before = tip(&service, "main").await;
    let body = json!({"merge_method": "squash"});
    let token = "alice-without-workflow";
    merge(&service, token, &flow["number"], body.clone())
        .await
        .expect(403);
    assert_eq!(tip(&service, "main").await, before);
    assert_eq!(pull(&service, &flow["number"]).await["state"], "open");
    merge(&service, "alice", &flow["number"], body)
        .await
        .expect(200);
}

#[tokio::test]
async fn merge_pull_404_when_absent_or_hidden() {
    let service = start().await;
    merge(&service, "alice", &json!(9), json!({}))
        .await
        .expect(404);
    let hidden = "/repos/acme/widgets/pulls/1/merge";
    put(&service, "mallory", hidden, json!({}))
        .await
        .expect(404);
}

#[tokio::test]
async fn merge_pull_405_when_it_conflicts_or_is_closed_or_a_draft() {
    let service = start().await;
    let clash = opened(&service, "alice", "clash").await;
    let refusal = "Pull Request is not mergeable";
    for body in [json!({}), json!({"merge_method": "squash"})] {
        let answer = merge(&service, "alice", &clash["number"], body)
            .await
            .expect(405);
        assert_eq!(answer.message(), refusal);
    }
    let body = json!({"merge_method": "rebase"});
    let answer = merge(&service, "alice", &clash["number"], body)
        .await
        .expect(405);
    assert_eq!(answer.message(), "This branch can't be rebased");
    let made = opened(&service, "alice", "topic").await;
    merge(&service, "alice", &made["number"], json!({}))
        .await
        .expect(200);
    let answer = merge(&service, "alice", &made["number"], json!({})).await;
    assert_eq!(answer.expect(405).message(), refusal);
    let body = json!({"title": "Early", "head": "flow", "base": "main", "draft": true});
    let draft = service
        .as_("alice")
        .post(PULLS, body)
        .await
        .expect(201)
        .json();
    let answer = merge(&service, "alice", &draft["number"], json!({})).await;
    assert_eq!(
        answer.expect(405).message(),
        "Pull Request is still a draft"
    );
}

#[tokio::test]
async fn merge_pull_409_when_the_head_is_another() {
    let service = start().await;
    let made = opened(&service, "alice", "topic").await;
    let body = json!({"sha": tip(&service, "first").await});
    let answer = merge(&service, "alice", &made["number"], body)
        .await
        .expect(409);
    let words = "Head branch was modified. Review and try the merge again.";
    assert_eq!(answer.message(), words);
}

#[tokio::test]
async fn merge_pull_422_for_an_unknown_method() {
    let service = start().await;
    let made = opened(&service, "alice", "topic").await;
    let body = json!({"merge_method": "octopus"});
    merge(&service, "alice", &made["number"], body)
        .await
        .expect(422);
}
