//! Imports a repository from disk: all references of all namespaces and every object that
//! they reach.
//!
//! A thread reads the repository (`reader`) while this side writes the batches it sends, a
//! few megabytes each, on the caller's connection. References are written last, and none is
//! ever deleted: a reference that the source does not have may have been created through
//! the API.
//!
//! The first import of a complete repository takes its packs as they are (`packs`).

mod objects;
mod packs;
mod reader;
mod survey;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, DbErr, EntityTrait, QueryFilter};
use tokio::sync::mpsc;

use super::graph::{Graph, NewCommit};
use super::progress::ImportProgress;
use super::statistics::Statistics;
use super::store::{PackedObject, store_packed};
use super::{GitError, Sha};
use storage::database::Connection;
use storage::entities::git_object::ObjectKind;
use storage::entities::git_ref;

/// Batches buffered between the two sides.
const WAITING: usize = 2;

/// Rows per statement.
const ROWS: usize = 100;

/// The result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// The branch that HEAD names, without `refs/heads/`, even if it does not exist yet.
    /// None if HEAD is detached.
    pub default_branch: Option<String>,
    pub new_objects: u64,
    pub new_commits: usize,
    /// Names of references that are new.
    pub new_refs: Vec<String>,
    pub moved_refs: Vec<MovedRef>,
    /// References of the source that cannot be imported.
    pub skipped_refs: Vec<SkippedRef>,
}

/// A reference that pointed to another object before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedRef {
    pub name: String,
    pub old: Sha,
    pub new: Sha,
}

/// A reference that was skipped, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedRef {
    pub name: String,
    pub reason: &'static str,
}

/// A unit of work from the reading side.
#[derive(Default)]
struct ImportBatch {
    objects: Vec<PackedObject>,
    commits: Vec<NewCommit>,
    commits_total: usize,
}

/// The references and HEAD of the source repository.
struct SourceRefs {
    default_branch: Option<String>,
    refs: Vec<SourceRef>,
    skipped: Vec<SkippedRef>,
}

struct SourceRef {
    name: String,
    sha: Sha,
    kind: ObjectKind,
}

/// Checks whether the repository at `path` can be imported, without reading its objects.
pub fn check(path: &Path) -> Result<(), GitError> {
    reader::open(path).map(drop)
}

/// Imports the repository at `path`, bare or not, into the repository with this id.
/// Importing again adds only new objects.
///
/// The first import needs about 150 bytes of memory per object, and a temporary file as large
/// as the packs; another one, about 40 bytes per new commit. Call it in a transaction: a failed
/// import leaves objects behind.
pub async fn import(
    connection: &Connection,
    repository_id: i64,
    path: PathBuf,
    now: i64,
    progress: &mut (dyn FnMut(ImportProgress) + Send),
) -> Result<Imported, GitError> {
    let existing = git_ref::Entity::find()
        .filter(git_ref::Column::RepositoryId.eq(repository_id))
        .all(connection)
        .await?;
    let mut imported = Imported::default();
    let source = match existing.is_empty() {
        true => take_packs(connection, repository_id, &path, progress, &mut imported).await?,
        false => None,
    };
    let source = match source {
        Some(source) => source,
        None => {
            let known_tips = existing
                .iter()
                .map(|row| Sha::stored(&row.sha))
                .collect::<Result<Vec<_>, _>>()?;
            let walk = ImportWalk { path, known_tips };
            walk.import(connection, repository_id, progress, &mut imported)
                .await?
        }
    };
    write_refs(
        connection,
        repository_id,
        now,
        existing,
        source.refs,
        &mut imported,
    )
    .await?;
    imported.default_branch = source.default_branch;
    imported.skipped_refs = source.skipped;
    Ok(imported)
}

/// Stores the packs of a repository, or returns None if it must be walked.
async fn take_packs(
    connection: &Connection,
    repository_id: i64,
    path: &Path,
    progress: &mut (dyn FnMut(ImportProgress) + Send),
    imported: &mut Imported,
) -> Result<Option<SourceRefs>, GitError> {
    let path = path.to_owned();
    let Ok(Ok((pack, source))) = tokio::task::spawn_blocking(move || packs::read(&path)).await
    else {
        return Ok(None);
    };
    let stored = pack
        .store_reporting(connection, repository_id, progress)
        .await?;
    imported.new_objects = stored.new_objects;
    imported.new_commits = stored.new_commits;
    Ok(Some(source))
}

/// An import that walks every commit, tree and file that `known_tips` do not reach.
struct ImportWalk {
    path: PathBuf,
    known_tips: Vec<Sha>,
}

impl ImportWalk {
    async fn import(
        self,
        connection: &Connection,
        repository_id: i64,
        progress: &mut (dyn FnMut(ImportProgress) + Send),
        imported: &mut Imported,
    ) -> Result<SourceRefs, GitError> {
        let (sender, mut receiver) = mpsc::channel::<ImportBatch>(WAITING);
        let reading = tokio::task::spawn_blocking(move || {
            reader::read(&self.path, &self.known_tips, &sender)
        });
        let mut report = ImportProgress::default();
        let mut graph = Graph::of(repository_id);
        let mut statistics = Statistics::default();
        while let Some(batch) = receiver.recv().await {
            report.commits_done += batch.commits.len();
            report.commits_total = batch.commits_total;
            report.objects += batch.objects.len() as u64;
            imported.new_objects += store_packed(connection, repository_id, batch.objects).await?;
            imported.new_commits += graph.add(connection, &batch.commits).await?;
            statistics.refresh(connection, report.objects).await?;
            progress(report);
        }
        reading
            .await
            .map_err(|error| GitError::Repository(format!("the reader failed: {error}")))?
    }
}

async fn write_refs(
    connection: &Connection,
    repository_id: i64,
    now: i64,
    existing: Vec<git_ref::Model>,
    refs: Vec<SourceRef>,
    imported: &mut Imported,
) -> Result<(), DbErr> {
    let mut existing: HashMap<String, git_ref::Model> = existing
        .into_iter()
        .map(|row| (row.name.clone(), row))
        .collect();
    let mut rows = Vec::new();
    for SourceRef { name, sha, kind } in refs {
        match existing.remove(&name) {
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
    for chunk in rows.chunks(ROWS) {
        git_ref::Entity::insert_many(chunk.to_vec())
            .exec_without_returning(connection)
            .await?;
    }
    Ok(())
}
