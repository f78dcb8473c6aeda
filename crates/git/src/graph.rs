//! The commit graph in tables. Adding a commit here makes it visible to `ancestry` and
//! `walk`, which query the graph.
//!
//! Each commit is assigned to a chain: that of a parent that no other child continues yet,
//! or a new one. It reaches its parents and everything they reach (`reach`).

mod nodes;
mod rows;

use std::collections::HashMap;

use sea_orm::sea_query::LockType;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::objects::Commit;
use super::reach::{ChainPosition, LEVELS, NodeAddress, Pages, TableBuilder, TablePage};
use super::uploads::visible;
use super::{GitError, Sha, ident};
use nodes::Nodes;
use rows::{Rows, reserve_ids};
use storage::database::Connection;
use storage::entities::{git_commit, repository};

/// Rows per statement. A larger statement takes longer to prepare than it saves.
const ROWS: usize = 100;

/// A commit to be added to the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCommit {
    pub sha: Sha,
    pub tree: Sha,
    pub parents: Vec<Sha>,
    /// Committer date in Unix seconds.
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

/// Adds commits, parents before children, and returns how many were new; see
/// [`Graph::add`].
pub async fn add_commits(
    connection: &Connection,
    repository_id: i64,
    commits: &[NewCommit],
) -> Result<usize, GitError> {
    Graph::of(repository_id).add(connection, commits).await
}

/// The graph of a repository while commits are added. Its cached state is valid only within
/// the transaction that created it.
pub struct Graph {
    repository_id: i64,
    /// The upload that the commits are a part of.
    upload: Option<i64>,
    pages: Pages,
    /// The position of the last commit of a chain.
    tips: HashMap<i64, i64>,
    next_chain: Option<i64>,
}

impl Graph {
    pub fn of(repository_id: i64) -> Self {
        Self {
            repository_id,
            upload: None,
            pages: Pages::default(),
            tips: HashMap::new(),
            next_chain: None,
        }
    }

    /// For commits that are a part of an upload.
    pub(super) fn of_upload(repository_id: i64, upload: i64) -> Self {
        Self {
            upload: Some(upload),
            ..Self::of(repository_id)
        }
    }

    /// Adds commits, parents before children, and returns how many were new. Their objects
    /// must be stored, and their parents must be nodes or come earlier. Takes a few queries
    /// per 100 commits; on PostgreSQL, concurrent writers of the same graph wait.
    pub async fn add(
        &mut self,
        connection: &Connection,
        commits: &[NewCommit],
    ) -> Result<usize, GitError> {
        repository::Entity::find_by_id(self.repository_id)
            .select_only()
            .column(repository::Column::Id)
            .lock(LockType::NoKeyUpdate)
            .into_tuple::<i64>()
            .one(connection)
            .await?;
        let mut added = 0;
        for chunk in commits.chunks(ROWS) {
            added += self.add_chunk(connection, chunk).await?;
        }
        Ok(added)
    }

    async fn add_chunk(
        &mut self,
        connection: &Connection,
        commits: &[NewCommit],
    ) -> Result<usize, GitError> {
        let mut nodes = Nodes::load(connection, self.repository_id, self.upload, commits).await?;
        let mut fresh: Vec<&NewCommit> = Vec::new();
        for commit in commits {
            let again = fresh.iter().any(|other| other.sha == commit.sha);
            if !again && nodes.get(commit.sha).is_none() {
                fresh.push(commit);
            }
        }
        let ids = reserve_ids(connection, fresh.len()).await?;
        let mut rows = Rows::default();
        for (commit, id) in fresh.iter().zip(ids) {
            let parents = nodes.all(&commit.parents)?;
            let (node, page) = self.place(connection, id, commit, &parents).await?;
            rows.push(&node, &page, &parents);
            if !page.is_empty() {
                self.pages.insert(id, page);
            }
            nodes.insert(node);
        }
        rows.insert(connection).await?;
        self.pages.clear_if_large();
        Ok(fresh.len())
    }

    /// Assigns a commit to a chain, and computes what it reaches.
    async fn place(
        &mut self,
        connection: &Connection,
        id: i64,
        commit: &NewCommit,
        parents: &[&git_commit::Model],
    ) -> Result<(git_commit::Model, TablePage), GitError> {
        let own = self.next_position(connection, parents).await?;
        let table = |pages: &Pages| {
            let mut builder = TableBuilder::new(pages, id);
            for parent in parents {
                builder.merge(NodeAddress::stored(parent.reach));
            }
            for parent in parents.iter().filter(|parent| parent.chain != own.chain) {
                builder.put(position_of(parent));
            }
            builder.finish()
        };
        let (root, page) = self.pages.query(connection, table).await?;
        let below = parents.iter().map(|parent| parent.generation).max();
        let node = git_commit::Model {
            id,
            repository_id: self.repository_id,
            sha: commit.sha.to_string(),
            tree_sha: commit.tree.to_string(),
            generation: below.unwrap_or(0) + 1,
            committed_at: commit.committed_at,
            chain: own.chain,
            position: own.position,
            reach: root.and_then(NodeAddress::to_store),
            upload_id: self.upload,
        };
        Ok((node, page))
    }

    async fn next_position(
        &mut self,
        connection: &Connection,
        parents: &[&git_commit::Model],
    ) -> Result<ChainPosition, GitError> {
        for parent in parents {
            if self.tip(connection, parent.chain).await? == parent.position {
                let position = parent.position + 1;
                self.tips.insert(parent.chain, position);
                let chain = parent.chain;
                return Ok(ChainPosition { chain, position });
            }
        }
        let chain = match self.next_chain {
            Some(chain) => chain,
            None => self
                .last(connection, None)
                .await?
                .map_or(0, |last| last.chain + 1),
        };
        if chain >= 1 << (4 * LEVELS) {
            let reason = "its history has too many parallel branches";
            return Err(GitError::Repository(reason.to_owned()));
        }
        self.next_chain = Some(chain + 1);
        self.tips.insert(chain, 0);
        Ok(ChainPosition { chain, position: 0 })
    }

    /// The position of the last commit of a chain.
    async fn tip(&mut self, connection: &Connection, chain: i64) -> Result<i64, DbErr> {
        if let Some(position) = self.tips.get(&chain) {
            return Ok(*position);
        }
        let last = self.last(connection, Some(chain)).await?;
        let position = last.map_or(-1, |last| last.position);
        self.tips.insert(chain, position);
        Ok(position)
    }

    /// The last commit of a chain, or of the last chain.
    async fn last(
        &self,
        connection: &Connection,
        chain: Option<i64>,
    ) -> Result<Option<ChainPosition>, DbErr> {
        let mut query = git_commit::Entity::find()
            .filter(git_commit::Column::RepositoryId.eq(self.repository_id));
        if let Some(chain) = chain {
            query = query.filter(git_commit::Column::Chain.eq(chain));
        }
        let commit = query
            .order_by_desc(git_commit::Column::Chain)
            .order_by_desc(git_commit::Column::Position)
            .one(connection)
            .await?;
        Ok(commit.as_ref().map(position_of))
    }
}

fn position_of(commit: &git_commit::Model) -> ChainPosition {
    ChainPosition {
        chain: commit.chain,
        position: commit.position,
    }
}

/// The node of a commit, or None if the graph does not have it. One query.
pub async fn find(
    connection: &Connection,
    repository_id: i64,
    sha: Sha,
) -> Result<Option<git_commit::Model>, DbErr> {
    git_commit::Entity::find()
        .filter(git_commit::Column::RepositoryId.eq(repository_id))
        .filter(git_commit::Column::Sha.eq(sha.to_string()))
        .filter(visible(repository_id, git_commit::Column::UploadId))
        .one(connection)
        .await
}

/// The nodes of those commits that the graph has. One query per 100.
pub async fn find_many(
    connection: &Connection,
    repository_id: i64,
    shas: &[Sha],
) -> Result<Vec<git_commit::Model>, DbErr> {
    let mut nodes = Vec::with_capacity(shas.len());
    for chunk in shas.chunks(ROWS) {
        let rows = git_commit::Entity::find()
            .filter(git_commit::Column::RepositoryId.eq(repository_id))
            .filter(git_commit::Column::Sha.is_in(chunk.iter().map(Sha::to_string)))
            .filter(visible(repository_id, git_commit::Column::UploadId))
            .all(connection)
            .await?;
        nodes.extend(rows);
    }
    Ok(nodes)
}
