//! Workflow files: bringing in changes of them takes a permission of its own
//! (Spec, Authentication, rule 4).

use forgewright::entities::git_object::ObjectKind;
use serde_json::json;

use super::seed::{self, GADGETS, WIDGETS, gadgets, name, start};
use super::{REFS, sha_of};

const WIDGETS_REFS: &str = "/repos/acme/widgets/git/refs";

#[tokio::test]
async fn create_ref_403_in_the_words_for_each_token_that_may_not_change_workflows() {
    let service = start().await;
    let history = seed::fill(&service, WIDGETS).await;
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
        for sha in [&history.flow, &history.past] {
            let body = json!({"ref": "refs/heads/new", "sha": sha});
            let answer = caller.post(WIDGETS_REFS, body).await.expect(403);
            assert_eq!(answer.message(), message, "{token}");
        }
        let main = format!("{WIDGETS_REFS}/heads/main");
        for body in [
            json!({"sha": history.past}),
            json!({"sha": history.past, "force": true}),
        ] {
            let answer = caller.patch(&main, body).await.expect(403);
            assert_eq!(answer.message(), message, "{token}");
        }
        let harmless = format!("refs/heads/{token}");
        let body = json!({"ref": harmless, "sha": history.ahead});
        caller.post(WIDGETS_REFS, body).await.expect(201);
    }
    let body = json!({"ref": "refs/heads/new", "sha": history.past});
    service
        .as_("carol-classic")
        .post(WIDGETS_REFS, body)
        .await
        .expect(201);
}

#[tokio::test]
async fn update_ref_403_for_an_annotated_tag_that_leads_to_changed_workflows() {
    let (service, history) = gadgets().await;
    let transaction = service.app.db.begin().await.unwrap();
    let tess = forgewright::git::ident::Ident {
        name: "T",
        email: "t@x",
        seconds: 1,
        offset_minutes: 0,
    };
    let flow = history.past.parse().unwrap();
    let tag = forgewright::git::build::tag("v2", flow, ObjectKind::Commit, &tess, "Two").write();
    forgewright::git::store::store_objects(&transaction, GADGETS, std::slice::from_ref(&tag))
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
async fn create_ref_201_without_the_permission_for_what_a_branch_leads_to_already() {
    let (service, history) = gadgets().await;
    let caller = service.as_("alice-repo-only");
    let create = async |full: &str, sha: &str| {
        let body = json!({"ref": full, "sha": sha});
        caller.post(REFS, body).await.status.as_u16()
    };
    assert_eq!(create("refs/heads/a", &history.flow).await, 403);
    // A tag is no branch: nobody has approved what it names.
    name(
        &service,
        GADGETS,
        "refs/tags/flow",
        &history.flow,
        ObjectKind::Commit,
    )
    .await;
    assert_eq!(create("refs/heads/a", &history.flow).await, 403);
    // On another branch, at its tip, behind it, and with something harmless on top.
    name(
        &service,
        GADGETS,
        "refs/heads/flow",
        &history.flow,
        ObjectKind::Commit,
    )
    .await;
    assert_eq!(create("refs/heads/a", &history.flow).await, 201);
    assert_eq!(create("refs/heads/b", &history.past).await, 201);
    // On the default branch.
    let alice = service.as_("alice-classic");
    let main = format!("{REFS}/heads/main");
    alice
        .patch(&main, json!({"sha": history.past}))
        .await
        .expect(200);
    alice
        .delete(&format!("{REFS}/heads/flow"))
        .await
        .expect(204);
    assert_eq!(create("refs/heads/c", &history.flow).await, 201);
    // Moving to an old commit brings nothing in, whatever it lacks.
    let back = json!({"sha": history.root, "force": true});
    caller
        .patch(&format!("{REFS}/heads/c"), back)
        .await
        .expect(200);
    assert_eq!(sha_of(&service, "heads/c").await, Some(history.root));
}
