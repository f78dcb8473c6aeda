//! Reads and compares the two texts of a change without blocking other requests: large
//! texts are unpacked and compared under a permit for heavy work (`heavy.rs`), within a
//! budget.

use super::{ContentKind, File, LARGEST_TEXT, hunks, similarity};
use crate::store::{PackedChain, expect, heads, load_packed, unpack};
use crate::tree::Mode;
use crate::{GitError, Sha};
use storage::database::Connection;
use storage::entities::git_object::ObjectKind;
use storage::heavy;

/// Texts up to this size in bytes are compared on the caller's thread.
const COMPARED_IN_PLACE: i64 = 64 * 1024;

/// Texts with more lines than this are not compared; half a second of work at worst.
pub(super) const MOST_LINES: usize = 150_000;

/// The outcome of a comparison.
pub(super) enum TextComparison<T> {
    As(T),
    /// It is not text, or too large.
    Not(ContentKind),
}

/// Compares two files by their texts.
pub(super) async fn compared<T: Send + 'static>(
    connection: &Connection,
    repository_id: i64,
    old: Option<&File>,
    new: Option<&File>,
    compare: impl FnOnce(&[u8], &[u8]) -> Result<T, GitError> + Send + 'static,
) -> Result<TextComparison<Result<T, GitError>>, GitError> {
    if let (Some(old), Some(new)) = (old, new)
        && old.sha == new.sha
    {
        return Ok(TextComparison::As(compare(b"", b"")));
    }
    let size = size(connection, repository_id, [old, new]).await?;
    let Some(size) = size else {
        return Ok(TextComparison::Not(ContentKind::TooLarge));
    };
    if size <= COMPARED_IN_PLACE {
        let old = PackedFile::read(connection, repository_id, old).await?;
        let texts = Texts::of(old, PackedFile::read(connection, repository_id, new).await?)?;
        return Ok(match texts.rejection() {
            Some(content) => TextComparison::Not(content),
            None => TextComparison::As(compare(&texts.old, &texts.new)),
        });
    }
    let work = async {
        let old = PackedFile::read(connection, repository_id, old).await?;
        let new = PackedFile::read(connection, repository_id, new).await?;
        let texts = heavy::compute(move || Texts::of(old, new)).await??;
        if let Some(content) = texts.rejection() {
            return Ok(TextComparison::Not(content));
        }
        let compare = move || compare(&texts.old, &texts.new);
        Ok(TextComparison::As(heavy::compute(compare).await?))
    };
    heavy::with_permit(work).await
}

/// The number of lines of a file; 0 if it is binary, too large or missing.
pub(super) async fn lines_of(
    connection: &Connection,
    repository_id: i64,
    file: Option<&File>,
) -> Result<usize, GitError> {
    let Some(size) = size(connection, repository_id, [file, None]).await? else {
        return Ok(0);
    };
    let read = PackedFile::read(connection, repository_id, file);
    if size <= COMPARED_IN_PLACE {
        return Ok(hunks::lines(&read.await?.unpack()?));
    }
    let work = async {
        let text = read.await?;
        heavy::compute(move || Ok(hunks::lines(&text.unpack()?))).await?
    };
    heavy::with_permit(work).await
}

/// The total size of both files; None if one of them is too large.
async fn size(
    connection: &Connection,
    repository_id: i64,
    files: [Option<&File>; 2],
) -> Result<Option<i64>, GitError> {
    let files = files.into_iter().flatten();
    let shas: Vec<Sha> = files
        .filter(|file| file.mode != Mode::Submodule)
        .map(|file| file.sha)
        .collect();
    let heads = heads(connection, repository_id, &shas).await?;
    let mut size = 0;
    for sha in shas {
        let head = heads.get(&sha).ok_or(GitError::Missing(sha))?;
        if head.size > LARGEST_TEXT {
            return Ok(None);
        }
        size += head.size;
    }
    Ok(Some(size))
}

/// The stored content of one side of a diff.
enum PackedFile {
    Plain(Vec<u8>),
    Stored(Sha, PackedChain),
}

impl PackedFile {
    /// Reads a file; empty if there is none.
    async fn read(
        connection: &Connection,
        repository_id: i64,
        file: Option<&File>,
    ) -> Result<Self, GitError> {
        let Some(file) = file else {
            return Ok(Self::Plain(Vec::new()));
        };
        if file.mode == Mode::Submodule {
            let line = format!("Subproject commit {}\n", file.sha);
            return Ok(Self::Plain(line.into_bytes()));
        }
        let row = load_packed(connection, repository_id, file.sha).await?;
        let row = row.ok_or(GitError::Missing(file.sha))?;
        Ok(Self::Stored(file.sha, row))
    }

    fn unpack(self) -> Result<Vec<u8>, GitError> {
        match self {
            Self::Plain(text) => Ok(text),
            Self::Stored(sha, row) => expect(sha, Some(unpack(sha, &row)?), ObjectKind::Blob),
        }
    }
}

struct Texts {
    old: Vec<u8>,
    new: Vec<u8>,
    binary: bool,
    /// The number of lines to compare.
    lines: usize,
}

impl Texts {
    fn of(old: PackedFile, new: PackedFile) -> Result<Self, GitError> {
        let (old, new) = (old.unpack()?, new.unpack()?);
        Ok(Self {
            binary: similarity::is_binary(&old) || similarity::is_binary(&new),
            lines: hunks::lines_to_compare(&old, &new),
            old,
            new,
        })
    }

    /// Why they are not compared.
    fn rejection(&self) -> Option<ContentKind> {
        match self.binary {
            true => Some(ContentKind::Binary),
            false if self.lines > MOST_LINES || !heavy::spend_lines(self.lines) => {
                Some(ContentKind::TooLarge)
            }
            false => None,
        }
    }
}
