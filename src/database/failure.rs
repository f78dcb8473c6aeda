//! What a failed query means to a caller.

use sea_orm::DbErr;

use crate::contract::problem::Problem;

impl From<DbErr> for Problem {
    /// A database that cannot be reached may be back in a moment; any other
    /// error that a query did not expect is ours.
    fn from(error: DbErr) -> Self {
        match error {
            DbErr::ConnectionAcquire(_) | DbErr::Conn(_) => Self::Unavailable(error.into()),
            other => Self::Internal(other.into()),
        }
    }
}
