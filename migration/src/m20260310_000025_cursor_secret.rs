//! The secret that signs page cursors. The migration creates it, because creating it in a
//! request would change a setting, and every cached value and every authorization depends on
//! the settings.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use crate::dialect::run;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // At least 240 random bits.
        let secret = match manager.get_database_backend() {
            DbBackend::Postgres => {
                "replace(gen_random_uuid()::TEXT || gen_random_uuid()::TEXT, '-', '')"
            }
            _ => "lower(hex(randomblob(32)))",
        };
        let insert = format!(
            "INSERT INTO setting (key, value) VALUES ('cursor_secret', {secret})
                ON CONFLICT (key) DO NOTHING"
        );
        run(manager, &[&insert]).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        run(
            manager,
            &["DELETE FROM setting WHERE key = 'cursor_secret'"],
        )
        .await
    }
}
