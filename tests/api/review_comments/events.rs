//! Notifications to users about a comment. Webhooks to apps are in `webhooks.rs`.

use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use serde_json::{Value, json};
use storage::entities::{account, collaborator, membership, notification, repository};

use super::{COMMENTS, WIDGETS, create_comment, create_reply, sha_in, start};
use crate::harness::Service;

/// The users who were notified of a comment, and why.
async fn notified(service: &Service, comment: &Value) -> Vec<(String, notification::Reason)> {
    let rows = notification::Entity::find()
        .find_also_related(account::Entity)
        .order_by_asc(notification::Column::RecipientId)
        .all(service.app.db.reads())
        .await
        .unwrap();
    rows.into_iter()
        .filter(|(row, _)| comment["id"] == row.comment_id)
        .map(|(row, account)| (account.unwrap().login, row.reason))
        .collect()
}

fn users(expected: &[(&str, notification::Reason)]) -> Vec<(String, notification::Reason)> {
    let owned = expected
        .iter()
        .map(|(login, reason)| ((*login).to_owned(), *reason));
    owned.collect()
}

#[tokio::test]
async fn create_review_comment_201_notifies_the_author_participants_and_mentioned_users() {
    use notification::Reason::{Author, Mention, Participant};
    let service = start().await;
    let root = create_comment(&service, "alice", "Why, @carol, @alice and @nobody?").await;
    assert_eq!(
        notified(&service, &root).await,
        users(&[("bob", Author), ("carol", Mention)])
    );
    let reply = create_reply(&service, "mallory", &root, "Because.").await;
    assert_eq!(
        notified(&service, &reply).await,
        users(&[("alice", Participant), ("bob", Author)])
    );
    let reply = create_reply(
        &service,
        "bob-classic",
        &root,
        "@alice `@carol` is right, @acme @ci-bot",
    )
    .await;
    assert_eq!(
        notified(&service, &reply).await,
        users(&[("alice", Mention), ("mallory", Participant)])
    );
}

#[tokio::test]
async fn create_review_comment_201_notifies_nobody_who_cannot_read_it() {
    use notification::Reason::{Author, Mention};
    let service = start().await;
    let head = sha_in(&service, "widgets", "topic").await;
    let body = json!({
        "body": "@mallory @carol @alice", "commit_id": head, "path": "a.txt", "line": 1,
    });
    let comment = service
        .as_("ci-bot")
        .post(WIDGETS, body)
        .await
        .expect(201)
        .json();
    assert_eq!(
        notified(&service, &comment).await,
        users(&[("alice", Mention), ("bob", Author), ("carol", Mention)])
    );
}

#[tokio::test]
async fn create_review_comment_201_notifies_nobody_who_can_no_longer_read_it() {
    use notification::Reason::{Author, Mention};
    let service = start().await;
    let head = sha_in(&service, "widgets", "topic").await;
    let mention = async |body: &str| {
        let body = json!({"body": body, "commit_id": head, "path": "a.txt", "line": 1});
        let created = service.as_("ci-bot").post(WIDGETS, body).await;
        notified(&service, &created.expect(201).json()).await
    };
    let both = users(&[("bob", Author), ("carol", Mention)]);
    assert_eq!(mention("@carol, look").await, both);
    let carol = account::Column::Login.eq("carol");
    let carol = account::Entity::find().filter(carol);
    let carol = carol.one(service.app.db.reads()).await.unwrap().unwrap();
    let transaction = service.app.db.begin().await.unwrap();
    collaborator::Entity::delete_many()
        .filter(collaborator::Column::UserId.eq(carol.id))
        .exec(&*transaction)
        .await
        .unwrap();
    membership::Entity::delete_many()
        .filter(membership::Column::UserId.eq(carol.id))
        .exec(&*transaction)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    assert_eq!(mention("@carol, again").await, users(&[("bob", Author)]));
}

#[tokio::test]
async fn create_review_comment_201_notifies_no_outsider_once_the_repository_is_private() {
    use notification::Reason::{Author, Mention};
    let service = start().await;
    let comment = create_comment(&service, "alice", "@mallory, look").await;
    let both = users(&[("bob", Author), ("mallory", Mention)]);
    assert_eq!(notified(&service, &comment).await, both);
    let transaction = service.app.db.begin().await.unwrap();
    repository::Entity::update_many()
        .col_expr(
            repository::Column::Visibility,
            Expr::value(repository::Visibility::Private),
        )
        .filter(repository::Column::Name.eq("gadgets"))
        .exec(&*transaction)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    let comment = create_comment(&service, "alice", "@mallory, again").await;
    assert_eq!(
        notified(&service, &comment).await,
        users(&[("bob", Author)])
    );
}

#[tokio::test]
async fn create_review_comment_422_notifies_nobody() {
    let service = start().await;
    let body = json!({"body": "@carol", "commit_id": "x", "path": "README.md", "line": 2});
    service.as_("alice").post(COMMENTS, body).await.expect(422);
    let rows = notification::Entity::find()
        .all(service.app.db.reads())
        .await
        .unwrap();
    assert!(rows.is_empty(), "{rows:?}");
}
