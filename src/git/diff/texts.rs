//! The two texts of a change, read and compared where they hold nobody up: what is large
//! is unpacked and compared in a turn for heavy work (`heavy.rs`), within a budget.

use sea_orm::ConnectionTrait;

use super::{Content, File, LARGEST_TEXT, hunks, similarity};
use crate::entities::git_object::{self, Kind};
use crate::git::store::{expect, heads, load_packed, unpack};
use crate::git::tree::Mode;
use crate::git::{GitError, Sha};
use crate::heavy;

/// Bytes up to which two texts are compared where the caller runs.
const COMPARED_IN_PLACE: i64 = 64 * 1024;

/// Lines beyond which two texts are not compared: half a second of work at worst.
pub(super) const MOST_LINES: usize = 150_000;

/// What became of a comparison.
pub(super) enum Compared<T> {
    As(T),
    /// It is no text, or too much of it.
    Not(Content),
}

/// Compares two files by their texts.
pub(super) async fn compared<T: Send + 'static>(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    old: Option<&File>,
    new: Option<&File>,
    compare: impl FnOnce(&[u8], &[u8]) -> Result<T, GitError> + Send + 'static,
) -> Result<Compared<Result<T, GitError>>, GitError> {
    if let (Some(old), Some(new)) = (old, new)
        && old.sha == new.sha
    {
        return Ok(Compared::As(compare(b"", b"")));
    }
    let size = size(connection, repository_id, [old, new]).await?;
    let Some(size) = size else {
        return Ok(Compared::Not(Content::TooLarge));
    };
    if size <= COMPARED_IN_PLACE {
        let old = PackedText::read(connection, repository_id, old).await?;
        let texts = Texts::of(old, PackedText::read(connection, repository_id, new).await?)?;
        return Ok(match texts.refused() {
            Some(content) => Compared::Not(content),
            None => Compared::As(compare(&texts.old, &texts.new)),
        });
    }
    let work = async {
        let old = PackedText::read(connection, repository_id, old).await?;
        let new = PackedText::read(connection, repository_id, new).await?;
        let texts = computed(move || Texts::of(old, new)).await??;
        if let Some(content) = texts.refused() {
            return Ok(Compared::Not(content));
        }
        let compare = move || compare(&texts.old, &texts.new);
        Ok(Compared::As(computed(compare).await?))
    };
    heavy::in_turn(work).await
}

/// The lines of a whole file; none of what is binary, too large or not there.
pub(super) async fn lines_of(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    file: Option<&File>,
) -> Result<usize, GitError> {
    let Some(size) = size(connection, repository_id, [file, None]).await? else {
        return Ok(0);
    };
    let read = PackedText::read(connection, repository_id, file);
    if size <= COMPARED_IN_PLACE {
        return Ok(hunks::lines(&read.await?.unpack()?));
    }
    let work = async {
        let text = read.await?;
        computed(move || Ok(hunks::lines(&text.unpack()?))).await?
    };
    heavy::in_turn(work).await
}

/// Computes where it does not hold up other requests.
pub(super) async fn computed<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, GitError> {
    let done = heavy::compute(work).await;
    done.map_err(|error| GitError::Repository(error.to_string()))
}

/// The bytes of both files; None if one of them is too large.
async fn size(
    connection: &impl ConnectionTrait,
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

/// What a diff shows of a file, as it is stored.
enum PackedText {
    Plain(Vec<u8>),
    Stored(Sha, git_object::Model),
}

impl PackedText {
    /// Nothing, if there is no file.
    async fn read(
        connection: &impl ConnectionTrait,
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
            Self::Stored(sha, row) => expect(sha, Some(unpack(sha, &row)?), Kind::Blob),
        }
    }
}

struct Texts {
    old: Vec<u8>,
    new: Vec<u8>,
    binary: bool,
    /// Lines among which the differences are.
    lines: usize,
}

impl Texts {
    fn of(old: PackedText, new: PackedText) -> Result<Self, GitError> {
        let (old, new) = (old.unpack()?, new.unpack()?);
        Ok(Self {
            binary: similarity::is_binary(&old) || similarity::is_binary(&new),
            lines: hunks::lines_to_compare(&old, &new),
            old,
            new,
        })
    }

    /// Why they are not compared.
    fn refused(&self) -> Option<Content> {
        match self.binary {
            true => Some(Content::Binary),
            false if self.lines > MOST_LINES || !heavy::spend_lines(self.lines) => {
                Some(Content::TooLarge)
            }
            false => None,
        }
    }
}
