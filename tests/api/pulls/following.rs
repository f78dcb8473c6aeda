//! How pull requests follow changes of their base branch.

use serde_json::json;

use super::{PULLS, REFS, create_pull, get_pull, merge, start, tip};

#[tokio::test]
async fn update_ref_200_of_a_base_marks_contained_pull_requests_as_merged() {
    let service = start().await;
    let (alice, carol) = (service.as_("alice"), service.as_("carol"));
    create_pull(&service, "bob-classic", "topic").await;
    create_pull(&service, "bob-classic", "first").await;
    create_pull(&service, "bob-classic", "clash").await;
    let base = tip(&service, "main").await;
    let head = tip(&service, "topic").await;
    let body = json!({"sha": head, "force": true});
    carol
        .patch(&format!("{REFS}/heads/main"), body)
        .await
        .expect(200);
    for (number, sha) in [(1, head), (2, tip(&service, "first").await)] {
        let pull = get_pull(&service, &json!(number)).await;
        assert_eq!(
            (&pull["merged"], &pull["state"]),
            (&json!(true), &json!("closed"))
        );
        assert_eq!(pull["merge_commit_sha"], sha);
        assert_eq!(pull["merged_by"]["login"], "carol");
        assert_eq!(pull["base"]["sha"], base);
    }
    assert_eq!(get_pull(&service, &json!(3)).await["state"], "open");
    let path = format!("{PULLS}/1/merge");
    alice.get(&path).await.expect(204);
}

#[tokio::test]
async fn delete_ref_204_of_a_base_closes_its_pull_requests() {
    let service = start().await;
    let alice = service.as_("alice");
    let body = json!({"title": "On top", "head": "topic", "base": "first"});
    alice.post(PULLS, body).await.expect(201);
    alice
        .delete(&format!("{REFS}/heads/first"))
        .await
        .expect(204);
    let pull = get_pull(&service, &json!(1)).await;
    assert_eq!(
        (&pull["state"], &pull["merged"]),
        (&json!("closed"), &json!(false))
    );
    let answer = alice
        .patch(&format!("{PULLS}/1"), json!({"state": "open"}))
        .await;
    answer.expect(422);
}

#[tokio::test]
async fn delete_ref_204_of_a_merged_base_retargets_its_pull_requests() {
    let service = start().await;
    let alice = service.as_("alice");
    let first = create_pull(&service, "alice", "first").await;
    let body = json!({"title": "On top", "head": "topic", "base": "first"});
    alice.post(PULLS, body).await.expect(201);
    merge(&service, "alice", &first["number"], json!({}))
        .await
        .expect(200);
    alice
        .delete(&format!("{REFS}/heads/first"))
        .await
        .expect(204);
    let pull = get_pull(&service, &json!(2)).await;
    assert_eq!(
        (&pull["state"], &pull["base"]["ref"]),
        (&json!("open"), &json!("main"))
    );
    assert_eq!(pull["commits"], 1);
    assert_eq!(pull["mergeable"], true);
}

#[tokio::test]
async fn merge_pull_200_makes_an_outsider_a_contributor() {
    let world = super::WORLD.replace(
        "refs/heads/alone: alone}",
        "refs/heads/alone: alone}\n    pulls:\n      - {id: 4001, number: 7, title: Words, author: mallory, base: main, head: topic}",
    );
    let service = crate::harness::Service::with(&world, Default::default()).await;
    let number = json!(7);
    assert_eq!(
        get_pull(&service, &number).await["author_association"],
        "NONE"
    );
    merge(&service, "alice", &number, json!({}))
        .await
        .expect(200);
    let pull = get_pull(&service, &number).await;
    assert_eq!(pull["author_association"], "CONTRIBUTOR");
    let next = create_pull(&service, "alice", "flow").await;
    assert_eq!(next["number"], 8);
}
