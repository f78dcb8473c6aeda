//! Deleting references: all but the default branch.

use serde_json::json;

use super::seed::{GADGETS, archive, gadgets, start};
use super::{MATCHING, REFS, names, sha_of};

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
    // The object remains, and the name can be used again, also as a directory.
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
async fn delete_ref_422_for_the_default_branch_and_for_missing_references() {
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
