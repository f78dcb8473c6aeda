//! The length of each long list, instead of counts for parts of it. Databases of earlier versions
//! have tables and triggers of those.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use crate::counts::COUNTED;
use crate::dialect::{Dialect, drop_tables, run};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        drop_earlier_counts(manager).await?;
        let Dialect {
            int,
            key,
            keyed,
            updated_in_place,
            ..
        } = Dialect::of(manager)?;
        let list_length = format!(
            "CREATE TABLE list_length (
                list {key} NOT NULL,
                owner_id {int} NOT NULL,
                length {int} NOT NULL,
                PRIMARY KEY (list, owner_id)
            ) {keyed} {updated_in_place}"
        );
        run(manager, &[&list_length]).await?;
        for table in COUNTED {
            table.count(manager).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in COUNTED {
            table.drop_triggers(manager).await?;
        }
        drop_tables(manager, &["list_length"]).await
    }
}

/// The tables of earlier counts, and the prefixes of their triggers.
const EARLIER: [(&str, &str); 4] = [
    ("comment_count", "review_comment"),
    ("issue_comment_count", "listed_issue_comment"),
    ("issue_count", "listed_issue"),
    ("pull_count", "listed_pull"),
];

async fn drop_earlier_counts(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    for (table, prefix) in EARLIER {
        let triggers = match manager.get_database_backend() {
            DbBackend::Postgres => {
                vec![format!("DROP FUNCTION IF EXISTS {prefix}_count() CASCADE")]
            }
            _ => ["added", "moved", "removed"]
                .map(|event| format!("DROP TRIGGER IF EXISTS {prefix}_{event}"))
                .into(),
        };
        for trigger in triggers {
            run(manager, &[&trigger]).await?;
        }
        run(manager, &[&format!("DROP TABLE IF EXISTS {table}")]).await?;
    }
    Ok(())
}
