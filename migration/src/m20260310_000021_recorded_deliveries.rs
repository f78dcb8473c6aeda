//! Deliveries of apps without an address, which are recorded and never sent. They are
//! neither pending nor attempted.

use sea_orm_migration::prelude::*;

use crate::dialect::{Dialect, run};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let Dialect { flag, .. } = Dialect::of(manager)?;
        run(
            manager,
            &[
                &format!(
                    "ALTER TABLE webhook_delivery ADD COLUMN recorded {flag} NOT NULL
                        DEFAULT FALSE"
                ),
                "DROP INDEX webhook_delivery_pending",
                "CREATE INDEX webhook_delivery_pending ON webhook_delivery (app_id, id)
                    WHERE delivered_at IS NULL AND NOT recorded",
                "CREATE INDEX webhook_delivery_by_event ON webhook_delivery (event, id)",
            ],
        )
        .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        run(
            manager,
            &[
                "DELETE FROM webhook_delivery WHERE recorded",
                "DROP INDEX webhook_delivery_by_event",
                "DROP INDEX webhook_delivery_pending",
                "CREATE INDEX webhook_delivery_pending ON webhook_delivery (app_id, id)
                    WHERE delivered_at IS NULL",
                "ALTER TABLE webhook_delivery DROP COLUMN recorded",
            ],
        )
        .await
    }
}
