//! Apps, their installations on accounts, and the repositories of installations that are
//! limited to selected repositories.

use sea_orm_migration::prelude::*;

use crate::dialect::{Dialect, drop_tables, run};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let dialect = Dialect::of(manager)?;
        run(
            manager,
            &[
                &app(&dialect),
                "CREATE INDEX app_by_owner ON app (owner_id)",
                &installation(&dialect),
                "CREATE INDEX installation_in_order ON installation (app_id, id)",
                "CREATE INDEX installation_by_account ON installation (account_id)",
                "CREATE INDEX installation_by_suspender ON installation (suspended_by_id)",
                &installation_repository(&dialect),
                "CREATE INDEX installation_repository_by_repository
                    ON installation_repository (repository_id)",
            ],
        )
        .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        drop_tables(manager, &["installation_repository", "installation", "app"]).await
    }
}

fn app(dialect: &Dialect) -> String {
    let Dialect {
        id,
        int,
        key,
        strict,
        ..
    } = dialect;
    let permissions = dialect.object("permissions");
    let events = dialect.array("events");
    format!(
        "CREATE TABLE app (
            id {id},
            slug {key} NOT NULL UNIQUE CHECK (slug <> '' AND slug = lower(slug)),
            name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 1024),
            owner_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            client_id {key} NOT NULL UNIQUE CHECK (client_id <> ''),
            public_key TEXT NOT NULL CHECK (public_key = '' OR public_key LIKE '-----BEGIN %'),
            description TEXT,
            external_url TEXT,
            permissions TEXT NOT NULL DEFAULT '{{}}' CHECK ({permissions}),
            events TEXT NOT NULL DEFAULT '[]' CHECK ({events}),
            webhook_url TEXT CHECK (webhook_url <> ''),
            webhook_secret TEXT CHECK (webhook_secret <> ''),
            bot_id {int} NOT NULL UNIQUE REFERENCES account (id),
            created_at {int} NOT NULL,
            updated_at {int} NOT NULL,
            CHECK (webhook_secret IS NULL OR webhook_url IS NOT NULL),
            CHECK (bot_id <> owner_id)
        ) {strict}"
    )
}

fn installation(dialect: &Dialect) -> String {
    let Dialect {
        id, int, strict, ..
    } = dialect;
    let permissions = dialect.object("permissions");
    let events = dialect.array("events");
    format!(
        "CREATE TABLE installation (
            id {id},
            app_id {int} NOT NULL REFERENCES app (id) ON DELETE CASCADE,
            account_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            repository_selection TEXT NOT NULL
                CHECK (repository_selection IN ('all', 'selected')),
            permissions TEXT NOT NULL DEFAULT '{{}}' CHECK ({permissions}),
            events TEXT NOT NULL DEFAULT '[]' CHECK ({events}),
            suspended_at {int},
            suspended_by_id {int} REFERENCES account (id) ON DELETE SET NULL,
            created_at {int} NOT NULL,
            updated_at {int} NOT NULL,
            UNIQUE (app_id, account_id),
            CHECK (suspended_by_id IS NULL OR suspended_at IS NOT NULL)
        ) {strict}"
    )
}

fn installation_repository(dialect: &Dialect) -> String {
    let Dialect { int, keyed, .. } = dialect;
    format!(
        "CREATE TABLE installation_repository (
            installation_id {int} NOT NULL REFERENCES installation (id) ON DELETE CASCADE,
            repository_id {int} NOT NULL REFERENCES repository (id) ON DELETE CASCADE,
            PRIMARY KEY (installation_id, repository_id)
        ) {keyed}"
    )
}
