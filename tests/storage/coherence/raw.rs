//! A plain SQL connection outside the service, like that of `sqlite3` or `psql`.

use sea_orm::sqlx::error::{DatabaseError, ErrorKind};
use sea_orm::sqlx::{AssertSqlSafe, Connection, Error, Executor, PgConnection, SqliteConnection};

pub enum Raw {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Raw {
    pub async fn connect(url: &str) -> Self {
        if url.starts_with("sqlite:") {
            Self::Sqlite(SqliteConnection::connect(url).await.unwrap())
        } else {
            Self::Postgres(PgConnection::connect(url).await.unwrap())
        }
    }

    /// Runs statements, separated by semicolons.
    pub async fn run(&mut self, sql: &str) {
        if let Err(error) = self.try_run(sql).await {
            panic!("{sql}: {error}");
        }
    }

    /// Runs statements that may refer to rows that another change deleted. Returns whether the
    /// database accepted them.
    pub async fn accepts(&mut self, sql: &str) -> bool {
        let Err(error) = self.try_run(sql).await else {
            return true;
        };
        let kind = error.as_database_error().map(DatabaseError::kind);
        let expected = [ErrorKind::UniqueViolation, ErrorKind::ForeignKeyViolation];
        let is_expected = kind.is_some_and(|kind| expected.contains(&kind));
        assert!(is_expected, "{sql}: {error}");
        false
    }

    async fn try_run(&mut self, sql: &str) -> Result<(), Error> {
        let sql = AssertSqlSafe(sql.to_owned());
        match self {
            Self::Sqlite(connection) => connection.execute(sql).await.map(drop),
            Self::Postgres(connection) => connection.execute(sql).await.map(drop),
        }
    }
}
