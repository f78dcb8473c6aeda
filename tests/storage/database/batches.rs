//! Changes that share a statement on PostgreSQL: each gets its own outcome.

use std::sync::Arc;

use forgewright::database::batches::{BatchedChange, Batches};
use forgewright::database::{Database, Options};
use sea_orm::{ConnectionTrait, DbErr, QueryResult, Statement};
use serde::Serialize;
use tokio::task::JoinSet;

use crate::support::postgres::OnServer;

/// A row of a table that takes small numbers only.
#[derive(Serialize)]
struct Row {
    n: i64,
}

impl BatchedChange for Row {
    type Done = i64;

    fn sql() -> &'static str {
        ", made AS (
            INSERT INTO small (batch, n) SELECT $1, n FROM allowed
            CROSS JOIN LATERAL json_to_record(change) AS row (n BIGINT) WHERE n <> 13
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
async fn one_that_is_refused_harms_no_other_of_its_batch() {
    let Some(server) = OnServer::empty().await else {
        return;
    };
    let url = server.url();
    Database::migrate(&url).await.unwrap();
    let db = Arc::new(Database::connect(&url, Options::default()).await.unwrap());
    let transaction = db.begin().await.unwrap();
    let table = "CREATE TABLE small (batch BIGINT, n BIGINT CHECK (n < 100))";
    transaction.execute_unprepared(table).await.unwrap();
    transaction.commit().await.unwrap();

    let batches = Arc::new(Batches::<Row>::default());
    let mut writes = JoinSet::new();
    for n in [1, 2, 13, 100, 3, 200, 4, 5] {
        let (db, batches) = (Arc::clone(&db), Arc::clone(&batches));
        writes.spawn(async move {
            let written = batches
                .write(db.concurrent_writers().unwrap(), 7, Row { n })
                .await;
            (n, written)
        });
    }
    for (n, written) in writes.join_all().await {
        match n {
            13 => assert!(matches!(written, Ok(None)), "{written:?}"),
            100.. => assert!(written.is_err(), "{n}: {written:?}"),
            _ => assert_eq!(written.unwrap(), Some(n)),
        }
    }
    let sql = "SELECT CAST(SUM(n) AS BIGINT) FROM small WHERE batch = 7";
    let sum = Statement::from_string(sea_orm::DbBackend::Postgres, sql);
    let sum = db.reads().query_one_raw(sum).await.unwrap().unwrap();
    assert_eq!(sum.try_get_by_index::<i64>(0).unwrap(), 1 + 2 + 3 + 4 + 5);
}
