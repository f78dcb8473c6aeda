//! A repository on disk becomes the Git data of a repository of the service: all
//! references of all namespaces and every object that they reach.
//!
//! One thread reads the repository (`reader`) while this side writes what it
//! hands over, a few megabytes at a time, on the caller's connection. References
//! are written last, and none is ever removed: one that the source has lost may
//! have been made through the API.

mod fsck;
mod objects;
mod reader;
mod survey;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, DbBackend, DbErr,
    EntityTrait, QueryFilter,
};
use tokio::sync::mpsc;

use super::graph::{Graph, NewCommit};
use super::store::{Packed, store_packed};
use super::{GitError, Sha};
use crate::entities::git_object::Kind;
use crate::entities::git_ref;

/// Batches that wait between the two sides.
const WAITING: usize = 2;

/// Objects after which PostgreSQL is first told to look at its tables anew, and
/// how many times as many until it is told again.
const FIRST_LOOK: u64 = 2000;
const NEXT_LOOK: u64 = 4;

/// Rows per statement.
const ROWS: usize = 100;

/// How far an import is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    pub commits_done: usize,
    /// Commits that are to be read, known from the first report on.
    pub commits_total: usize,
    /// Objects read, of all kinds.
    pub objects: u64,
}

/// What an import brought.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// What HEAD names, without `refs/heads/`, even if there is no such branch
    /// yet. None when HEAD is detached.
    pub default_branch: Option<String>,
    pub new_objects: u64,
    pub new_commits: usize,
    /// Names of references that were not there.
    pub new_refs: Vec<String>,
    pub moved_refs: Vec<MovedRef>,
    /// References of the source that cannot be kept.
    pub skipped_refs: Vec<SkippedRef>,
}

/// A reference that named another object before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedRef {
    pub name: String,
    pub old: Sha,
    pub new: Sha,
}

/// A reference that was left out, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedRef {
    pub name: String,
    pub reason: &'static str,
}

/// What the reading side hands over at a time.
#[derive(Default)]
struct ObjectBatch {
    objects: Vec<Packed>,
    commits: Vec<NewCommit>,
    commits_total: usize,
}

/// What the reading side knows when it is done.
struct SourceRepository {
    default_branch: Option<String>,
    refs: Vec<SourceRef>,
    skipped: Vec<SkippedRef>,
}

struct SourceRef {
    name: String,
    sha: Sha,
    kind: Kind,
}

/// Says why the repository at `path` could not be imported, as far as that can be
/// told without reading its objects.
pub fn check(path: &Path) -> Result<(), GitError> {
    reader::open(path).map(drop)
}

/// Imports the repository at `path`, bare or not, into the repository with that
/// id. Importing again brings only what is new.
///
/// Needs about 40 bytes of memory per new commit, beside a few megabytes of
/// objects on their way; content is never held as a whole. Call it in a
/// transaction: an import that fails halfway leaves objects behind.
pub async fn import(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    path: PathBuf,
    now: i64,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Imported, GitError> {
    let present = git_ref::Entity::find()
        .filter(git_ref::Column::RepositoryId.eq(repository_id))
        .all(connection)
        .await?;
    let known = present
        .iter()
        .map(|row| Sha::stored(&row.sha))
        .collect::<Result<Vec<_>, _>>()?;
    let (sender, mut receiver) = mpsc::channel::<ObjectBatch>(WAITING);
    let reading = tokio::task::spawn_blocking(move || reader::read(&path, &known, &sender));
    let mut imported = Imported::default();
    let mut report = Progress {
        commits_done: 0,
        commits_total: 0,
        objects: 0,
    };
    let mut graph = Graph::of(repository_id);
    let mut look = FIRST_LOOK;
    while let Some(batch) = receiver.recv().await {
        report.commits_done += batch.commits.len();
        report.commits_total = batch.commits_total;
        report.objects += batch.objects.len() as u64;
        imported.new_objects += store_packed(connection, repository_id, batch.objects).await?;
        imported.new_commits += graph.add(connection, &batch.commits).await?;
        if report.objects >= look {
            look *= NEXT_LOOK;
            look_anew(connection).await?;
        }
        progress(report);
    }
    let source = reading
        .await
        .map_err(|error| GitError::Repository(format!("the reader failed: {error}")))??;
    write_refs(
        connection,
        repository_id,
        now,
        present,
        source.refs,
        &mut imported,
    )
    .await?;
    imported.default_branch = source.default_branch;
    imported.skipped_refs = source.skipped;
    Ok(imported)
}

/// PostgreSQL plans by what it knows of its tables, and learns nothing about them
/// before a transaction is over: it would go on reading whole tables as if they
/// were empty.
async fn look_anew(connection: &impl ConnectionTrait) -> Result<(), DbErr> {
    if connection.get_database_backend() == DbBackend::Postgres {
        let sql = "ANALYZE git_object, git_commit, git_commit_parent, git_reach";
        connection.execute_unprepared(sql).await?;
    }
    Ok(())
}

async fn write_refs(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    now: i64,
    present: Vec<git_ref::Model>,
    refs: Vec<SourceRef>,
    imported: &mut Imported,
) -> Result<(), DbErr> {
    let mut present: HashMap<String, git_ref::Model> = present
        .into_iter()
        .map(|row| (row.name.clone(), row))
        .collect();
    let mut rows = Vec::new();
    for SourceRef { name, sha, kind } in refs {
        match present.remove(&name) {
            None => {
                imported.new_refs.push(name.clone());
                rows.push(git_ref::ActiveModel {
                    repository_id: Set(repository_id),
                    name: Set(name),
                    sha: Set(sha.to_string()),
                    kind: Set(kind),
                    updated_at: Set(now),
                    ..Default::default()
                });
            }
            Some(row) if row.sha == sha.to_string() => {}
            Some(row) => {
                let old = Sha::stored(&row.sha)?;
                let mut row = git_ref::ActiveModel::from(row);
                row.sha = Set(sha.to_string());
                row.kind = Set(kind);
                row.updated_at = Set(now);
                row.update(connection).await?;
                let new = sha;
                imported.moved_refs.push(MovedRef { name, old, new });
            }
        }
    }
    for some in rows.chunks(ROWS) {
        git_ref::Entity::insert_many(some.to_vec())
            .exec_without_returning(connection)
            .await?;
    }
    Ok(())
}
