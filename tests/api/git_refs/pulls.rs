//! Open pull requests when their branch moves or is deleted.

use forgewright::entities::pull;
use sea_orm::EntityTrait;
use serde_json::json;

use super::REFS;
use super::seed::{gadgets, open_pull};
use crate::harness::Service;

async fn pull(service: &Service, id: i64) -> pull::Model {
    pull::Entity::find_by_id(id)
        .one(service.app.db.reads())
        .await
        .unwrap()
        .unwrap()
}

#[tokio::test]
async fn update_ref_200_updates_the_head_of_open_pull_requests() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    let affected = open_pull(&service, 1, "side", &history.side).await;
    let other = open_pull(&service, 2, "other", &history.side).await;
    let body = json!({"sha": history.ahead, "force": true});
    alice
        .patch(&format!("{REFS}/heads/side"), body.clone())
        .await
        .expect(200);
    let now = service.app.clock.now().0;
    let row = pull(&service, affected).await;
    assert_eq!((row.head_sha, row.updated_at), (history.ahead.clone(), now));
    assert_eq!(row.base_sha, history.side);
    assert_eq!(row.state, pull::PullState::Open);
    let row = pull(&service, other).await;
    assert_eq!((row.head_sha, row.updated_at), (history.side.clone(), 1));
    service.clock.advance(5);
    alice
        .patch(&format!("{REFS}/heads/side"), body)
        .await
        .expect(200);
    assert_eq!(
        pull(&service, affected).await.updated_at,
        now,
        "nothing moved"
    );
    let body = json!({"sha": history.root, "force": true});
    alice
        .patch(&format!("{REFS}/tags/v1"), body)
        .await
        .expect(200);
    assert_eq!(pull(&service, affected).await.head_sha, history.ahead);
}

#[tokio::test]
async fn delete_ref_204_closes_open_pull_requests_for_good() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    let affected = open_pull(&service, 1, "side", &history.side).await;
    let other = open_pull(&service, 2, "main", &history.main).await;
    alice
        .delete(&format!("{REFS}/heads/side"))
        .await
        .expect(204);
    let now = Some(service.app.clock.now().0);
    let row = pull(&service, affected).await;
    assert_eq!((row.state, row.closed_at), (pull::PullState::Closed, now));
    assert_eq!((row.head_sha, row.merged_at), (history.side, None));
    assert_eq!(pull(&service, other).await.state, pull::PullState::Open);
    let body = json!({"ref": "refs/heads/side", "sha": history.ahead});
    alice.post(REFS, body).await.expect(201);
    assert_eq!(
        pull(&service, affected).await.state,
        pull::PullState::Closed
    );
}
