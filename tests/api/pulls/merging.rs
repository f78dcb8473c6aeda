//! Merging pull requests.

use serde_json::json;

use super::{
    MERGED_README, PULLS, blob_sha, commit, commit_summary, create_pull, file_sha, get_pull, merge,
    put, start, tip,
};

#[tokio::test]
async fn merge_pull_200_with_a_merge_commit() {
    let service = start().await;
    let created = create_pull(&service, "bob-classic", "topic").await;
    let (base, head) = (tip(&service, "main").await, tip(&service, "topic").await);
    let answer = merge(&service, "carol", &created["number"], json!({}))
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
    assert_eq!(commit_summary(&commit(&service, sha).await), expected);
    assert_eq!(
        file_sha(&service, sha, "README.md").await,
        Some(blob_sha(MERGED_README))
    );
    assert_eq!(
        file_sha(&service, sha, "new.txt").await,
        Some(blob_sha("new\n"))
    );
    let pull = get_pull(&service, &created["number"]).await;
    assert_eq!(
        (&pull["state"], &pull["merged"]),
        (&json!("closed"), &json!(true))
    );
    assert_eq!(pull["merge_commit_sha"], sha);
    assert_eq!(pull["merged_by"]["login"], "carol");
    assert_eq!(pull["merged_at"], pull["closed_at"]);
    assert_eq!(
        (&pull["mergeable"], &pull["mergeable_state"]),
        (&json!(null), &json!("unknown"))
    );
    assert_eq!(
        (&pull["base"]["sha"], &pull["commits"]),
        (&json!(base), &json!(2))
    );
    assert_eq!(pull["author_association"], "MEMBER");
}

#[tokio::test]
async fn merge_pull_200_with_a_squash_commit() {
    let service = start().await;
    let created = create_pull(&service, "bob-classic", "topic").await;
    let base = tip(&service, "main").await;
    let body = json!({"merge_method": "squash"});
    let answer = merge(&service, "carol", &created["number"], body)
        .await
        .expect(200);
    let sha = answer.json()["sha"].as_str().unwrap().to_owned();
    let message = "From topic (#1)\n\n* First\n\nWhy it is first.\n\n* Second";
    let expected = (
        message.to_owned(),
        vec![base],
        ["bob", "carol"].map(str::to_owned),
    );
    assert_eq!(commit_summary(&commit(&service, &sha).await), expected);
    assert_eq!(
        file_sha(&service, &sha, "README.md").await,
        Some(blob_sha(MERGED_README))
    );
}

#[tokio::test]
async fn merge_pull_200_squashes_a_single_commit_with_its_own_message() {
    let service = start().await;
    let created = create_pull(&service, "bob-classic", "first").await;
    let body = json!({"merge_method": "squash"});
    let answer = merge(&service, "carol", &created["number"], body)
        .await
        .expect(200);
    let sha = answer.json()["sha"].as_str().unwrap().to_owned();
    let (message, ..) = commit_summary(&commit(&service, &sha).await);
    assert_eq!(message, "First (#1)\n\nWhy it is first.");
}

#[tokio::test]
async fn merge_pull_200_with_rebased_commits() {
    let service = start().await;
    let created = create_pull(&service, "alice", "topic").await;
    let base = tip(&service, "main").await;
    let body = json!({"merge_method": "rebase"});
    let answer = merge(&service, "carol", &created["number"], body)
        .await
        .expect(200);
    let sha = answer.json()["sha"].as_str().unwrap().to_owned();
    let (message, parents, names) = commit_summary(&commit(&service, &sha).await);
    assert_eq!(
        (message.trim_end(), names),
        ("Second", ["bob", "carol"].map(str::to_owned))
    );
    let (message, parents, names) = commit_summary(&commit(&service, &parents[0]).await);
    let first = "First\n\nWhy it is first.";
    assert_eq!(
        (message.trim_end(), names),
        (first, ["bob", "carol"].map(str::to_owned))
    );
    assert_eq!(parents, [base]);
    assert_eq!(
        file_sha(&service, &sha, "README.md").await,
        Some(blob_sha(MERGED_README))
    );
    assert_eq!(
        get_pull(&service, &created["number"]).await["merge_commit_sha"],
        sha
    );
}

#[tokio::test]
async fn merge_pull_200_with_the_given_message_and_head() {
    let service = start().await;
    let created = create_pull(&service, "bob-classic", "topic").await;
    let body = json!({
        "commit_title": "All in", "commit_message": "At last.", "sha": tip(&service, "topic").await,
    });
    let answer = merge(&service, "alice", &created["number"], body)
        .await
        .expect(200);
    let sha = answer.json()["sha"].as_str().unwrap().to_owned();
    let (message, _, names) = commit_summary(&commit(&service, &sha).await);
    assert_eq!(message, "All in\n\nAt last.");
    assert_eq!(names, ["Alice Liddell", "Alice Liddell"]);
}

#[tokio::test]
async fn merge_pull_403_without_permission_or_when_archived() {
    let service = start().await;
    let created = create_pull(&service, "alice", "topic").await;
    for token in ["mallory", "dave-classic", "alice-pulls", "alice-reads"] {
        merge(&service, token, &created["number"], json!({}))
            .await
            .expect(403);
    }
    let attic = "/repos/acme/attic/pulls/1/merge";
    put(&service, "alice", attic, json!({})).await.expect(403);
}

#[tokio::test]
async fn merge_pull_403_when_workflows_change_without_the_permission() {
    let service = start().await;
    let flow = create_pull(&service, "alice", "flow").await;
    let topic = create_pull(&service, "alice", "topic").await;
    let before = tip(&service, "main").await;
    let tokens = ["alice-without-workflow", "alice-contents"];
    for token in tokens {
        for method in ["merge", "squash", "rebase"] {
            let body = json!({"merge_method": method});
            let answer = merge(&service, token, &flow["number"], body).await;
            assert_eq!(answer.status, 403, "{token} {method}: {}", answer.text);
        }
    }
    assert_eq!(tip(&service, "main").await, before);
    assert_eq!(get_pull(&service, &flow["number"]).await["state"], "open");
    for (token, pull) in [("alice", &flow), ("alice-contents", &topic)] {
        merge(&service, token, &pull["number"], json!({}))
            .await
            .expect(200);
    }
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
    let clash = create_pull(&service, "alice", "clash").await;
    let message = "Pull Request is not mergeable";
    for body in [json!({}), json!({"merge_method": "squash"})] {
        let answer = merge(&service, "alice", &clash["number"], body)
            .await
            .expect(405);
        assert_eq!(answer.message(), message);
    }
    let body = json!({"merge_method": "rebase"});
    let answer = merge(&service, "alice", &clash["number"], body)
        .await
        .expect(405);
    assert_eq!(answer.message(), "This branch can't be rebased");
    let created = create_pull(&service, "alice", "topic").await;
    merge(&service, "alice", &created["number"], json!({}))
        .await
        .expect(200);
    let answer = merge(&service, "alice", &created["number"], json!({})).await;
    assert_eq!(answer.expect(405).message(), message);
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
async fn merge_pull_405_when_the_repository_does_not_allow_the_method() {
    let service = start().await;
    let created = create_pull(&service, "alice", "topic").await;
    let number = &created["number"];
    let before = tip(&service, "main").await;
    for (column, body, message) in [
        (
            "allow_merge_commit",
            json!({}),
            "Merge commits are not allowed on this repository.",
        ),
        (
            "allow_squash_merge",
            json!({"merge_method": "squash"}),
            "Squash merges are not allowed on this repository.",
        ),
        (
            "allow_rebase_merge",
            json!({"merge_method": "rebase"}),
            "Rebase merges are not allowed on this repository.",
        ),
    ] {
        let set = |value: &str| format!("UPDATE repository SET {column} = {value} WHERE id = 2002");
        service.execute(&set("FALSE")).await;
        let answer = merge(&service, "alice", number, body).await.expect(405);
        assert_eq!(answer.message(), message);
        service.execute(&set("TRUE")).await;
    }
    assert_eq!(tip(&service, "main").await, before);
    let forbid = "UPDATE repository SET allow_merge_commit = FALSE WHERE id = 2002";
    service.execute(forbid).await;
    let body = json!({"merge_method": "squash"});
    merge(&service, "alice", number, body).await.expect(200);
}

#[tokio::test]
async fn merge_pull_409_when_sha_is_not_the_head() {
    let service = start().await;
    let created = create_pull(&service, "alice", "topic").await;
    let body = json!({"sha": tip(&service, "first").await});
    let answer = merge(&service, "alice", &created["number"], body)
        .await
        .expect(409);
    let message = "Head branch was modified. Review and try the merge again.";
    assert_eq!(answer.message(), message);
}

#[tokio::test]
async fn merge_pull_422_for_an_unknown_method() {
    let service = start().await;
    let created = create_pull(&service, "alice", "topic").await;
    let body = json!({"merge_method": "octopus"});
    merge(&service, "alice", &created["number"], body)
        .await
        .expect(422);
}
