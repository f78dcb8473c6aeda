//! The older paths to references, and reading commits and tags.

use serde_json::json;

use super::seed::{GADGETS, archive, gadgets, start};
use super::{MATCHING, REF, REFS, names, sha_of};

const GIT: &str = "/repos/acme/gadgets/git";
const HIDDEN: &str = "/repos/acme/widgets/git";

#[tokio::test]
async fn list_refs_200_with_every_reference() {
    expect_every_reference(REFS).await;
}

#[tokio::test]
async fn list_refs_304_when_nothing_changed() {
    expect_304(REFS).await;
}

#[tokio::test]
async fn list_refs_401_404_and_409_like_list_matching_refs() {
    expect_401_404_and_409(REFS).await;
}

#[tokio::test]
async fn list_all_matching_refs_200_with_every_reference() {
    expect_every_reference(MATCHING).await;
}

#[tokio::test]
async fn list_all_matching_refs_304_when_nothing_changed() {
    expect_304(MATCHING).await;
}

#[tokio::test]
async fn list_all_matching_refs_401_404_and_409_like_list_matching_refs() {
    expect_401_404_and_409(MATCHING).await;
}

/// Expects every reference, with and without a trailing slash.
async fn expect_every_reference(path: &str) {
    let (service, _) = gadgets().await;
    let all = service.anonymous().get(path).await.expect(200);
    assert_eq!(
        names(&all),
        ["refs/heads/main", "refs/heads/side", "refs/tags/v1"]
    );
    assert_eq!(all.header("x-poll-interval"), Some("300"));
    let slash = service.anonymous().get(&format!("{path}/")).await;
    assert_eq!(slash.expect(200).text, all.text);
}

async fn expect_304(path: &str) {
    let (service, _) = gadgets().await;
    let answer = service.anonymous().get(path).await.expect(200);
    let conditional = service
        .anonymous()
        .header("If-None-Match", answer.header("etag").unwrap());
    conditional.get(path).await.expect(304);
}

async fn expect_401_404_and_409(path: &str) {
    let service = start().await;
    service.as_("nobody").get(path).await.expect(401);
    let hidden = path.replace(GIT, HIDDEN);
    service.anonymous().get(&hidden).await.expect(404);
    service.anonymous().get(path).await.expect(409);
}

#[tokio::test]
async fn find_refs_200_with_an_object_for_a_name_and_an_array_for_a_prefix() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    let body = json!({"ref": "refs/heads/sidecar", "sha": history.side});
    alice.post(REFS, body).await.expect(201);
    let one = alice.get(&format!("{REFS}/heads/side")).await.expect(200);
    assert_eq!(one.json()["ref"], "refs/heads/side");
    let many = alice.get(&format!("{REFS}/heads/sid")).await.expect(200);
    assert_eq!(names(&many), ["refs/heads/side", "refs/heads/sidecar"]);
    let many = alice.get(&format!("{REFS}/heads/")).await.expect(200);
    assert_eq!(names(&many).len(), 3);
    let many = alice.get(&format!("{REFS}/tags")).await.expect(200);
    assert_eq!(names(&many), ["refs/tags/v1"]);
}

#[tokio::test]
async fn find_refs_304_when_nothing_changed() {
    let (service, _) = gadgets().await;
    let path = format!("{REFS}/heads/main");
    service.anonymous().expect_not_modified(&path).await;
}

#[tokio::test]
async fn find_refs_401_404_and_409_like_get_ref() {
    let (service, _) = gadgets().await;
    service
        .as_("nobody")
        .get(&format!("{REFS}/heads/main"))
        .await
        .expect(401);
    service
        .anonymous()
        .get(&format!("{REFS}/heads/nothing"))
        .await
        .expect(404);
    let hidden = format!("{HIDDEN}/refs/heads/main");
    service.anonymous().get(&hidden).await.expect(404);
    service.as_("alice-classic").get(&hidden).await.expect(409);
}

#[tokio::test]
async fn update_ref_alias_200_like_update_ref() {
    let (service, history) = gadgets().await;
    let body = json!({"sha": history.ahead});
    let path = format!("{REF}/heads/main");
    let answer = service
        .as_("alice-classic")
        .patch(&path, body)
        .await
        .expect(200);
    assert!(
        answer.json()["url"]
            .as_str()
            .unwrap()
            .ends_with("/git/refs/heads/main")
    );
    assert_eq!(sha_of(&service, "heads/main").await, Some(history.ahead));
}

#[tokio::test]
async fn update_ref_alias_401_403_404_409_and_422_like_update_ref() {
    let (service, history) = gadgets().await;
    let path = format!("{REF}/heads/main");
    let body = json!({"sha": history.side});
    service
        .anonymous()
        .patch(&path, body.clone())
        .await
        .expect(401);
    service
        .as_("bob-classic")
        .patch(&path, body.clone())
        .await
        .expect(403);
    let hidden = format!("{HIDDEN}/ref/heads/main");
    service
        .as_("mallory-classic")
        .patch(&hidden, body.clone())
        .await
        .expect(404);
    let alice = service.as_("alice-classic");
    alice.patch(&hidden, body.clone()).await.expect(409);
    let answer = alice.patch(&path, body).await.expect(422);
    assert_eq!(answer.message(), "Update is not a fast forward");
    let url = answer.json()["documentation_url"].clone();
    assert_eq!(
        url,
        "https://docs.github.com/rest/git/refs#update-a-reference"
    );
}

#[tokio::test]
async fn delete_ref_alias_204_like_delete_ref() {
    let (service, _) = gadgets().await;
    let path = format!("{REF}/heads/side");
    service.as_("alice-classic").delete(&path).await.expect(204);
    assert_eq!(sha_of(&service, "heads/side").await, None);
}

#[tokio::test]
async fn delete_ref_alias_401_403_404_409_and_422_like_delete_ref() {
    let (service, _) = gadgets().await;
    let path = format!("{REF}/heads/main");
    service.anonymous().delete(&path).await.expect(401);
    service.as_("bob-classic").delete(&path).await.expect(403);
    let hidden = format!("{HIDDEN}/ref/heads/main");
    service
        .as_("mallory-classic")
        .delete(&hidden)
        .await
        .expect(404);
    service
        .as_("alice-classic")
        .delete(&hidden)
        .await
        .expect(409);
    service.as_("alice-classic").delete(&path).await.expect(422);
    archive(&service, GADGETS).await;
    service.as_("alice-classic").delete(&path).await.expect(403);
}

#[tokio::test]
async fn get_commit_200_as_git_stores_it() {
    let (service, history) = gadgets().await;
    let path = format!("{GIT}/commits/{}", history.main);
    let body = service.anonymous().get(&path).await.expect(200).json();
    let ends = |value: &serde_json::Value, end: &str| {
        assert!(value.as_str().unwrap().ends_with(end), "{value} {end}");
    };
    assert_eq!(body["sha"], history.main);
    assert!(body["node_id"].as_str().unwrap().starts_with("C_"));
    ends(&body["url"], &path);
    ends(
        &body["html_url"],
        &format!("/acme/gadgets/commit/{}", history.main),
    );
    let person =
        json!({"date": "2023-11-14T22:13:20Z", "email": "tess@example.com", "name": "Tess Ter"});
    assert_eq!(body["author"], person);
    assert_eq!(body["committer"], person);
    assert_eq!(body["message"], "A commit\n\nWhy");
    let tree = body["tree"]["sha"].as_str().unwrap();
    ends(&body["tree"]["url"], &format!("{GIT}/trees/{tree}"));
    assert_eq!(body["parents"].as_array().unwrap().len(), 1);
    assert_eq!(body["parents"][0]["sha"], history.root);
    ends(
        &body["parents"][0]["url"],
        &format!("{GIT}/commits/{}", history.root),
    );
    assert_eq!(
        body["verification"],
        json!({"verified": false, "reason": "unsigned", "signature": null, "payload": null, "verified_at": null})
    );
    let unreferenced = format!("{GIT}/commits/{}", history.after_workflow);
    service.anonymous().get(&unreferenced).await.expect(200);
}

#[tokio::test]
async fn get_commit_304_when_nothing_changed() {
    let (service, history) = gadgets().await;
    let path = format!("{GIT}/commits/{}", history.main);
    service.anonymous().expect_not_modified(&path).await;
}

#[tokio::test]
async fn get_commit_401_404_and_409() {
    let (service, history) = gadgets().await;
    let path = format!("{GIT}/commits/{}", history.main);
    service.as_("nobody").get(&path).await.expect(401);
    for sha in [
        &history.blob,
        &history.tag,
        &history.main[..7],
        &"0".repeat(40),
        "main",
    ] {
        service
            .anonymous()
            .get(&format!("{GIT}/commits/{sha}"))
            .await
            .expect(404);
    }
    let hidden = format!("{HIDDEN}/commits/{}", history.main);
    service.anonymous().get(&hidden).await.expect(404);
    service.as_("alice-classic").get(&hidden).await.expect(409);
}

#[tokio::test]
async fn get_tag_200_as_git_stores_it() {
    let (service, history) = gadgets().await;
    let path = format!("{GIT}/tags/{}", history.tag);
    let body = service.anonymous().get(&path).await.expect(200).json();
    assert_eq!(body["tag"], "v1");
    assert_eq!(body["sha"], history.tag);
    assert_eq!(body["message"], "Release one");
    assert_eq!(body["tagger"]["name"], "Tess Ter");
    assert_eq!(body["object"]["type"], "commit");
    assert_eq!(body["object"]["sha"], history.root);
    assert_eq!(body["verification"]["reason"], "unsigned");
    assert!(body["url"].as_str().unwrap().ends_with(&path));
    let path = format!("{GIT}/tags/{}", history.tag_of_tag);
    let body = service.anonymous().get(&path).await.expect(200).json();
    assert_eq!(body["object"]["type"], "tag");
    assert_eq!(body["object"]["sha"], history.tag);
}

#[tokio::test]
async fn get_tag_304_when_nothing_changed() {
    let (service, history) = gadgets().await;
    let path = format!("{GIT}/tags/{}", history.tag);
    service.anonymous().expect_not_modified(&path).await;
}

#[tokio::test]
async fn get_tag_401_404_and_409() {
    let (service, history) = gadgets().await;
    let path = format!("{GIT}/tags/{}", history.tag);
    service.as_("nobody").get(&path).await.expect(401);
    for sha in [&history.main, "v1"] {
        service
            .anonymous()
            .get(&format!("{GIT}/tags/{sha}"))
            .await
            .expect(404);
    }
    let hidden = format!("{HIDDEN}/tags/{}", history.tag);
    service.anonymous().get(&hidden).await.expect(404);
    service.as_("alice-classic").get(&hidden).await.expect(409);
}

#[tokio::test]
async fn the_older_paths_require_the_same_permissions() {
    let (service, history) = gadgets().await;
    let fine = service.as_("alice-fine");
    for (path, accepted) in [
        (format!("{REFS}/heads/main"), "contents=read"),
        (format!("{GIT}/commits/{}", history.main), "contents=read"),
    ] {
        let answer = fine.get(&path).await.expect(200);
        assert_eq!(
            answer.header("x-accepted-github-permissions"),
            Some(accepted)
        );
    }
    let answer = fine.delete(&format!("{REF}/heads/side")).await.expect(204);
    assert_eq!(
        answer.header("x-accepted-github-permissions"),
        Some("contents=write")
    );
}
