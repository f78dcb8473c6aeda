//! Access tokens of every kind, and the repositories that a restricted token can access.
//! Only the SHA-256 of a token is stored.
//!
//! Each kind has exactly the columns it needs; the last CHECK enforces that.

use sea_orm_migration::prelude::*;

use crate::dialect::{Dialect, drop_tables, hex, one_of, run};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let dialect = Dialect::of(manager)?;
        run(
            manager,
            &[
                &token(&dialect),
                "CREATE INDEX token_by_user ON token (user_id)",
                "CREATE INDEX token_by_app ON token (app_id)",
                "CREATE INDEX token_by_installation ON token (installation_id)",
                "CREATE INDEX token_by_owner ON token (owner_id)",
                &token_repository(&dialect),
                "CREATE INDEX token_repository_by_repository ON token_repository (repository_id)",
            ],
        )
        .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        drop_tables(manager, &["token_repository", "token"]).await
    }
}

fn token(dialect: &Dialect) -> String {
    let repository_selection = one_of("repository_selection", &["all", "public", "selected"]);
    let kind = one_of(
        "kind",
        &[
            "classic",
            "fine_grained",
            "oauth",
            "app_user",
            "installation",
        ],
    );
    let Dialect {
        id,
        int,
        flag,
        key,
        strict,
        ..
    } = dialect;
    let hash = hex("hash", 64);
    let scopes = dialect.array("scopes");
    let permissions = dialect.object("permissions");
    format!(
        "CREATE TABLE token (
            id {id},
            hash {key} NOT NULL UNIQUE CHECK ({hash}),
            kind TEXT NOT NULL CHECK ({kind}),
            user_id {int} REFERENCES account (id) ON DELETE CASCADE,
            app_id {int} REFERENCES app (id) ON DELETE CASCADE,
            installation_id {int} REFERENCES installation (id) ON DELETE CASCADE,
            owner_id {int} REFERENCES account (id) ON DELETE CASCADE,
            repository_selection TEXT
                CHECK ({repository_selection}),
            scopes TEXT NOT NULL DEFAULT '[]' CHECK ({scopes}),
            permissions TEXT NOT NULL DEFAULT '{{}}' CHECK ({permissions}),
            label TEXT,
            hint TEXT NOT NULL CHECK (length(hint) BETWEEN 1 AND 4),
            demo {flag} NOT NULL DEFAULT FALSE,
            created_at {int} NOT NULL,
            expires_at {int},
            revoked_at {int},
            CHECK ((kind = 'installation') = (user_id IS NULL)),
            CHECK ((kind = 'app_user') = (app_id IS NOT NULL)),
            CHECK ((kind = 'installation') = (installation_id IS NOT NULL)),
            CHECK ((kind = 'fine_grained') = (owner_id IS NOT NULL)),
            CHECK ((kind IN ('fine_grained', 'installation')) = (repository_selection IS NOT NULL)),
            CHECK (kind <> 'installation'
                OR (expires_at IS NOT NULL AND repository_selection <> 'public'))
        ) {strict}"
    )
}

fn token_repository(dialect: &Dialect) -> String {
    let Dialect { int, keyed, .. } = dialect;
    format!(
        "CREATE TABLE token_repository (
            token_id {int} NOT NULL REFERENCES token (id) ON DELETE CASCADE,
            repository_id {int} NOT NULL REFERENCES repository (id) ON DELETE CASCADE,
            PRIMARY KEY (token_id, repository_id)
        ) {keyed}"
    )
}
