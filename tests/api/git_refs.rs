//! Git references, as `Spec, Git references` has them. The older paths are in
//! `companion.rs`, workflow files in `workflows.rs`, pull requests in `pulls.rs`,
//! and the comparison with the `git` program in `real.rs`.

mod companion;
mod examples;
mod pulls;
mod real;
mod seed;
mod workflows;

use forgewright::entities::git_object::Kind;
use sea_orm::ActiveValue::Set;
use sea_orm::EntityTrait;
use serde_json::json;

use crate::harness::{Answer, Service};
use seed::{GADGETS, WIDGETS, archive, change, gadgets, name, start};

const REFS: &str = "/repos/acme/gadgets/git/refs";
const REF: &str = "/repos/acme/gadgets/git/ref";
const MATCHING: &str = "/repos/acme/gadgets/git/matching-refs";

/// The names in a list of references.
fn names(answer: &Answer) -> Vec<String> {
    let list = answer.json();
    let names = list.as_array().unwrap().iter();
    names
        .map(|item| item["ref"].as_str().unwrap().to_owned())
        .collect()
}

/// What a reference points at, or nothing.
async fn sha_of(service: &Service, name: &str) -> Option<String> {
    let answer = service
        .as_("alice-classic")
        .get(&format!("{REF}/{name}"))
        .await;
    match answer.status.as_u16() {
        200 => Some(answer.json()["object"]["sha"].as_str().unwrap().to_owned()),
        _ => None,
    }
}

#[tokio::test]
async fn list_matching_refs_200_with_the_whole_list_when_nothing_is_supplied() {
    let (service, history) = gadgets().await;
    name(
        &service,
        GADGETS,
        "refs/notes/commits",
        &history.main,
        Kind::Commit,
    )
    .await;
    name(&service, GADGETS, "refs/stash", &history.main, Kind::Commit).await;
    for path in [
        MATCHING.to_owned(),
        format!("{MATCHING}/"),
        format!("{MATCHING}/%2F"),
    ] {
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
async fn list_matching_refs_200_by_plain_prefix_in_byte_order() {
    let (service, history) = gadgets().await;
    for branch in [
        "feature",
        "featureA",
        "featureB",
        "feature/x",
        "FeatureC",
        "füßchen",
        "f#1",
    ] {
        let full = format!("refs/heads/{branch}");
        let full = full.replace("refs/heads/feature/x", "refs/heads/feature-/x");
        name(&service, GADGETS, &full, &history.main, Kind::Commit).await;
    }
    let list = async |prefix: &str| {
        let path = format!("{MATCHING}/{prefix}");
        names(&service.anonymous().get(&path).await.expect(200))
    };
    assert_eq!(
        list("heads/feature").await,
        [
            "refs/heads/feature",
            "refs/heads/feature-/x",
            "refs/heads/featureA",
            "refs/heads/featureB"
        ]
    );
    assert_eq!(list("heads%2FfeatureA").await, ["refs/heads/featureA"]);
    assert_eq!(list("heads/feature-/").await, ["refs/heads/feature-/x"]);
    assert_eq!(list("heads/F").await, ["refs/heads/FeatureC"]);
    assert_eq!(list("heads/f%23").await, ["refs/heads/f#1"]);
    assert_eq!(list("heads/f%C3%BC").await, ["refs/heads/füßchen"]);
    assert_eq!(list("h").await.len(), 9);
    assert_eq!(list("heads/").await.len(), 9);
    assert_eq!(list("heads/").await.first().unwrap(), "refs/heads/FeatureC");
    assert_eq!(list("heads/").await.last().unwrap(), "refs/heads/side");
    assert_eq!(list("refs/heads").await, [""; 0]);
    assert_eq!(list(&history.main).await, [""; 0]);
    assert_eq!(list("heads/feature%25").await, [""; 0]);
    assert_eq!(list("heads/feature_").await, [""; 0]);
}

#[tokio::test]
async fn list_matching_refs_304_until_a_reference_changes_or_is_deleted() {
    let (service, _) = gadgets().await;
    change(&service, GADGETS, |row| {
        row.pushed_at = Set(Some(service.app.clock.now().0));
    })
    .await;
    let alice = service.as_("alice-classic");
    let at_once = alice.get(MATCHING).await.expect(200);
    assert_eq!(
        at_once.header("last-modified"),
        None,
        "the second is not over"
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
async fn list_matching_refs_401_with_a_credential_that_is_unknown() {
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
async fn get_ref_200_with_every_way_to_write_the_name() {
    let (service, history) = gadgets().await;
    name(
        &service,
        GADGETS,
        "refs/heads/feature/a #1",
        &history.side,
        Kind::Commit,
    )
    .await;
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
            Some("Thu, 01 Jan 1970 00:00:01 GMT")
        );
    }
}

#[tokio::test]
async fn get_ref_200_names_the_kind_of_every_object() {
    let (service, history) = gadgets().await;
    name(
        &service,
        GADGETS,
        "refs/odd/blob",
        &history.blob,
        Kind::Blob,
    )
    .await;
    name(
        &service,
        GADGETS,
        "refs/odd/tree",
        &history.tree,
        Kind::Tree,
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
    let known = alice.clone().header("If-None-Match", tag);
    known.get(&path).await.expect(304);
    let body = json!({"sha": history.ahead});
    alice
        .patch(&format!("{REFS}/heads/main"), body)
        .await
        .expect(200);
    known.get(&path).await.expect(200);
}

#[tokio::test]
async fn get_ref_401_with_a_credential_that_is_unknown() {
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
    let history = seed::fill(&service, WIDGETS).await;
    let answer = service
        .anonymous()
        .get(&format!("{REF}/heads/main"))
        .await
        .expect(409);
    assert_eq!(answer.message(), "Git Repository is empty.");
    // A tag does not make a repository less empty: it has no branch.
    let carol = service.as_("carol-classic");
    change(&service, WIDGETS, |row| {
        row.default_branch = Set("trunk".to_owned());
    })
    .await;
    for branch in ["main", "side"] {
        let path = format!("/repos/acme/widgets/git/refs/heads/{branch}");
        carol.delete(&path).await.expect(204);
    }
    carol
        .get("/repos/acme/widgets/git/ref/tags/v1")
        .await
        .expect(409);
    let body = json!({"ref": "refs/heads/main", "sha": history.main});
    carol
        .post("/repos/acme/widgets/git/refs", body)
        .await
        .expect(409);
}

#[tokio::test]
async fn create_ref_201_for_every_kind_of_object_in_any_namespace() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    for (full, sha, kind) in [
        ("refs/heads/feature/b", &history.side, "commit"),
        ("refs/heads/ünïcode#1", &history.root, "commit"),
        ("refs/tags/light", &history.main, "commit"),
        ("refs/tags/annotated", &history.tag, "tag"),
        ("refs/others/blob", &history.blob, "blob"),
        ("refs/others/tree", &history.tree, "tree"),
    ] {
        let answer = alice
            .post(REFS, json!({"ref": full, "sha": sha}))
            .await
            .expect(201);
        let body = answer.json();
        assert_eq!(body["ref"], full);
        assert_eq!(body["object"]["sha"], **sha);
        assert_eq!(body["object"]["type"], kind);
        assert_eq!(answer.header("location"), body["url"].as_str());
        let read = full.strip_prefix("refs/").unwrap().replace('#', "%23");
        let read = alice.get(&format!("{REF}/{read}")).await.expect(200);
        assert_eq!(read.json(), body);
    }
    let row = forgewright::entities::repository::Entity::find_by_id(GADGETS)
        .one(service.app.db.reads())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(row.pushed_at, Some(service.app.clock.now().0));
}

#[tokio::test]
async fn create_ref_401_without_a_valid_credential() {
    let (service, history) = gadgets().await;
    let body = json!({"ref": "refs/heads/new", "sha": history.main});
    let answer = service
        .anonymous()
        .post(REFS, body.clone())
        .await
        .expect(401);
    assert_eq!(answer.message(), "Requires authentication");
    service.as_("nobody").post(REFS, body).await.expect(401);
}

#[tokio::test]
async fn create_ref_403_without_push_access_or_when_archived() {
    let (service, history) = gadgets().await;
    let body = json!({"ref": "refs/heads/new", "sha": history.main});
    for (token, message) in [
        ("bob-classic", "Must have push access to repository"),
        (
            "alice-fine-metadata",
            "Resource not accessible by personal access token",
        ),
        (
            "ci-bot-installation",
            "Resource not accessible by integration",
        ),
    ] {
        let answer = service
            .as_(token)
            .post(REFS, body.clone())
            .await
            .expect(403);
        assert_eq!(answer.message(), message, "{token}");
    }
    archive(&service, GADGETS).await;
    let answer = service
        .as_("alice-classic")
        .post(REFS, body)
        .await
        .expect(403);
    assert_eq!(answer.message(), "Repository was archived so is read-only.");
}

#[tokio::test]
async fn create_ref_404_when_the_repository_is_hidden() {
    let (service, history) = gadgets().await;
    let body = json!({"ref": "refs/heads/new", "sha": history.main});
    let hidden = "/repos/acme/widgets/git/refs";
    service
        .as_("mallory-classic")
        .post(hidden, body)
        .await
        .expect(404);
}

#[tokio::test]
async fn create_ref_409_when_the_repository_is_empty_even_if_the_object_exists() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    change(&service, GADGETS, |row| {
        row.default_branch = Set("trunk".to_owned());
    })
    .await;
    for branch in ["main", "side"] {
        alice
            .delete(&format!("{REFS}/heads/{branch}"))
            .await
            .expect(204);
    }
    let body = json!({"ref": "refs/heads/main", "sha": history.main});
    let answer = alice.post(REFS, body).await.expect(409);
    assert_eq!(answer.message(), "Git Repository is empty.");
}

#[tokio::test]
async fn create_ref_422_for_a_name_that_git_would_not_take() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    let long = format!("refs/heads/{}", "a".repeat(1100));
    let like_a_commit = format!("refs/heads/{}", history.main);
    for (full, message) in [
        ("heads/new", "Reference name must start with 'refs/'."),
        (
            "refs/new",
            "Reference name must contain at least three slash-separated components.",
        ),
        ("refs/heads/a..b", "Reference update failed"),
        ("refs/heads/.a", "Reference update failed"),
        ("refs/heads/a.lock", "Reference update failed"),
        ("refs/heads/a b", "Reference update failed"),
        ("refs/heads/a\u{7}", "Reference update failed"),
        ("refs/heads/a/", "Reference update failed"),
        ("refs/heads//a", "Reference update failed"),
        ("refs/heads/@{a", "Reference update failed"),
        (&like_a_commit, "Reference update failed"),
        (&long, "Reference update failed"),
    ] {
        let answer = alice
            .post(REFS, json!({"ref": full, "sha": history.main}))
            .await
            .expect(422);
        assert_eq!(answer.message(), message, "{full}");
    }
}

#[tokio::test]
async fn create_ref_422_for_an_object_that_cannot_be_named() {
    let (service, history) = gadgets().await;
    seed::fill(&service, WIDGETS).await;
    let alice = service.as_("alice-classic");
    let create = async |full: &str, sha: &str| {
        let answer = alice
            .post(REFS, json!({"ref": full, "sha": sha}))
            .await
            .expect(422);
        answer.message()
    };
    let zeros = "0".repeat(40);
    assert_eq!(
        create("refs/heads/new", &zeros).await,
        "Object does not exist"
    );
    assert_eq!(
        create("refs/heads/new", &"z".repeat(40)).await,
        "Object does not exist"
    );
    assert_eq!(
        create("refs/heads/new", &history.main[..7]).await,
        "Invalid request.\n\nFor 'properties/sha', At least 40 characters are required; only 7 were supplied."
    );
    for sha in [&history.blob, &history.tree, &history.tag] {
        assert_eq!(
            create("refs/heads/new", sha).await,
            "Reference update failed"
        );
    }
    let upper = json!({"ref": "refs/heads/upper", "sha": history.main.to_uppercase()});
    let answer = alice.post(REFS, upper).await.expect(201);
    assert_eq!(answer.json()["object"]["sha"], history.main);
}

#[tokio::test]
async fn create_ref_422_for_an_object_of_another_repository() {
    let service = start().await;
    seed::fill(&service, WIDGETS).await;
    seed::fill(&service, GADGETS).await;
    let transaction = service.app.db.begin().await.unwrap();
    let only_there = forgewright::git::objects::Object::blob(b"only in widgets\n".to_vec());
    forgewright::git::store::store_objects(
        &transaction,
        WIDGETS,
        std::slice::from_ref(&only_there),
    )
    .await
    .unwrap();
    transaction.commit().await.unwrap();
    let body = json!({"ref": "refs/odd/blob", "sha": only_there.sha().to_string()});
    let alice = service.as_("alice-classic");
    let answer = alice.post(REFS, body.clone()).await.expect(422);
    assert_eq!(answer.message(), "Object does not exist");
    alice
        .post("/repos/acme/widgets/git/refs", body)
        .await
        .expect(201);
}

#[tokio::test]
async fn create_ref_422_when_the_name_is_taken_or_in_the_way() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    let create = async |full: &str| {
        let body = json!({"ref": full, "sha": history.main});
        let answer = alice.post(REFS, body).await;
        match answer.status.as_u16() {
            422 => answer.message(),
            status => status.to_string(),
        }
    };
    assert_eq!(create("refs/heads/main").await, "Reference already exists");
    assert_eq!(create("refs/heads/main/a").await, "Reference update failed");
    assert_eq!(
        create("refs/heads/main/a/b").await,
        "Reference update failed"
    );
    assert_eq!(create("refs/heads/deep/a/b").await, "201");
    assert_eq!(create("refs/heads/deep").await, "Reference update failed");
    assert_eq!(create("refs/heads/deep/a").await, "Reference update failed");
    assert_eq!(
        create("refs/heads/deep/a/b/c").await,
        "Reference update failed"
    );
    assert_eq!(create("refs/heads/deep-").await, "201");
    assert_eq!(create("refs/heads/deep0").await, "201");
    assert_eq!(create("refs/heads/deep/b").await, "201");
    assert_eq!(create("refs/heads/mainly").await, "201");
    name(&service, GADGETS, "refs/stash", &history.main, Kind::Commit).await;
    assert_eq!(create("refs/stash/a").await, "Reference update failed");
}

#[tokio::test]
async fn create_ref_422_when_the_body_does_not_fit() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    for (body, message) in [
        (json!({}), "\"ref\", \"sha\" weren't supplied."),
        (json!({"ref": "refs/heads/new"}), "\"sha\" wasn't supplied."),
        (
            json!({"ref": null, "sha": history.main}),
            "For 'properties/ref', nil is not a string.",
        ),
    ] {
        let answer = alice.post(REFS, body).await.expect(422);
        assert_eq!(answer.message(), format!("Invalid request.\n\n{message}"));
    }
}

#[tokio::test]
async fn update_ref_200_forward_and_with_force_anywhere() {
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
async fn update_ref_200_and_nothing_happens_when_it_is_there_already() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    let before = alice.get(&format!("{REF}/heads/main")).await.json();
    let body = json!({"sha": history.main});
    let answer = alice
        .patch(&format!("{REFS}/heads/main"), body)
        .await
        .expect(200);
    assert_eq!(answer.json(), before);
    let row = forgewright::entities::repository::Entity::find_by_id(GADGETS)
        .one(service.app.db.reads())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(row.pushed_at, None);
}

#[tokio::test]
async fn update_ref_200_for_what_is_no_commit() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    name(
        &service,
        GADGETS,
        "refs/odd/blob",
        &history.blob,
        Kind::Blob,
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
    // Now there is a history that could be lost.
    let answer = alice
        .patch(&blob, json!({"sha": history.blob}))
        .await
        .expect(422);
    assert_eq!(answer.message(), "Update is not a fast forward");
    // A tag counts as the commit behind it.
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

#[tokio::test]
async fn delete_ref_204_and_it_is_gone() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    let answer = alice
        .delete(&format!("{REFS}/heads/side"))
        .await
        .expect(204);
    assert_eq!(answer.text, "");
    assert_eq!(sha_of(&service, "heads/side").await, None);
    alice.delete(&format!("{REFS}/tags%2Fv1")).await.expect(204);
    let answer = alice.get(MATCHING).await.expect(200);
    assert_eq!(names(&answer), ["refs/heads/main"]);
    // The object stays, and the name can be used again, also for a directory.
    let body = json!({"ref": "refs/heads/side/a", "sha": history.side});
    alice.post(REFS, body).await.expect(201);
}

#[tokio::test]
async fn delete_ref_401_without_a_valid_credential() {
    let (service, _) = gadgets().await;
    let path = format!("{REFS}/heads/side");
    service.anonymous().delete(&path).await.expect(401);
    service.as_("nobody").delete(&path).await.expect(401);
}

#[tokio::test]
async fn delete_ref_403_without_push_access_or_when_archived() {
    let (service, _) = gadgets().await;
    let path = format!("{REFS}/heads/side");
    service.as_("bob-classic").delete(&path).await.expect(403);
    archive(&service, GADGETS).await;
    let answer = service.as_("alice-classic").delete(&path).await.expect(403);
    assert_eq!(answer.message(), "Repository was archived so is read-only.");
}

#[tokio::test]
async fn delete_ref_404_when_the_repository_is_hidden() {
    let (service, _) = gadgets().await;
    let hidden = "/repos/acme/widgets/git/refs/heads/main";
    service
        .as_("mallory-classic")
        .delete(hidden)
        .await
        .expect(404);
}

#[tokio::test]
async fn delete_ref_409_when_the_repository_is_empty() {
    let service = start().await;
    let answer = service
        .as_("alice-classic")
        .delete(&format!("{REFS}/heads/main"))
        .await;
    assert_eq!(answer.expect(409).message(), "Git Repository is empty.");
}

#[tokio::test]
async fn delete_ref_422_for_the_default_branch_or_one_that_is_not_there() {
    let (service, _) = gadgets().await;
    let alice = service.as_("alice-classic");
    let answer = alice
        .delete(&format!("{REFS}/heads/main"))
        .await
        .expect(422);
    assert_eq!(answer.message(), "Cannot delete the default branch");
    for missing in ["heads/new", "refs/heads/main", "heads/sid", "heads"] {
        let answer = alice.delete(&format!("{REFS}/{missing}")).await.expect(422);
        assert_eq!(answer.message(), "Reference does not exist", "{missing}");
    }
}
