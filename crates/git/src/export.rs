//! Exports the Git data of a repository as a bare repository on disk, for `git clone` and
//! `git fsck`. Objects are stored in the form of packs, so they are copied without
//! recompression.
//!
//! A thread feeds libgit2, which builds the index, while this side reads the database a few
//! megabytes at a time.

use std::io::Write;
use std::path::{Path, PathBuf};

use git2::{Repository, RepositoryInitOptions};
use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
};
use sha1::{Digest, Sha1};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::pack::entry;
use super::uploads::visible;
use super::{GitError, Sha, store};
use crate::progress::ImportProgress;
use storage::database::Connection;
use storage::entities::git_object::{self, ObjectKind};
use storage::entities::{git_commit, git_ref};

/// Object names per query.
const ROWS: u64 = 500;

/// Bytes of content per read, unless a single object is larger.
const BYTES: i64 = 4 * 1024 * 1024;

/// Chunks buffered between the two sides.
const WAITING: usize = 2;

/// Writes a bare repository at `path`, which must be empty or not exist. HEAD names the
/// default branch. The largest object bounds the memory.
pub async fn export(
    connection: &Connection,
    repository_id: i64,
    default_branch: &str,
    path: PathBuf,
    progress: &mut (dyn FnMut(ImportProgress) + Send),
) -> Result<(), GitError> {
    if std::fs::read_dir(&path).is_ok_and(|mut entries| entries.next().is_some()) {
        let target = path.display();
        return Err(GitError::Repository(format!(
            "{target} is not empty; name an empty or new folder"
        )));
    }
    let head = format!("refs/heads/{default_branch}");
    let refs = list_refs(connection, repository_id).await?;
    let (sender, receiver) = channel::<Vec<u8>>(WAITING);
    let writing = tokio::task::spawn_blocking(move || write(&path, &head, &refs, receiver));
    let sent = send_objects(connection, repository_id, sender, progress).await;
    let written = writing
        .await
        .map_err(|error| GitError::Repository(format!("the writer failed: {error}")))?;
    match (sent, written) {
        (Err(GitError::Database(error)), _) => Err(GitError::Database(error)),
        // If the writer stopped early, its error is the cause.
        (sent, written) => written.and(sent),
    }
}

async fn list_refs(connection: &Connection, repository_id: i64) -> Result<Vec<u8>, DbErr> {
    let rows = git_ref::Entity::find()
        .filter(git_ref::Column::RepositoryId.eq(repository_id))
        .order_by_asc(git_ref::Column::Name)
        .all(connection)
        .await?;
    let lines = rows.iter().map(|row| format!("{} {}\n", row.sha, row.name));
    Ok(lines.collect::<String>().into_bytes())
}

/// Sends the pack in chunks. A repository without objects has no pack.
async fn send_objects(
    connection: &Connection,
    repository_id: i64,
    sender: Sender<Vec<u8>>,
    progress: &mut (dyn FnMut(ImportProgress) + Send),
) -> Result<(), GitError> {
    let objects = git_object::Entity::find()
        .filter(git_object::Column::RepositoryId.eq(repository_id))
        .filter(visible(repository_id, git_object::Column::UploadId));
    let count = objects.clone().count(connection).await?;
    let commits_total = git_commit::Entity::find()
        .filter(git_commit::Column::RepositoryId.eq(repository_id))
        .filter(visible(repository_id, git_commit::Column::UploadId))
        .count(connection)
        .await?;
    if count == 0 {
        return Ok(());
    }
    let mut report = ImportProgress {
        commits_done: 0,
        commits_total: usize::try_from(commits_total).unwrap_or(usize::MAX),
        objects: 0,
    };
    let count = u32::try_from(count)
        .map_err(|_| GitError::Repository("a pack holds at most 2³² objects".to_owned()))?;
    send(
        &sender,
        [b"PACK\0\0\0\x02", &count.to_be_bytes()[..]].concat(),
    )
    .await?;
    let mut last = String::new();
    loop {
        let page: Vec<(String, i64)> = objects
            .clone()
            .select_only()
            .columns([git_object::Column::Sha, git_object::Column::Size])
            .filter(git_object::Column::Sha.gt(&last))
            .order_by_asc(git_object::Column::Sha)
            .limit(ROWS)
            .into_tuple()
            .all(connection)
            .await?;
        let Some((end, _)) = page.last() else {
            return Ok(());
        };
        last.clone_from(end);
        let sizes = page
            .iter()
            .map(|(sha, size)| Ok((Sha::stored(sha)?, *size)))
            .collect::<Result<Vec<_>, DbErr>>()?;
        for shas in store::batches(sizes.into_iter(), BYTES) {
            let entries = store::entries(connection, repository_id, &shas, u32::MAX).await?;
            report.objects += entries.len() as u64;
            report.commits_done += entries
                .iter()
                .filter(|entry| entry.kind == ObjectKind::Commit)
                .count();
            let mut chunk = Vec::new();
            for entry in &entries {
                entry::write_stored(&mut chunk, entry)?;
            }
            send(&sender, chunk).await?;
        }
        progress(report);
    }
}

async fn send(sender: &Sender<Vec<u8>>, piece: Vec<u8>) -> Result<(), GitError> {
    sender
        .send(piece)
        .await
        .map_err(|_| GitError::Repository("cannot write the pack".to_owned()))
}

/// The blocking side: creates the repository and writes the received chunks.
fn write(
    path: &Path,
    head: &str,
    refs: &[u8],
    mut receiver: Receiver<Vec<u8>>,
) -> Result<(), GitError> {
    let mut options = RepositoryInitOptions::new();
    options
        .bare(true)
        .mkpath(true)
        .external_template(false)
        .initial_head(head);
    let repository = Repository::init_opts(path, &options)?;
    let odb = repository.odb()?;
    if let Some(start) = receiver.blocking_recv() {
        let mut pack = odb.packwriter()?;
        let mut hasher = Sha1::new();
        let mut next = Some(start);
        while let Some(piece) = next {
            hasher.update(&piece);
            pack.write_all(&piece)
                .map_err(|error| unwritable(path, &error))?;
            next = receiver.blocking_recv();
        }
        pack.write_all(&hasher.finalize())
            .map_err(|error| unwritable(path, &error))?;
        pack.commit()?;
    }
    std::fs::write(repository.path().join("packed-refs"), refs)
        .map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &std::io::Error) -> GitError {
    GitError::Repository(format!("cannot write to {}: {error}", path.display()))
}
