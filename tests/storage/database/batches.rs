//! Batches: changes that share a transaction. Each change gets its own outcome.

use std::sync::Arc;

use sea_orm::{ConnectionTrait, DbBackend, DbErr, QueryResult, Statement};
use serde::Serialize;
use storage::database::batches::{BatchedChange, Batches};
use storage::database::{Database, Options};
use tokio::task::JoinSet;

use crate::support::database::with_database;

/// A row of a table that accepts only small numbers.
#[derive(Serialize)]
struct Row {
    n: i64,
}

impl BatchedChange for Row {
    type Done = i64;

    fn script(&self, id: i64) -> Statement {
        let sql = "INSERT INTO small (batch, n) SELECT -$1, $2 % 100 WHERE $2 <> 13;
            INSERT INTO small (batch, n) SELECT $1, $2 WHERE $2 <> 13 RETURNING n";
        Statement::from_sql_and_values(DbBackend::Sqlite, sql, [id.into(), self.n.into()])
    }

    fn sql() -> &'static str {
        ", made AS (
            INSERT INTO small (batch, n) SELECT batch, n FROM allowed
            CROSS JOIN LATERAL json_to_record(change) AS row (n BIGINT)
            CROSS JOIN (VALUES ($1::BIGINT), (-$1::BIGINT)) AS side (batch) WHERE n <> 13
        )
        SELECT place, n FROM allowed
        CROSS JOIN LATERAL json_to_record(change) AS row (place INT, n BIGINT) WHERE n <> 13"
    }

    fn done(row: &QueryResult) -> Result<i64, DbErr> {
        row.try_get("", "n")
    }

    fn is_independent_of(&self, _: &Self) -> bool {
        true
    }

    fn size(&self) -> usize {
        8
    }
}

#[tokio::test]
async fn a_rejected_change_does_not_affect_others_in_its_batch() {
    with_database(async |url| {
        let db = Database::connect(url, Options::default()).await.unwrap();
        let transaction = db.begin().await.unwrap();
        let table = "CREATE TABLE small (batch BIGINT, n BIGINT CHECK (n < 100))";
        transaction.execute_unprepared(table).await.unwrap();
        transaction.commit().await.unwrap();

        let batches = Arc::new(Batches::<Row>::default());
        let mut writes = JoinSet::new();
        for n in [1, 2, 13, 100, 3, 200, 4, 5] {
            let (db, batches) = (db.clone(), Arc::clone(&batches));
            writes.spawn(async move { (n, batches.write(&db, 7, Row { n }).await) });
        }
        for (n, written) in writes.join_all().await {
            match n {
                13 | 100.. => assert!(matches!(written, Ok(None)), "{n}: {written:?}"),
                _ => assert_eq!(written.unwrap(), Some(n)),
            }
        }
        for batch in [7, -7] {
            let sql = format!("SELECT CAST(SUM(n) AS BIGINT) FROM small WHERE batch = {batch}");
            let sum = Statement::from_string(db.reads().get_database_backend(), sql);
            let sum = db.reads().query_one_raw(sum).await.unwrap().unwrap();
            assert_eq!(sum.try_get_by_index::<i64>(0).unwrap(), 1 + 2 + 3 + 4 + 5);
        }
    })
    .await;
}
