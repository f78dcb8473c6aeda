//! Listing and getting references: the names that match, the answer, and when it is 304.

use git::pushes;
use sea_orm::ActiveValue::Set;
use serde_json::json;
use storage::entities::git_object::ObjectKind;

use super::seed::{GADGETS, WIDGETS, gadgets, insert_ref, start, update_repository};
use super::{MATCHING, REF, REFS, names, seed};

#[tokio::test]
async fn list_matching_refs_200_with_every_reference_without_a_prefix() {
    let (service, history) = gadgets().await;
    insert_ref(
        &service,
        GADGETS,
        "refs/notes/commits",
        &history.main,
        ObjectKind::Commit,
    )
    .await;
    insert_ref(
        &service,
        GADGETS,
        "refs/stash",
        &history.main,
        ObjectKind::Commit,
    )
    .await;
    for path in [MATCHING.to_owned(), format!("{MATCHING}/")] {
        let answer = service.anonymous().get(&path).await.expect(200);
        assert_eq!(
            names(&answer),
            [
                "refs/heads/main",
                "refs/heads/side",
                "refs/notes/commits",
                "refs/stash",
                "refs/tags/v1"
            ],
            "{path}"
        );
        assert_eq!(answer.header("x-poll-interval"), Some("300"));
        assert_eq!(answer.header("link"), None);
    }
}

#[tokio::test]
async fn list_matching_refs_304_until_a_reference_changes_or_is_deleted() {
    let (service, _) = gadgets().await;
    let now = service.app.clock.now().0;
    let transaction = service.app.db.begin().await.unwrap();
    pushes::record(&transaction, GADGETS, now).await.unwrap();
    transaction.commit().await.unwrap();
    let alice = service.as_("alice-classic");
    let at_once = alice.get(MATCHING).await.expect(200);
    assert_eq!(
        at_once.header("last-modified"),
        None,
        "omitted for the current second"
    );
    service.clock.advance(60);
    let answer = alice.get(MATCHING).await.expect(200);
    let tag = answer.header("etag").unwrap();
    let since = answer.header("last-modified").unwrap();
    assert_eq!(since, "Tue, 10 Mar 2026 09:30:00 GMT");
    let tagged = alice.clone().header("If-None-Match", tag);
    let dated = alice.clone().header("If-Modified-Since", since);
    tagged.get(MATCHING).await.expect(304);
    dated.get(MATCHING).await.expect(304);
    alice
        .delete(&format!("{REFS}/heads/side"))
        .await
        .expect(204);
    tagged.get(MATCHING).await.expect(200);
    dated.get(MATCHING).await.expect(200);
}

#[tokio::test]
async fn list_matching_refs_401_with_an_unknown_credential() {
    let (service, _) = gadgets().await;
    service.as_("nobody").get(MATCHING).await.expect(401);
}

#[tokio::test]
async fn list_matching_refs_404_when_the_repository_is_hidden_or_absent() {
    let (service, _) = gadgets().await;
    let hidden = "/repos/acme/widgets/git/matching-refs/heads";
    service.anonymous().get(hidden).await.expect(404);
    service.as_("mallory-classic").get(hidden).await.expect(404);
    let absent = "/repos/acme/nothing/git/matching-refs/heads";
    service.as_("alice-classic").get(absent).await.expect(404);
}

#[tokio::test]
async fn list_matching_refs_409_when_the_repository_is_empty() {
    let service = start().await;
    let answer = service.anonymous().get(MATCHING).await.expect(409);
    assert_eq!(answer.message(), "Git Repository is empty.");
}

#[tokio::test]
async fn get_ref_200_with_any_escaping_of_the_name() {
    let (service, history) = gadgets().await;
    insert_ref(
        &service,
        GADGETS,
        "refs/heads/feature/a #1",
        &history.side,
        ObjectKind::Commit,
    )
    .await;
    service.clock.advance(1);
    for written in [
        "heads/feature/a%20%231",
        "heads%2Ffeature%2Fa%20%231",
        "heads%2Ffeature/a%20%231",
    ] {
        let answer = service
            .anonymous()
            .get(&format!("/api/v3{REF}/{written}"))
            .await
            .expect(200);
        let base = "/api/v3/repos/acme/gadgets/git";
        let body = answer.json();
        assert_eq!(body["ref"], "refs/heads/feature/a #1");
        assert!(
            body["url"]
                .as_str()
                .unwrap()
                .ends_with(&format!("{base}/refs/heads/feature/a%20%231")),
            "{body}"
        );
        assert_eq!(body["object"]["type"], "commit");
        assert_eq!(body["object"]["sha"], history.side);
        let commit = format!("{base}/commits/{}", history.side);
        assert!(
            body["object"]["url"].as_str().unwrap().ends_with(&commit),
            "{body}"
        );
        assert_eq!(answer.header("x-poll-interval"), Some("300"));
        assert_eq!(
            answer.header("last-modified"),
            Some("Tue, 10 Mar 2026 09:30:00 GMT"),
            "the time of the last change of the repository"
        );
    }
}

#[tokio::test]
async fn get_ref_200_instead_of_304_after_a_rename() {
    let (service, _) = gadgets().await;
    let path = format!("{REF}/heads/main");
    service.clock.advance(60);
    let answer = service.anonymous().get(&path).await.expect(200);
    let since = answer.header("last-modified").unwrap().to_owned();
    let dated = service.anonymous().header("If-Modified-Since", since);
    dated.get(&path).await.expect(304);
    let now = service.app.clock.now().0;
    update_repository(&service, GADGETS, |row| {
        (row.name, row.updated_at) = (Set("Gadgets".to_owned()), Set(now));
    })
    .await;
    let renamed = dated.get(&path).await.expect(200).json();
    let url = renamed["url"].as_str().unwrap();
    assert!(
        url.ends_with("/repos/acme/Gadgets/git/refs/heads/main"),
        "{url}"
    );
}

#[tokio::test]
async fn get_ref_200_names_the_kind_of_every_object() {
    let (service, history) = gadgets().await;
    insert_ref(
        &service,
        GADGETS,
        "refs/odd/blob",
        &history.blob,
        ObjectKind::Blob,
    )
    .await;
    insert_ref(
        &service,
        GADGETS,
        "refs/odd/tree",
        &history.tree,
        ObjectKind::Tree,
    )
    .await;
    for (path, kind, folder, sha) in [
        ("tags/v1", "tag", "tags", &history.tag),
        ("odd/blob", "blob", "blobs", &history.blob),
        ("odd/tree", "tree", "trees", &history.tree),
    ] {
        let body = service
            .anonymous()
            .get(&format!("{REF}/{path}"))
            .await
            .expect(200)
            .json();
        assert_eq!(body["object"]["type"], kind);
        assert_eq!(body["object"]["sha"], **sha);
        let url = body["object"]["url"].as_str().unwrap();
        assert!(url.ends_with(&format!("/git/{folder}/{sha}")), "{url}");
    }
    let body = service
        .anonymous()
        .get(&format!("{REF}/heads/main"))
        .await
        .json();
    assert_eq!(body["node_id"], "REF_kwDNB9KvcmVmcy9oZWFkcy9tYWlu");
}

#[tokio::test]
async fn get_ref_304_until_it_moves() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    let path = format!("{REF}/heads/main");
    let tag = alice
        .get(&path)
        .await
        .expect(200)
        .header("etag")
        .unwrap()
        .to_owned();
    let conditional = alice.clone().header("If-None-Match", tag);
    conditional.get(&path).await.expect(304);
    let body = json!({"sha": history.ahead});
    alice
        .patch(&format!("{REFS}/heads/main"), body)
        .await
        .expect(200);
    conditional.get(&path).await.expect(200);
}

#[tokio::test]
async fn get_ref_401_with_an_unknown_credential() {
    let (service, _) = gadgets().await;
    service
        .as_("nobody")
        .get(&format!("{REF}/heads/main"))
        .await
        .expect(401);
}

#[tokio::test]
async fn get_ref_404_unless_the_name_is_exact() {
    let (service, _) = gadgets().await;
    for written in [
        "heads/mai",
        "heads/main2",
        "heads",
        "heads/",
        "Heads/main",
        "refs/heads/main",
        "heads/main/",
        "main",
        "heads/a..b",
        "%2F",
    ] {
        let answer = service.anonymous().get(&format!("{REF}/{written}")).await;
        assert_eq!(answer.status.as_u16(), 404, "{written}: {}", answer.text);
    }
    let hidden = "/repos/acme/widgets/git/ref/heads/main";
    service.as_("mallory-classic").get(hidden).await.expect(404);
}

#[tokio::test]
async fn get_ref_409_when_the_repository_is_empty() {
    let service = start().await;
    let answer = service
        .anonymous()
        .get(&format!("{REF}/heads/main"))
        .await
        .expect(409);
    assert_eq!(answer.message(), "Git Repository is empty.");
}

/// Only creating needs a branch; without any reference the repository is empty.
#[tokio::test]
async fn get_ref_200_and_the_others_in_a_repository_with_tags_but_no_branch() {
    let service = start().await;
    let history = seed::create_history(&service, WIDGETS).await;
    let carol = service.as_("carol-classic");
    update_repository(&service, WIDGETS, |row| {
        row.default_branch = Set("trunk".to_owned());
    })
    .await;
    let git = "/repos/acme/widgets/git";
    for branch in ["main", "side"] {
        let path = format!("{git}/refs/heads/{branch}");
        carol.delete(&path).await.expect(204);
    }
    let tag = carol.get(&format!("{git}/ref/tags/v1")).await.expect(200);
    assert_eq!(tag.json()["ref"], "refs/tags/v1");
    for list in ["matching-refs", "matching-refs/tags/v", "refs", "refs/tags"] {
        let listed = carol.get(&format!("{git}/{list}")).await.expect(200);
        assert_eq!(names(&listed), ["refs/tags/v1"], "{list}");
    }
    let branches = format!("{git}/matching-refs/heads/");
    assert_eq!(names(&carol.get(&branches).await.expect(200)), [""; 0]);
    let branch = format!("{git}/ref/heads/main");
    carol.get(&branch).await.expect(404);
    let main = json!({"sha": history.main, "force": true});
    let path = format!("{git}/refs/heads/main");
    let missing = carol.patch(&path, main.clone()).await.expect(422);
    assert_eq!(missing.message(), "Reference does not exist");
    let new = json!({"ref": "refs/tags/v2", "sha": history.main});
    carol.post(&format!("{git}/refs"), new).await.expect(409);
    let path = format!("{git}/refs/tags/v1");
    let moved = carol.patch(&path, main).await.expect(200);
    assert_eq!(moved.json()["object"]["sha"], history.main);
    carol.delete(&path).await.expect(204);
    for empty in ["ref/tags/v1", "matching-refs", "matching-refs/heads/"] {
        carol.get(&format!("{git}/{empty}")).await.expect(409);
    }
    carol.delete(&path).await.expect(409);
}
