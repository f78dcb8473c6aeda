//! Git references: all five operations through octocrab's methods. It does not escape slashes.

use octocrab::models::repos::Object;
use octocrab::params::repos::Reference;

use crate::{alice, anonymous, refused, response_count};

fn sha(object: &Object) -> String {
    match object {
        Object::Commit { sha, .. } | Object::Tag { sha, .. } => sha.clone(),
        other => panic!("neither a commit nor a tag: {other:?}"),
    }
}

/// The commit that a branch of acme/gadgets points at.
pub async fn tip(branch: &str) -> String {
    let reference = Reference::Branch(branch.to_owned());
    let found = alice()
        .git("acme", "gadgets")
        .get_ref(&reference)
        .await
        .unwrap();
    sha(&found.object)
}

#[tokio::test]
async fn a_branch_is_created_moved_forced_and_deleted() {
    let crab = alice();
    let git = crab.git("acme", "gadgets");
    let branch = Reference::Branch("octocrab/topic".to_owned());
    let created = git.create_ref(&branch, tip("main").await).await.unwrap();
    assert_eq!(created.ref_field, "refs/heads/octocrab/topic");

    let moved = git
        .update_ref(&branch, tip("feature/a").await)
        .send()
        .await
        .unwrap();
    assert_eq!(sha(&moved.object), tip("feature/a").await);
    let aside = tip("feature/b").await;
    let error = refused(git.update_ref(&branch, &aside).send().await, 422);
    assert_eq!(error.message, "Update is not a fast forward");
    let forced = git
        .update_ref(&branch, &aside)
        .force(true)
        .send()
        .await
        .unwrap();
    assert_eq!(sha(&forced.object), aside);

    let listed = git.list_matching_refs("refs/heads/octocrab").await.unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].ref_field, "refs/heads/octocrab/topic");
    git.delete_ref(&branch).await.unwrap();
    assert_eq!(
        refused(git.get_ref(&branch).await, 404).message,
        "Not Found"
    );
}

#[tokio::test]
async fn a_tag_is_read_without_a_token_and_an_empty_repository_is_a_conflict() {
    let crab = anonymous();
    let tag = Reference::Tag("v1.0".to_owned());
    let found = crab.git("acme", "gadgets").get_ref(&tag).await.unwrap();
    assert!(
        matches!(found.object, Object::Tag { .. }),
        "{:?}",
        found.object
    );
    let main = Reference::Branch("main".to_owned());
    let error = refused(crab.git("acme", "empty").get_ref(&main).await, 409);
    assert_eq!(error.message, "Git Repository is empty.");
}

#[tokio::test]
async fn a_repeated_read_is_answered_with_304_and_comes_from_the_clients_cache() {
    let crab = alice();
    let main = Reference::Branch("main".to_owned());
    let first = crab.git("acme", "gadgets").get_ref(&main).await.unwrap();
    let before = response_count("get_ref", 304).await;
    let second = crab.git("acme", "gadgets").get_ref(&main).await.unwrap();
    assert_eq!(first, second);
    assert_eq!(response_count("get_ref", 304).await, before + 1);
}
