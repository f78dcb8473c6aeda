//! Updating references: by fast-forward, by force, or not at all.

use git::pushes;
use serde_json::json;
use storage::entities::git_object::ObjectKind;

use super::seed::{GADGETS, archive, gadgets, insert_ref, start};
use super::{REF, REFS, sha_of};

#[tokio::test]
async fn update_ref_200_for_a_fast_forward_and_with_force() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    let path = format!("{REFS}/heads/main");
    let answer = alice
        .patch(&path, json!({"sha": history.ahead}))
        .await
        .expect(200);
    let body = answer.json();
    assert_eq!(body["ref"], "refs/heads/main");
    assert_eq!(body["object"]["sha"], history.ahead);
    assert!(
        body["url"]
            .as_str()
            .unwrap()
            .ends_with("/git/refs/heads/main")
    );
    for sha in [&history.side, &history.root, &history.main] {
        let body = json!({"sha": sha, "force": true});
        alice.patch(&path, body).await.expect(200);
        assert_eq!(sha_of(&service, "heads/main").await.as_ref(), Some(sha));
    }
}

#[tokio::test]
async fn update_ref_200_without_effect_when_it_already_points_there() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    let before = alice.get(&format!("{REF}/heads/main")).await.json();
    let body = json!({"sha": history.main});
    let answer = alice
        .patch(&format!("{REFS}/heads/main"), body)
        .await
        .expect(200);
    assert_eq!(answer.json(), before);
    let pushed_at = pushes::last(service.app.db.reads(), GADGETS).await;
    assert_eq!(pushed_at.unwrap(), None);
}

#[tokio::test]
async fn update_ref_200_for_objects_that_are_not_commits() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    insert_ref(
        &service,
        GADGETS,
        "refs/odd/blob",
        &history.blob,
        ObjectKind::Blob,
    )
    .await;
    let blob = format!("{REFS}/odd/blob");
    alice
        .patch(&blob, json!({"sha": history.other_blob}))
        .await
        .expect(200);
    let answer = alice
        .patch(&blob, json!({"sha": history.root}))
        .await
        .expect(200);
    assert_eq!(answer.json()["object"]["type"], "commit");
    // The reference now points at a commit, so a blob would lose its history.
    let answer = alice
        .patch(&blob, json!({"sha": history.blob}))
        .await
        .expect(422);
    assert_eq!(answer.message(), "Update is not a fast forward");
    // A tag counts as the commit that it points at.
    let tag = format!("{REFS}/tags/v1");
    alice
        .patch(&tag, json!({"sha": history.tag_of_tag}))
        .await
        .expect(200);
    alice
        .patch(&tag, json!({"sha": history.main}))
        .await
        .expect(200);
    alice
        .patch(&tag, json!({"sha": history.tag}))
        .await
        .expect(422);
    let forced = json!({"sha": history.tag, "force": true});
    alice.patch(&tag, forced).await.expect(200);
}

#[tokio::test]
async fn update_ref_200_by_post_to_the_reference() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    let path = format!("{REFS}/heads/main");
    let answer = alice.post(&path, json!({"sha": history.ahead})).await;
    let moved = answer.expect(200).json();
    assert_eq!(moved["ref"], "refs/heads/main");
    assert_eq!(moved["object"]["sha"], history.ahead);
    let answer = alice.post(&path, json!({"sha": history.side})).await;
    assert_eq!(answer.expect(422).message(), "Update is not a fast forward");
    let missing = format!("{REFS}/heads/new");
    let answer = alice.post(&missing, json!({"sha": history.side})).await;
    assert_eq!(answer.expect(422).message(), "Reference does not exist");
}

#[tokio::test]
async fn update_ref_401_without_a_valid_credential() {
    let (service, history) = gadgets().await;
    let path = format!("{REFS}/heads/main");
    let body = json!({"sha": history.ahead});
    service
        .anonymous()
        .patch(&path, body.clone())
        .await
        .expect(401);
    service.as_("nobody").patch(&path, body).await.expect(401);
}

#[tokio::test]
async fn update_ref_403_without_push_access_or_when_archived() {
    let (service, history) = gadgets().await;
    let path = format!("{REFS}/heads/main");
    let body = json!({"sha": history.ahead});
    service
        .as_("bob-classic")
        .patch(&path, body.clone())
        .await
        .expect(403);
    archive(&service, GADGETS).await;
    let answer = service
        .as_("alice-classic")
        .patch(&path, body)
        .await
        .expect(403);
    assert_eq!(answer.message(), "Repository was archived so is read-only.");
}

#[tokio::test]
async fn update_ref_404_when_the_repository_is_hidden() {
    let (service, history) = gadgets().await;
    let hidden = "/repos/acme/widgets/git/refs/heads/main";
    let body = json!({"sha": history.ahead});
    service
        .as_("mallory-classic")
        .patch(hidden, body)
        .await
        .expect(404);
}

#[tokio::test]
async fn update_ref_409_when_the_repository_is_empty() {
    let service = start().await;
    let body = json!({"sha": "0".repeat(40)});
    let answer = service
        .as_("alice-classic")
        .patch(&format!("{REFS}/heads/main"), body)
        .await;
    assert_eq!(answer.expect(409).message(), "Git Repository is empty.");
}

#[tokio::test]
async fn update_ref_422_when_not_a_fast_forward() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    for sha in [&history.side, &history.root] {
        let path = format!("{REFS}/heads/main");
        for body in [json!({"sha": sha}), json!({"sha": sha, "force": false})] {
            let answer = alice.patch(&path, body).await.expect(422);
            assert_eq!(answer.message(), "Update is not a fast forward");
        }
    }
    assert_eq!(sha_of(&service, "heads/main").await, Some(history.main));
}

#[tokio::test]
async fn update_ref_422_when_there_is_no_such_reference_or_object() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    let body = json!({"sha": history.ahead});
    for missing in [
        "heads/new",
        "refs/heads/main",
        "heads/mai",
        "heads",
        "heads/a..b",
    ] {
        let answer = alice
            .patch(&format!("{REFS}/{missing}"), body.clone())
            .await
            .expect(422);
        assert_eq!(answer.message(), "Reference does not exist", "{missing}");
    }
    let path = format!("{REFS}/heads/main");
    for (sha, message) in [
        ("0".repeat(40), "Object does not exist"),
        (history.blob, "Object is not a commit"),
        (history.tag, "Object is not a commit"),
    ] {
        let answer = alice
            .patch(&path, json!({"sha": sha, "force": true}))
            .await
            .expect(422);
        assert_eq!(answer.message(), message);
    }
    for sha in ["", "0123", &"z".repeat(40), &"0".repeat(41)] {
        let answer = alice.patch(&path, json!({"sha": sha})).await.expect(422);
        assert_eq!(
            answer.message(),
            "The sha parameter must be exactly 40 characters and contain only [0-9a-f]."
        );
    }
    let answer = alice.patch(&path, json!({})).await.expect(422);
    assert_eq!(
        answer.message(),
        "Invalid request.\n\n\"sha\" wasn't supplied."
    );
    let answer = alice
        .patch(&path, json!({"sha": history.ahead, "force": "yes"}))
        .await
        .expect(422);
    assert!(
        answer.message().contains("is not a boolean"),
        "{}",
        answer.text
    );
}
