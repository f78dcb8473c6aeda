//! Webhook deliveries of every event, with the request and the response. A row is one
//! attempt; a redelivery is another row with the same guid. The ids of the installation and
//! the repository are not foreign keys, because an app also receives events about their
//! deletion.
//!
//! Apps get two webhook settings that a world file does not have.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use crate::dialect::{Dialect, run};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let dialect = Dialect::of(manager)?;
        let Dialect { flag, .. } = dialect;
        run(
            manager,
            &[
                "ALTER TABLE webhook_delivery RENAME TO comment_delivery",
                "DROP INDEX webhook_delivery_pending",
                "DROP INDEX webhook_delivery_by_pull",
                "DROP INDEX webhook_delivery_by_installation",
                &webhook_delivery(&dialect),
                COPY_DELIVERIES,
                "DROP TABLE comment_delivery",
                "CREATE INDEX webhook_delivery_pending ON webhook_delivery (app_id, id)
                    WHERE delivered_at IS NULL",
                "CREATE INDEX webhook_delivery_in_order ON webhook_delivery (app_id, id)",
                "CREATE INDEX webhook_delivery_succeeded ON webhook_delivery (app_id, id)
                    WHERE status_code < 400",
                "CREATE INDEX webhook_delivery_failed ON webhook_delivery (app_id, id)
                    WHERE status_code >= 400",
                "CREATE INDEX webhook_delivery_by_age ON webhook_delivery (created_at)",
                "ALTER TABLE app ADD COLUMN webhook_content_type TEXT NOT NULL DEFAULT 'json'
                    CHECK (webhook_content_type IN ('json', 'form'))",
                &format!(
                    "ALTER TABLE app ADD COLUMN webhook_insecure_ssl {flag}
                        NOT NULL DEFAULT FALSE"
                ),
            ],
        )
        .await?;
        match manager.get_database_backend() {
            DbBackend::Postgres => run(manager, &[CONTINUE_IDS]).await,
            _ => Ok(()),
        }
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let dialect = Dialect::of(manager)?;
        run(
            manager,
            &[
                "ALTER TABLE app DROP COLUMN webhook_insecure_ssl",
                "ALTER TABLE app DROP COLUMN webhook_content_type",
                "DROP TABLE webhook_delivery",
                &comment_delivery(&dialect),
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
}

/// Old deliveries recorded only the outcome, not the response.
const COPY_DELIVERIES: &str = "
    INSERT INTO webhook_delivery (id, guid, app_id, installation_id, repository_id, event,
        action, payload, created_at, attempts, next_attempt_at, delivered_at, status_code,
        status, error)
    SELECT delivery.id, delivery.guid, installation.app_id, delivery.installation_id,
        pull.repository_id, delivery.event, delivery.action, delivery.payload,
        delivery.created_at, delivery.attempts, delivery.next_attempt_at,
        COALESCE(delivery.delivered_at, delivery.abandoned_at),
        CASE WHEN delivery.delivered_at IS NOT NULL THEN 200
            WHEN delivery.abandoned_at IS NOT NULL THEN 502 END,
        CASE WHEN delivery.delivered_at IS NOT NULL THEN 'OK'
            WHEN delivery.abandoned_at IS NOT NULL THEN 'failed to connect to host' END,
        delivery.last_error
    FROM comment_delivery AS delivery
    JOIN installation ON installation.id = delivery.installation_id
    JOIN pull ON pull.id = delivery.pull_id";

/// PostgreSQL only: SQLite continues after the highest id by itself.
const CONTINUE_IDS: &str = "
    SELECT setval(pg_get_serial_sequence('webhook_delivery', 'id'), MAX(id))
    FROM webhook_delivery";

fn webhook_delivery(dialect: &Dialect) -> String {
    let Dialect {
        id,
        int,
        key,
        flag,
        strict,
        ..
    } = dialect;
    let payload = dialect.object("payload");
    let request = dialect.object("request_headers");
    let response = dialect.object("response_headers");
    format!(
        "CREATE TABLE webhook_delivery (
            id {id},
            guid {key} NOT NULL CHECK (guid <> ''),
            app_id {int} NOT NULL REFERENCES app (id) ON DELETE CASCADE,
            installation_id {int},
            repository_id {int},
            event TEXT NOT NULL CHECK (event <> ''),
            action TEXT CHECK (action <> ''),
            payload TEXT NOT NULL CHECK ({payload}),
            redelivery {flag} NOT NULL DEFAULT FALSE,
            retries {int} NOT NULL DEFAULT 0 CHECK (retries >= 0),
            created_at {int} NOT NULL,
            attempts {int} NOT NULL DEFAULT 0 CHECK (attempts >= 0),
            next_attempt_at {int} NOT NULL,
            delivered_at {int},
            duration_ms {int} NOT NULL DEFAULT 0 CHECK (duration_ms >= 0),
            status_code {int},
            status TEXT,
            url TEXT,
            request_headers TEXT CHECK ({request}),
            response_headers TEXT CHECK ({response}),
            response_body TEXT,
            error TEXT,
            CHECK (delivered_at IS NULL OR attempts > 0),
            CHECK ((delivered_at IS NULL) = (status_code IS NULL)),
            CHECK ((delivered_at IS NULL) = (status IS NULL))
        ) {strict}"
    )
}

fn comment_delivery(dialect: &Dialect) -> String {
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
