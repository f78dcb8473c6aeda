//! Budgets that several processes share through PostgreSQL. A process takes a
//! share of a budget at a time and admits requests from that, so that most
//! requests cost no query, and all processes together never admit too many.

use std::sync::atomic::{AtomicU64, Ordering};

use sea_orm::{ConnectionTrait, DbBackend, DbErr, FromQueryResult, Statement};

use crate::database::{Database, dependencies};

/// What a process got when it asked for a share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromQueryResult)]
pub struct Grant {
    /// What all processes have taken together, this share included.
    pub used: i64,
    /// How many requests this process may admit; 0 when nothing is left.
    pub granted: i64,
    pub resets_at: i64,
}

#[derive(Debug)]
pub struct Ledger {
    db: Database,
    asked: AtomicU64,
}

/// After how many questions the budgets are forgotten whose hour is over. Anybody
/// can come from a new address, and leave a row behind.
const TIDY: u64 = 10_000;

impl Ledger {
    /// The ledger of a database that several processes may share.
    pub fn of(db: &Database) -> Option<Self> {
        (db.reads().get_database_backend() == DbBackend::Postgres).then(|| Self {
            db: db.clone(),
            asked: AtomicU64::new(0),
        })
    }

    /// Takes up to `wanted` requests of a budget, or begins its next hour.
    pub async fn take(
        &self,
        subject: &str,
        wanted: i64,
        limit: i64,
        now: i64,
        window: i64,
    ) -> Result<Option<Grant>, DbErr> {
        if self.asked.fetch_add(1, Ordering::Relaxed) % TIDY == TIDY - 1 {
            self.forget(now).await?;
        }
        let sql = "INSERT INTO budget AS b (subject, resets_at, used, granted)
            VALUES ($1, $4 + $5, LEAST($2, $3), LEAST($2, $3))
            ON CONFLICT (subject) DO UPDATE SET
                granted = CASE WHEN b.resets_at <= $4 THEN LEAST($2, $3)
                    ELSE LEAST($2, GREATEST($3 - b.used, 0)) END,
                used = CASE WHEN b.resets_at <= $4 THEN LEAST($2, $3)
                    ELSE b.used + LEAST($2, GREATEST($3 - b.used, 0)) END,
                resets_at = CASE WHEN b.resets_at <= $4 THEN $4 + $5 ELSE b.resets_at END
            RETURNING used, granted, resets_at";
        let values = [
            subject.into(),
            wanted.into(),
            limit.into(),
            now.into(),
            window.into(),
        ];
        dependencies::detached(async {
            let transaction = self.db.begin().await?;
            let granted = Grant::find_by_statement(statement(sql, values));
            let granted = granted.one(&transaction).await?;
            transaction.commit().await?;
            Ok(granted)
        })
        .await
    }

    /// What all processes have taken of a budget; none if its hour is over.
    pub async fn look(&self, subject: &str, now: i64) -> Result<Option<Grant>, DbErr> {
        let sql = "SELECT used, 0::BIGINT AS granted, resets_at FROM budget
            WHERE subject = $1 AND resets_at > $2";
        let asked = statement(sql, [subject.into(), now.into()]);
        let found = Grant::find_by_statement(asked);
        found.one(self.db.reads().untracked()).await
    }

    /// Gives back what was taken and not used.
    pub async fn give_back(&self, subject: &str, resets_at: i64, unused: i64) -> Result<(), DbErr> {
        let sql = "UPDATE budget SET used = GREATEST(used - $3, 0)
            WHERE subject = $1 AND resets_at = $2";
        let values = [subject.into(), resets_at.into(), unused.into()];
        self.change(statement(sql, values)).await
    }

    /// Forgets budgets whose hour is over.
    pub async fn forget(&self, now: i64) -> Result<(), DbErr> {
        let sql = "DELETE FROM budget WHERE resets_at <= $1";
        self.change(statement(sql, [now.into()])).await
    }

    async fn change(&self, statement: Statement) -> Result<(), DbErr> {
        let transaction = self.db.begin().await?;
        transaction.execute_raw(statement).await?;
        transaction.commit().await
    }
}

fn statement(sql: &str, values: impl IntoIterator<Item = sea_orm::Value>) -> Statement {
    Statement::from_sql_and_values(DbBackend::Postgres, sql, values)
}
