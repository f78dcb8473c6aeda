//! Maps database errors to problems. It is here because Rust allows the conversion only beside
//! one of its two types.

use sea_orm::sqlx::{self, error::DatabaseError, sqlite::SqliteError};
use sea_orm::{DbErr, RuntimeErr};

use super::Problem;

impl From<DbErr> for Problem {
    /// A temporary failure is 503; any other unexpected error is 500.
    fn from(error: DbErr) -> Self {
        if is_transient(&error) {
            Self::Unavailable(error.into())
        } else {
            Self::Internal(error.into())
        }
    }
}

/// Whether a retry may succeed.
pub fn is_transient(error: &DbErr) -> bool {
    match error {
        DbErr::ConnectionAcquire(_) | DbErr::Conn(_) => true,
        _ => sqlx_error(error).is_some_and(|error| {
            error
                .as_database_error()
                .map_or_else(|| is_disconnected(error), is_temporary)
        }),
    }
}

/// Whether the database refused a row by a constraint or a trigger.
pub fn is_constraint(error: &DbErr) -> bool {
    let Some(error) = sqlx_error(error).and_then(sqlx::Error::as_database_error) else {
        return false;
    };
    match error.try_downcast_ref::<SqliteError>() {
        Some(error) => primary_code(error) == 19,
        None => error.code().is_some_and(|code| code.starts_with("23")),
    }
}

fn sqlx_error(error: &DbErr) -> Option<&sqlx::Error> {
    match error {
        DbErr::Query(RuntimeErr::SqlxError(error)) | DbErr::Exec(RuntimeErr::SqlxError(error)) => {
            Some(error)
        }
        _ => None,
    }
}

/// Whether the connection broke before a response arrived.
fn is_disconnected(error: &sqlx::Error) -> bool {
    matches!(
        error,
        sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::Protocol(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed
    )
}

/// Whether the database reports a temporary failure. SQLite: busy, locked, out of memory,
/// read-only, I/O error, disk full, cannot open (<https://www.sqlite.org/rescode.html>).
/// PostgreSQL: connection failure, insufficient resources, operator intervention, system
/// error, serialization failure, deadlock, idle timeout
/// (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
fn is_temporary(error: &(dyn DatabaseError + 'static)) -> bool {
    if let Some(error) = error.try_downcast_ref::<SqliteError>() {
        return matches!(primary_code(error), 5 | 6 | 7 | 8 | 10 | 13 | 14);
    }
    let code = error.code().unwrap_or_default();
    let class = code.get(..2).unwrap_or_default();
    matches!(class, "08" | "53" | "57" | "58")
        || matches!(&*code, "25006" | "25P03" | "40001" | "40P01" | "55P03")
}

fn primary_code(error: &SqliteError) -> i32 {
    let code = error.code().unwrap_or_default();
    code.parse::<i32>().unwrap_or_default() & 0xff
}
