//! The rows of new commits, and their ids, which are reserved before insertion because the
//! rows refer to each other.

use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ConnectionTrait, DbBackend, DbErr, EntityTrait, Statement,
};

use super::ROWS;
use crate::reach::TablePage;
use storage::database::Connection;
use storage::entities::{git_commit, git_commit_parent, git_reach};

/// The rows of a chunk of commits.
#[derive(Default)]
pub(super) struct Rows {
    nodes: Vec<git_commit::ActiveModel>,
    pages: Vec<git_reach::ActiveModel>,
    edges: Vec<git_commit_parent::ActiveModel>,
}

impl Rows {
    pub(super) fn push(
        &mut self,
        node: &git_commit::Model,
        page: &TablePage,
        parents: &[&git_commit::Model],
    ) {
        self.nodes
            .push(git_commit::ActiveModel::from(node.clone()).reset_all());
        if !page.is_empty() {
            self.pages.push(git_reach::ActiveModel {
                commit_id: Set(node.id),
                content: Set(page.encode(node.id)),
            });
        }
        for (ordinal, parent) in (0_i64..).zip(parents) {
            self.edges.push(git_commit_parent::ActiveModel {
                commit_id: Set(node.id),
                ordinal: Set(ordinal),
                parent_id: Set(parent.id),
            });
        }
    }

    pub(super) async fn insert(self, connection: &Connection) -> Result<(), DbErr> {
        insert_rows(connection, self.nodes).await?;
        insert_rows(connection, self.pages).await?;
        insert_rows(connection, self.edges).await
    }
}

async fn insert_rows<M: ActiveModelTrait>(
    connection: &Connection,
    rows: Vec<M>,
) -> Result<(), DbErr> {
    let mut rows = rows.into_iter();
    loop {
        let chunk: Vec<_> = rows.by_ref().take(ROWS).collect();
        if chunk.is_empty() {
            return Ok(());
        }
        M::Entity::insert_many(chunk)
            .exec_without_returning(connection)
            .await?;
    }
}

/// Reserves ids for rows that refer to each other. PostgreSQL takes them from the table's
/// sequence; SQLite has a single writer.
pub(super) async fn reserve_ids(connection: &Connection, count: usize) -> Result<Vec<i64>, DbErr> {
    let count = i64::try_from(count).map_err(|error| DbErr::Custom(error.to_string()))?;
    let backend = connection.get_database_backend();
    if backend == DbBackend::Postgres {
        let sql = "SELECT nextval(pg_get_serial_sequence('git_commit', 'id')) AS id
                   FROM generate_series(1, $1)";
        let statement = Statement::from_sql_and_values(backend, sql, [count.into()]);
        let rows = connection.query_all_raw(statement).await?;
        return rows.iter().map(|row| row.try_get("", "id")).collect();
    }
    let sql = "SELECT seq FROM sqlite_sequence WHERE name = 'git_commit'";
    let row = connection
        .query_one_raw(Statement::from_string(backend, sql))
        .await?;
    let last: i64 = row.map_or(Ok(0), |row| row.try_get("", "seq"))?;
    Ok((last + 1..=last + count).collect())
}
