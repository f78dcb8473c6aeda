//! The outbox of a new comment: notifications to users and webhook deliveries to apps. The
//! comment's transaction writes the rows. They stay pending until they are delivered or,
//! for webhooks, abandoned.

use sea_orm_migration::prelude::*;

use crate::dialect::{Dialect, drop_tables, one_of, run};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let dialect = Dialect::of(manager)?;
        run(
            manager,
            &[
                &notification(&dialect),
                "CREATE INDEX notification_in_order ON notification (recipient_id, id)",
                "CREATE INDEX notification_by_pull ON notification (pull_id)",
                "CREATE INDEX notification_pending ON notification (id)
                    WHERE delivered_at IS NULL",
                "CREATE INDEX notification_by_comment ON notification (comment_id)",
                &webhook_delivery(&dialect),
                "CREATE INDEX webhook_delivery_pending
                    ON webhook_delivery (installation_id, pull_id, id)
                    WHERE delivered_at IS NULL AND abandoned_at IS NULL",
                "CREATE INDEX webhook_delivery_by_pull ON webhook_delivery (pull_id)",
                "CREATE INDEX webhook_delivery_by_installation
                    ON webhook_delivery (installation_id)",
            ],
        )
        .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        drop_tables(manager, &["webhook_delivery", "notification"]).await
    }
}

fn notification(dialect: &Dialect) -> String {
    let reason = one_of("reason", &["author", "participant", "mention"]);
    let Dialect {
        id, int, strict, ..
    } = dialect;
    format!(
        "CREATE TABLE notification (
            id {id},
            recipient_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            pull_id {int} NOT NULL REFERENCES pull (id) ON DELETE CASCADE,
            comment_id {int} NOT NULL REFERENCES review_comment (id) ON DELETE CASCADE,
            reason TEXT NOT NULL CHECK ({reason}),
            created_at {int} NOT NULL,
            delivered_at {int},
            UNIQUE (recipient_id, comment_id)
        ) {strict}"
    )
}

fn webhook_delivery(dialect: &Dialect) -> String {
    let Dialect {
        id,
        int,
        key,
        strict,
        ..
    } = dialect;
    let payload = dialect.object("payload");
    format!(
        "CREATE TABLE webhook_delivery (
            id {id},
            guid {key} NOT NULL UNIQUE CHECK (guid <> ''),
            pull_id {int} NOT NULL REFERENCES pull (id) ON DELETE CASCADE,
            installation_id {int} NOT NULL REFERENCES installation (id) ON DELETE CASCADE,
            event TEXT NOT NULL CHECK (event <> ''),
            action TEXT NOT NULL CHECK (action <> ''),
            payload TEXT NOT NULL CHECK ({payload}),
            created_at {int} NOT NULL,
            attempts {int} NOT NULL DEFAULT 0 CHECK (attempts >= 0),
            next_attempt_at {int} NOT NULL,
            delivered_at {int},
            abandoned_at {int},
            last_error TEXT,
            CHECK (delivered_at IS NULL OR attempts > 0),
            CHECK (delivered_at IS NULL OR abandoned_at IS NULL)
        ) {strict}"
    )
}
