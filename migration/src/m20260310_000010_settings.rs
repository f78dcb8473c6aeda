//! Values that the service generates once and keeps, such as the secret that signs page
//! cursors. Operator settings are configuration and are not stored.

use sea_orm_migration::prelude::*;

use crate::dialect::{Dialect, drop_tables, run};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let Dialect { key, keyed, .. } = Dialect::of(manager)?;
        let setting = format!(
            "CREATE TABLE setting (
                key {key} NOT NULL PRIMARY KEY CHECK (key <> ''),
                value TEXT NOT NULL
            ) {keyed}"
        );
        run(manager, &[&setting]).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        drop_tables(manager, &["setting"]).await
    }
}
