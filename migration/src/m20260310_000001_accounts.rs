//! Users, organizations and bots, and organization memberships. Logins are stored twice: as
//! given, and lower-cased in `login_key`, which is unique.

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
                &account(&dialect),
                &membership(&dialect),
                "CREATE INDEX membership_by_user ON membership (user_id)",
            ],
        )
        .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        drop_tables(manager, &["membership", "account"]).await
    }
}

fn account(dialect: &Dialect) -> String {
    let base_permission = one_of("base_permission", &["none", "read", "write", "admin"]);
    let kind = one_of("kind", &["User", "Organization", "Bot"]);
    let Dialect {
        id,
        int,
        flag,
        key,
        strict,
        ..
    } = dialect;
    format!(
        "CREATE TABLE account (
            id {id},
            login {key} NOT NULL CHECK (length(login) BETWEEN 1 AND 100),
            login_key {key} NOT NULL UNIQUE CHECK (login_key = lower(login)),
            kind TEXT NOT NULL CHECK ({kind}),
            name TEXT CHECK (length(name) <= 1024),
            site_admin {flag} NOT NULL DEFAULT FALSE,
            base_permission TEXT CHECK ({base_permission}),
            created_at {int} NOT NULL,
            updated_at {int} NOT NULL,
            CHECK ((kind = 'Organization') = (base_permission IS NOT NULL))
        ) {strict}"
    )
}

fn membership(dialect: &Dialect) -> String {
    let Dialect { int, keyed, .. } = dialect;
    format!(
        "CREATE TABLE membership (
            organization_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            role TEXT NOT NULL CHECK (role IN ('admin', 'member')),
            PRIMARY KEY (organization_id, user_id),
            CHECK (organization_id <> user_id)
        ) {keyed}"
    )
}
