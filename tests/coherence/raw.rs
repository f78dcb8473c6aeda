//! A connection of its own that speaks SQL, as `sqlite3` and `psql` do: nothing of
//! the service knows what is done through it.

use sea_orm::sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, SqliteConnection};

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
        let outcome = match self {
            Self::Sqlite(connection) => connection
                .execute(AssertSqlSafe(sql.to_owned()))
                .await
                .map(drop),
            Self::Postgres(connection) => connection
                .execute(AssertSqlSafe(sql.to_owned()))
                .await
                .map(drop),
        };
        if let Err(error) = outcome {
            panic!("{sql}: {error}");
        }
    }
}
