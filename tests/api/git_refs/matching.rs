//! Which names match a prefix.

use storage::entities::git_object::ObjectKind;

use super::seed::{GADGETS, gadgets, insert_ref};
use super::{MATCHING, names};

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
        insert_ref(&service, GADGETS, &full, &history.main, ObjectKind::Commit).await;
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

/// The example of the specification, Git references, rule 1.
#[tokio::test]
async fn list_matching_refs_200_by_the_beginning_of_a_branch_after_full_names() {
    let (service, history) = gadgets().await;
    for name in [
        "refs/heads/featureB",
        "refs/heads/featureA",
        "refs/feature/x",
        "refs/tags/feature",
        "refs/heads/tags/feature",
        "refs/heads/heads/feature",
    ] {
        insert_ref(&service, GADGETS, name, &history.main, ObjectKind::Commit).await;
    }
    let list = async |prefix: &str| {
        let path = format!("{MATCHING}/{prefix}");
        names(&service.anonymous().get(&path).await.expect(200))
    };
    let branches = ["refs/heads/featureA", "refs/heads/featureB"];
    assert_eq!(
        list("feature").await,
        [&["refs/feature/x"], &branches[..]].concat()
    );
    assert_eq!(list("featureA").await, ["refs/heads/featureA"]);
    assert_eq!(list("heads/feature").await, branches);
    assert_eq!(list("tags/feature").await, ["refs/tags/feature"]);
    assert_eq!(
        list("tags").await,
        [
            "refs/tags/feature",
            "refs/tags/v1",
            "refs/heads/tags/feature"
        ]
    );
    assert_eq!(list("heads").await.len(), 6);
}
