//! Workflow files: pushing a change to them needs a separate permission (Spec,
//! Authentication, rule 4).

use serde_json::json;
use storage::entities::git_object::ObjectKind;

use super::seed::{self, GADGETS, WIDGETS, gadgets, insert_ref, start};
use super::{REFS, sha_of};

const WIDGETS_REFS: &str = "/repos/acme/widgets/git/refs";

#[tokio::test]
async fn create_ref_403_with_the_message_for_each_token_without_the_workflow_permission() {
    let service = start().await;
    let history = seed::create_history(&service, WIDGETS).await;
    let scope = "Refusing to create or update workflow files without the `workflow` scope";
    for (token, message) in [
        (
            "alice-fine",
            "Resource not accessible by personal access token",
        ),
        (
            "ci-bot-installation",
            "Resource not accessible by integration",
        ),
        ("alice-app-user", "Resource not accessible by integration"),
        ("alice-repo-only", scope),
        ("alice-oauth", scope),
    ] {
        let caller = service.as_(token);
        for sha in [&history.workflow, &history.after_workflow] {
            let body = json!({"ref": "refs/heads/new", "sha": sha});
            let answer = caller.post(WIDGETS_REFS, body).await.expect(403);
            assert_eq!(answer.message(), message, "{token}");
        }
        let main = format!("{WIDGETS_REFS}/heads/main");
        for body in [
            json!({"sha": history.after_workflow}),
            json!({"sha": history.after_workflow, "force": true}),
        ] {
            let answer = caller.patch(&main, body).await.expect(403);
            assert_eq!(answer.message(), message, "{token}");
        }
        let harmless = format!("refs/heads/{token}");
        let body = json!({"ref": harmless, "sha": history.ahead});
        caller.post(WIDGETS_REFS, body).await.expect(201);
    }
    let body = json!({"ref": "refs/heads/new", "sha": history.after_workflow});
    service
        .as_("carol-classic")
        .post(WIDGETS_REFS, body)
        .await
        .expect(201);
}

#[tokio::test]
async fn update_ref_403_for_an_annotated_tag_that_points_to_changed_workflows() {
    let (service, history) = gadgets().await;
    let transaction = service.app.db.begin().await.unwrap();
    let tess = git::ident::Ident {
        name: "T",
        email: "t@x",
        seconds: 1,
        offset_minutes: 0,
    };
    let target = history.after_workflow.parse().unwrap();
    let tag = git::build::tag("v2", target, ObjectKind::Commit, &tess, "Two").write();
    git::store::store_objects(&transaction, GADGETS, std::slice::from_ref(&tag))
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    let body = json!({"sha": tag.sha().to_string()});
    let path = format!("{REFS}/tags/v1");
    service
        .as_("alice-repo-only")
        .patch(&path, body.clone())
        .await
        .expect(403);
    service
        .as_("alice-classic")
        .patch(&path, body)
        .await
        .expect(200);
}

#[tokio::test]
async fn create_ref_201_without_the_workflow_permission_for_commits_of_an_existing_branch() {
    let (service, history) = gadgets().await;
    let caller = service.as_("alice-repo-only");
    let create = async |full: &str, sha: &str| {
        let body = json!({"ref": full, "sha": sha});
        caller.post(REFS, body).await.status.as_u16()
    };
    assert_eq!(create("refs/heads/a", &history.workflow).await, 403);
    // A tag is not a branch: nobody has approved the commit that it points at.
    insert_ref(
        &service,
        GADGETS,
        "refs/tags/flow",
        &history.workflow,
        ObjectKind::Commit,
    )
    .await;
    assert_eq!(create("refs/heads/a", &history.workflow).await, 403);
    // On another branch: its tip, and a harmless commit on top of it.
    insert_ref(
        &service,
        GADGETS,
        "refs/heads/flow",
        &history.workflow,
        ObjectKind::Commit,
    )
    .await;
    assert_eq!(create("refs/heads/a", &history.workflow).await, 201);
    assert_eq!(create("refs/heads/b", &history.after_workflow).await, 201);
    // On the default branch.
    let alice = service.as_("alice-classic");
    let main = format!("{REFS}/heads/main");
    alice
        .patch(&main, json!({"sha": history.after_workflow}))
        .await
        .expect(200);
    alice
        .delete(&format!("{REFS}/heads/flow"))
        .await
        .expect(204);
    assert_eq!(create("refs/heads/c", &history.workflow).await, 201);
    // Moving to an old commit without the file adds no workflow.
    let back = json!({"sha": history.root, "force": true});
    caller
        .patch(&format!("{REFS}/heads/c"), back)
        .await
        .expect(200);
    assert_eq!(sha_of(&service, "heads/c").await, Some(history.root));
}
