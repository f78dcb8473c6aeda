//! Id sequences.

use super::Connection;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement};

/// From now on the database assigns ids above `id`. PostgreSQL does not undo this with the
/// transaction.
pub async fn skip_ids(transaction: &Connection, table: &'static str, id: i64) -> Result<(), DbErr> {
    let backend = transaction.get_database_backend();
    let statement = |sql: String| Statement::from_sql_and_values(backend, sql, [id.into()]);
    if backend == DbBackend::Postgres {
        let sequence = format!("pg_get_serial_sequence('{table}', 'id')");
        let sql = format!(
            "SELECT setval({sequence}, $1)
             WHERE $1 > COALESCE(pg_sequence_last_value({sequence}::regclass), 0)"
        );
        transaction.execute_raw(statement(sql)).await?;
        return Ok(());
    }
    let sql = format!("UPDATE sqlite_sequence SET seq = MAX(seq, $1) WHERE name = '{table}'");
    let updated = transaction.execute_raw(statement(sql)).await?;
    if updated.rows_affected() == 0 {
        let sql = format!("INSERT INTO sqlite_sequence (name, seq) VALUES ('{table}', $1)");
        transaction.execute_raw(statement(sql)).await?;
    }
    Ok(())
}

/// Reserves the next `count` ids of a table, in ascending order. No other transaction gets them,
/// even if this one does not insert rows with them.
pub async fn reserve_ids(
    transaction: &Connection,
    table: &'static str,
    count: usize,
) -> Result<Vec<i64>, DbErr> {
    let Some(count) = i64::try_from(count).ok().filter(|count| *count > 0) else {
        return Ok(Vec::new());
    };
    let backend = transaction.get_database_backend();
    let query = |sql: String| Statement::from_sql_and_values(backend, sql, [count.into()]);
    if backend == DbBackend::Postgres {
        let sql = format!(
            "SELECT nextval(pg_get_serial_sequence('{table}', 'id')) AS id
             FROM generate_series(1, $1) ORDER BY id"
        );
        let rows = transaction.query_all_raw(query(sql)).await?;
        return rows.iter().map(|row| row.try_get("", "id")).collect();
    }
    let sql =
        format!("UPDATE sqlite_sequence SET seq = seq + $1 WHERE name = '{table}' RETURNING seq");
    let last = match transaction.query_one_raw(query(sql)).await? {
        Some(row) => row.try_get("", "seq")?,
        None => {
            let sql = format!("INSERT INTO sqlite_sequence (name, seq) VALUES ('{table}', $1)");
            transaction.execute_raw(query(sql)).await?;
            count
        }
    };
    Ok((last - count + 1..=last).collect())
}
