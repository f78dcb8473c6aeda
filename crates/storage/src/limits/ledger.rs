//! Budgets that several processes share through PostgreSQL. A process draws a share of a
//! budget and admits requests from it. Most requests then need no query, and all processes
//! together never exceed the budget.

use std::sync::atomic::{AtomicU64, Ordering};

use sea_orm::{ConnectionTrait, DbBackend, DbErr, FromQueryResult, Statement};

use super::{LONGEST_WINDOW, WINDOW};
use crate::database::{Database, dependencies};

/// The share that a process received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromQueryResult)]
pub struct LedgerShare {
    /// The total drawn by all processes, including this share.
    pub used: i64,
    /// How many requests this process may admit; 0 if the budget is exhausted.
    pub granted: i64,
    pub resets_at: i64,
}

#[derive(Debug)]
pub struct Ledger {
    db: Database,
    queries: AtomicU64,
}

/// Expired budgets are deleted after this many queries. Anonymous callers can use
/// arbitrarily many addresses, and each leaves a row.
const CLEANUP_INTERVAL: u64 = 10_000;

impl Ledger {
    /// The ledger of a database, if several processes can share it.
    pub fn of(db: &Database) -> Option<Self> {
        (db.reads().get_database_backend() == DbBackend::Postgres).then(|| Self {
            db: db.clone(),
            queries: AtomicU64::new(0),
        })
    }

    /// Draws up to `requested` requests from a budget, or begins its next hour.
    pub async fn take(
        &self,
        subject: &str,
        requested: i64,
        limit: i64,
        now: i64,
    ) -> Result<Option<LedgerShare>, DbErr> {
        if self.queries.fetch_add(1, Ordering::Relaxed) % CLEANUP_INTERVAL == CLEANUP_INTERVAL - 1 {
            self.delete_expired(now).await?;
        }
        let sql = "INSERT INTO budget AS b (subject, resets_at, used, granted)
            VALUES ($1, $4 + $5, LEAST($2, $3), LEAST($2, $3))
            ON CONFLICT (subject) DO UPDATE SET
                granted = CASE WHEN b.resets_at NOT BETWEEN $4 + 1 AND $4 + $6 THEN LEAST($2, $3)
                    ELSE LEAST($2, GREATEST($3 - b.used, 0)) END,
                used = CASE WHEN b.resets_at NOT BETWEEN $4 + 1 AND $4 + $6 THEN LEAST($2, $3)
                    ELSE b.used + LEAST($2, GREATEST($3 - b.used, 0)) END,
                resets_at = CASE WHEN b.resets_at NOT BETWEEN $4 + 1 AND $4 + $6 THEN $4 + $5 ELSE b.resets_at END
            RETURNING used, granted, resets_at";
        let values = [
            subject.into(),
            requested.into(),
            limit.into(),
            now.into(),
            WINDOW.into(),
            LONGEST_WINDOW.into(),
        ];
        dependencies::request(async {
            let transaction = self.db.begin().await?;
            let granted = LedgerShare::find_by_statement(statement(sql, values));
            let granted = granted.one(&*transaction).await?;
            transaction.commit().await?;
            Ok(granted)
        })
        .await
    }

    /// The total drawn from a budget by all processes; None if it has expired.
    pub async fn peek(&self, subject: &str, now: i64) -> Result<Option<LedgerShare>, DbErr> {
        let sql = "SELECT used, 0::BIGINT AS granted, resets_at FROM budget
            WHERE subject = $1 AND resets_at BETWEEN $2 + 1 AND $2 + $3";
        let query = statement(sql, [subject.into(), now.into(), LONGEST_WINDOW.into()]);
        let share = LedgerShare::find_by_statement(query);
        share.one(self.db.untracked()).await
    }

    /// Returns the unused part of a share.
    pub async fn give_back(&self, subject: &str, resets_at: i64, unused: i64) -> Result<(), DbErr> {
        let sql = "UPDATE budget SET used = GREATEST(used - $3, 0)
            WHERE subject = $1 AND resets_at = $2";
        let values = [subject.into(), resets_at.into(), unused.into()];
        self.change(statement(sql, values)).await
    }

    /// Deletes expired budgets.
    pub async fn delete_expired(&self, now: i64) -> Result<(), DbErr> {
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
