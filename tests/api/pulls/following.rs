//! What becomes of pull requests when their base does.

use serde_json::json;

use super::{PULLS, REFS, merge, opened, pull, start, tip};

#[tokio::test]
async fn update_ref_200_of_a_base_merges_what_it_contains() {
    let service = start().await;
    let (alice, carol) = (service.as_("alice"), service.as_("carol"));
    opened(&service, "bob-classic", "topic").await;
    opened(&service, "bob-classic", "first").await;
    opened(&service, "bob-classic", "clash").await;
    let base = tip(&service, "main").await;
    let head = tip(&service, "topic").await;
    let body = json!({"sha": head, "force": true});
    carol
        .patch(&format!("{REFS}/heads/main"), body)
        .await
        .expect(200);
    for (number, sha) in [(1, head), (2, tip(&service, "first").await)] {
        let now = pull(&service, &json!(number)).await;
        assert_eq!(
            (&now["merged"], &now["state"]),
            (&json!(true), &json!("closed"))
        );
        assert_eq!(now["merge_commit_sha"], sha);
        assert_eq!(now["merged_by"]["login"], "carol");
        assert_eq!(now["base"]["sha"], base);
    }
    assert_eq!(pull(&service, &json!(3)).await["state"], "open");
    let path = format!("{PULLS}/1/merge");
    alice.get(&path).await.expect(204);
}

#[tokio::test]
async fn delete_ref_204_of_a_base_closes_pull_requests() {
    let service = start().await;
    let alice = service.as_("alice");
    let body = json!({"title": "On top", "head": "topic", "base": "first"});
    alice.post(PULLS, body).await.expect(201);
    alice
        .delete(&format!("{REFS}/heads/first"))
        .await
        .expect(204);
    let now = pull(&service, &json!(1)).await;
    assert_eq!(
        (&now["state"], &now["merged"]),
        (&json!("closed"), &json!(false))
    );
    let answer = alice
        .patch(&format!("{PULLS}/1"), json!({"state": "open"}))
        .await;
    answer.expect(422);
}

#[tokio::test]
async fn delete_ref_204_of_a_merged_base_passes_pull_requests_on() {
    let service = start().await;
    let alice = service.as_("alice");
    let first = opened(&service, "alice", "first").await;
    let body = json!({"title": "On top", "head": "topic", "base": "first"});
    alice.post(PULLS, body).await.expect(201);
    merge(&service, "alice", &first["number"], json!({}))
        .await
        .expect(200);
    alice
        .delete(&format!("{REFS}/heads/first"))
        .await
        .expect(204);
    let now = pull(&service, &json!(2)).await;
    assert_eq!(
        (&now["state"], &now["base"]["ref"]),
        (&json!("open"), &json!("main"))
    );
    assert_eq!(now["commits"], 1);
    assert_eq!(now["mergeable"], true);
}

#[tokio::test]
async fn merge_pull_200_makes_an_outsider_a_contributor() {
    let world = super::WORLD.replace(
        "refs/heads/alone: alone}",
        "refs/heads/alone: alone}\n    pulls:\n      - {id: 4001, number: 7, title: Words, author: mallory, base: main, head: topic}",
    );
    let service = crate::harness::Service::with(&world, Default::default()).await;
    let number = json!(7);
    assert_eq!(pull(&service, &number).await["author_association"], "NONE");
    merge(&service, "alice", &number, json!({}))
        .await
        .expect(200);
    let now = pull(&service, &number).await;
    assert_eq!(now["author_association"], "CONTRIBUTOR");
    let next = opened(&service, "alice", "flow").await;
    assert_eq!(next["number"], 8);
}
