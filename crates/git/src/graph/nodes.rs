//! The nodes that a chunk of new commits refers to.

use std::collections::{HashMap, HashSet};

use sea_orm::sea_query::{Expr, SubQueryStatement};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QuerySelect};

use super::{NewCommit, ROWS};
use crate::uploads::unfinished;
use crate::{GitError, Sha};
use storage::database::Connection;
use storage::entities::git_commit;

#[derive(Default)]
pub(super) struct Nodes {
    by_sha: HashMap<String, git_commit::Model>,
}

/// A node, and the unfinished upload of the repository.
#[derive(FromQueryResult)]
struct NodeRow {
    #[sea_orm(nested)]
    node: git_commit::Model,
    unfinished: Option<i64>,
}

impl Nodes {
    /// Reads the nodes of commits and their parents. Those of the commits that are a part of
    /// another upload are taken from it. It has their ancestors, which the caller stores too.
    pub(super) async fn load(
        connection: &Connection,
        repository_id: i64,
        upload: Option<i64>,
        commits: &[NewCommit],
    ) -> Result<Self, DbErr> {
        let new: HashSet<String> = commits
            .iter()
            .map(|commit| commit.sha.to_string())
            .collect();
        let parents = commits.iter().flat_map(|commit| commit.parents.iter());
        let parents = parents.map(Sha::to_string);
        let mut shas: Vec<String> = new.iter().cloned().chain(parents).collect();
        shas.sort_unstable();
        shas.dedup();
        let (mut nodes, mut taken) = (Self::default(), Vec::new());
        for chunk in shas.chunks(ROWS) {
            for row in rows(connection, repository_id, chunk).await? {
                let id = row.node.upload_id;
                if id.is_some() && id == row.unfinished && id != upload {
                    if !new.contains(&row.node.sha) {
                        continue;
                    }
                    taken.push(row.node.id);
                }
                nodes.insert(row.node);
            }
        }
        take(connection, taken).await?;
        Ok(nodes)
    }

    pub(super) fn insert(&mut self, node: git_commit::Model) {
        self.by_sha.insert(node.sha.clone(), node);
    }

    pub(super) fn get(&self, sha: Sha) -> Option<&git_commit::Model> {
        self.by_sha.get(&sha.to_string())
    }

    pub(super) fn all(&self, shas: &[Sha]) -> Result<Vec<&git_commit::Model>, GitError> {
        shas.iter()
            .map(|sha| self.get(*sha).ok_or(GitError::Missing(*sha)))
            .collect()
    }
}

async fn rows(
    connection: &Connection,
    repository_id: i64,
    shas: &[String],
) -> Result<Vec<NodeRow>, DbErr> {
    let upload = SubQueryStatement::SelectStatement(unfinished(repository_id));
    git_commit::Entity::find()
        .column_as(Expr::from(upload), "unfinished")
        .filter(git_commit::Column::RepositoryId.eq(repository_id))
        .filter(git_commit::Column::Sha.is_in(shas))
        .into_model::<NodeRow>()
        .all(connection)
        .await
}

/// Makes nodes visible.
async fn take(connection: &Connection, nodes: Vec<i64>) -> Result<(), DbErr> {
    if nodes.is_empty() {
        return Ok(());
    }
    git_commit::Entity::update_many()
        .col_expr(git_commit::Column::UploadId, Expr::value(None::<i64>))
        .filter(git_commit::Column::Id.is_in(nodes))
        .exec(connection)
        .await?;
    Ok(())
}
