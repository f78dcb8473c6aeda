//! Id sequences.

use sea_orm::{ConnectionTrait, DbBackend, DbErr};

/// Advances the id sequence of PostgreSQL past explicitly inserted ids. SQLite does so by
/// itself. Call it in the transaction of the inserts.
pub async fn continue_ids(
    connection: &impl ConnectionTrait,
    table: &'static str,
) -> Result<(), DbErr> {
    if connection.get_database_backend() == DbBackend::Postgres {
        let sequence = format!("pg_get_serial_sequence('{table}', 'id')");
        let sql = format!(
            "SELECT setval({sequence}, MAX(id)) FROM {table}
             HAVING MAX(id) > COALESCE(pg_sequence_last_value({sequence}::regclass), 0)"
        );
        connection.execute_unprepared(&sql).await?;
    }
    Ok(())
}
