//! What a failed query means to a caller.

use sea_orm::sqlx::{self, error::DatabaseError, sqlite::SqliteError};
use sea_orm::{DbErr, RuntimeErr};

use crate::contract::problem::Problem;

impl From<DbErr> for Problem {
    /// A database that cannot be used may be usable in a moment; any other error
    /// that a query did not expect is ours.
    fn from(error: DbErr) -> Self {
        if may_pass(&error) {
            Self::Unavailable(error.into())
        } else {
            Self::Internal(error.into())
        }
    }
}

/// Whether the same may succeed in a moment.
pub(super) fn may_pass(error: &DbErr) -> bool {
    match error {
        DbErr::ConnectionAcquire(_) | DbErr::Conn(_) => true,
        DbErr::Query(RuntimeErr::SqlxError(error)) | DbErr::Exec(RuntimeErr::SqlxError(error)) => {
            error
                .as_database_error()
                .map_or_else(|| is_lost(error), is_trouble)
        }
        _ => false,
    }
}

/// The connection broke before an answer came.
fn is_lost(error: &sqlx::Error) -> bool {
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

/// The database says that it is the one in trouble. Of SQLite: busy, locked, out
/// of memory, read-only, failing or full disk, a file that cannot be opened
/// (<https://www.sqlite.org/rescode.html>). Of PostgreSQL: a connection that
/// broke, too few resources, somebody's intervention, a system error, and two
/// transactions in each other's way, or one that paused too long
/// (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
fn is_trouble(error: &(dyn DatabaseError + 'static)) -> bool {
    let code = error.code().unwrap_or_default();
    if error.try_downcast_ref::<SqliteError>().is_some() {
        let primary = code.parse::<i32>().unwrap_or_default() & 0xff;
        return matches!(primary, 5 | 6 | 7 | 8 | 10 | 13 | 14);
    }
    let class = code.get(..2).unwrap_or_default();
    matches!(class, "08" | "53" | "57" | "58")
        || matches!(&*code, "25006" | "25P03" | "40001" | "40P01" | "55P03")
}
