//! The commit graph in tables: who adds a commit here makes it reachable for
//! `ancestry` and `walk`, which answer questions about it.
//!
//! Beside its parents each commit knows an ancestor further up its line of first
//! parents, chosen so that any place on that line is reached in about log₂(n)
//! leaps (E. Myers, "An applicative random-access stack", 1983). How far a commit
//! leaps follows from its depth alone.

use std::collections::HashMap;

use sea_orm::sea_query::LockType;
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, DbBackend, DbErr,
    EntityTrait, QueryFilter, QuerySelect, Statement,
};

use super::objects::Commit;
use super::{GitError, Sha, ident};
use crate::entities::{git_commit, git_commit_parent, repository};

/// Rows per statement. More make a statement slower to prepare than they save.
const ROWS: usize = 100;

/// A commit that is to become a node of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCommit {
    pub sha: Sha,
    pub tree: Sha,
    pub parents: Vec<Sha>,
    /// Unix seconds, by the committer's clock.
    pub committed_at: i64,
}

impl NewCommit {
    pub fn new(sha: Sha, commit: &Commit) -> Self {
        Self {
            sha,
            tree: commit.tree,
            parents: commit.parents.clone(),
            committed_at: ident::seconds_of(&commit.committer),
        }
    }
}

/// Adds commits, parents before children, and says how many were new. Their
/// objects must be stored, and their parents be nodes or come earlier. A few
/// queries per 100 commits; on PostgreSQL other writers of the same graph wait.
pub async fn add_commits(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    commits: &[NewCommit],
) -> Result<usize, GitError> {
    repository::Entity::find_by_id(repository_id)
        .select_only()
        .column(repository::Column::Id)
        .lock(LockType::NoKeyUpdate)
        .into_tuple::<i64>()
        .one(connection)
        .await?;
    let mut added = 0;
    for some in commits.chunks(ROWS) {
        added += add_chunk(connection, repository_id, some).await?;
    }
    Ok(added)
}

async fn add_chunk(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    commits: &[NewCommit],
) -> Result<usize, GitError> {
    let named = commits
        .iter()
        .flat_map(|commit| std::iter::once(commit.sha).chain(commit.parents.iter().copied()));
    let mut nodes = Nodes::load(connection, repository_id, named.collect()).await?;
    let mut fresh: Vec<&NewCommit> = Vec::new();
    for commit in commits {
        let again = fresh.iter().any(|other| other.sha == commit.sha);
        if !again && nodes.get(commit.sha).is_none() {
            fresh.push(commit);
        }
    }
    let ids = reserve_ids(connection, fresh.len()).await?;
    let mut rows = Vec::with_capacity(fresh.len());
    let mut edges = Vec::with_capacity(fresh.len());
    for (commit, id) in fresh.iter().zip(ids) {
        let node = nodes.place(connection, repository_id, id, commit).await?;
        for (ordinal, parent) in (0_i64..).zip(&commit.parents) {
            edges.push(git_commit_parent::ActiveModel {
                commit_id: Set(id),
                ordinal: Set(ordinal),
                parent_id: Set(nodes.parent(*parent)?.id),
            });
        }
        rows.push(git_commit::ActiveModel::from(node.clone()).reset_all());
        nodes.insert(node);
    }
    insert(connection, rows, edges).await?;
    Ok(fresh.len())
}

async fn insert(
    connection: &impl ConnectionTrait,
    rows: Vec<git_commit::ActiveModel>,
    edges: Vec<git_commit_parent::ActiveModel>,
) -> Result<(), DbErr> {
    git_commit::Entity::insert_many(rows)
        .exec_without_returning(connection)
        .await?;
    let mut edges = edges.into_iter();
    loop {
        let some: Vec<_> = edges.by_ref().take(ROWS).collect();
        if some.is_empty() {
            return Ok(());
        }
        git_commit_parent::Entity::insert_many(some)
            .exec_without_returning(connection)
            .await?;
    }
}

/// The node of a commit, or None if it is not one. One query.
pub async fn find(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    sha: Sha,
) -> Result<Option<git_commit::Model>, DbErr> {
    git_commit::Entity::find()
        .filter(git_commit::Column::RepositoryId.eq(repository_id))
        .filter(git_commit::Column::Sha.eq(sha.to_string()))
        .one(connection)
        .await
}

/// The nodes that a chunk of new commits stands on.
struct Nodes {
    by_sha: HashMap<String, git_commit::Model>,
    jumps: HashMap<i64, Option<i64>>,
}

impl Nodes {
    async fn load(
        connection: &impl ConnectionTrait,
        repository_id: i64,
        mut named: Vec<Sha>,
    ) -> Result<Self, DbErr> {
        named.sort_unstable();
        named.dedup();
        let mut nodes = Self {
            by_sha: HashMap::new(),
            jumps: HashMap::new(),
        };
        for some in named.chunks(ROWS) {
            let rows = git_commit::Entity::find()
                .filter(git_commit::Column::RepositoryId.eq(repository_id))
                .filter(git_commit::Column::Sha.is_in(some.iter().map(Sha::to_string)))
                .all(connection)
                .await?;
            rows.into_iter().for_each(|row| nodes.insert(row));
        }
        Ok(nodes)
    }

    fn insert(&mut self, node: git_commit::Model) {
        self.jumps.insert(node.id, node.jump_id);
        self.by_sha.insert(node.sha.clone(), node);
    }

    fn get(&self, sha: Sha) -> Option<&git_commit::Model> {
        self.by_sha.get(&sha.to_string())
    }

    fn parent(&self, sha: Sha) -> Result<&git_commit::Model, GitError> {
        self.get(sha).ok_or(GitError::Missing(sha))
    }

    /// Works out where a commit stands in the graph.
    async fn place(
        &mut self,
        connection: &impl ConnectionTrait,
        repository_id: i64,
        id: i64,
        commit: &NewCommit,
    ) -> Result<git_commit::Model, GitError> {
        let mut node = git_commit::Model {
            id,
            repository_id,
            sha: commit.sha.to_string(),
            tree_sha: commit.tree.to_string(),
            generation: 1,
            committed_at: commit.committed_at,
            depth: 0,
            jump_id: None,
            merge_generation: 0,
        };
        for parent in &commit.parents {
            node.generation = node.generation.max(self.parent(*parent)?.generation + 1);
        }
        if let Some(first) = commit.parents.first() {
            let first = self.parent(*first)?.clone();
            node.depth = first.depth + 1;
            node.jump_id = Some(self.jump(connection, &first).await?);
            node.merge_generation = first.merge_generation;
        }
        if commit.parents.len() > 1 {
            node.merge_generation = node.generation;
        }
        Ok(node)
    }

    /// Where a child of `parent` leaps to: to its parent, or twice as far as that
    /// one leaps.
    async fn jump(
        &mut self,
        connection: &impl ConnectionTrait,
        parent: &git_commit::Model,
    ) -> Result<i64, DbErr> {
        if jump_length(parent.depth + 1) == 1 {
            return Ok(parent.id);
        }
        let halfway = parent.jump_id.unwrap_or(parent.id);
        let end = match self.jumps.get(&halfway) {
            Some(known) => *known,
            None => {
                let row = git_commit::Entity::find_by_id(halfway)
                    .one(connection)
                    .await?;
                let jump = row.and_then(|row| row.jump_id);
                self.jumps.insert(halfway, jump);
                jump
            }
        };
        end.ok_or_else(|| DbErr::RecordNotFound(format!("the jump of commit {halfway}")))
    }
}

/// How far a commit at this depth leaps: the least term when the depth is written
/// greedily as a sum of numbers of the form 2ᵏ − 1.
fn jump_length(depth: i64) -> i64 {
    let mut rest = depth.max(1);
    loop {
        let term = (1_i64 << (rest + 1).ilog2()) - 1;
        rest -= term;
        if rest == 0 {
            return term;
        }
    }
}

/// Ids for rows that refer to each other before they are inserted. On SQLite
/// there is one writer; on PostgreSQL they come from the table's own sequence.
async fn reserve_ids(connection: &impl ConnectionTrait, count: usize) -> Result<Vec<i64>, DbErr> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leap_is_one_step_or_twice_the_last_and_one() {
        let lengths: Vec<i64> = (1..=15).map(jump_length).collect();
        assert_eq!(lengths, [1, 1, 3, 1, 1, 3, 7, 1, 1, 3, 1, 1, 3, 7, 15]);
        for depth in 1..100_000 {
            let (here, next) = (jump_length(depth), jump_length(depth + 1));
            let doubles = depth > here && jump_length(depth - here) == here;
            assert_eq!(next, if doubles { 2 * here + 1 } else { 1 }, "{depth}");
        }
    }
}
