//! The anchor of a comment, which never changes, and its position in the current diff.

use std::collections::HashMap;

use sea_orm::DbErr;

use super::comparison::{Comparison, content};
use git::diff::{ContentKind, FileChange, FileDiff, FileStatus, Hunk, file_diff, line_after};
use git::{GitError, Sha};
use storage::database::Connection;
use storage::entities::review_comment::{self, Side, SubjectType};

/// The lines that a comment was made on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    pub path: String,
    pub commit: Sha,
    /// The base of the diff at that time.
    pub base: Option<Sha>,
    pub subject: SubjectType,
    pub side: Side,
    pub line: i64,
    /// The first line of a multi-line comment.
    pub start: Option<(Side, i64)>,
}

impl Anchor {
    /// The anchor of a stored comment.
    pub fn stored(comment: &review_comment::Model) -> Result<Self, DbErr> {
        let base = comment.original_base_sha.as_deref();
        Ok(Self {
            path: comment.path.clone(),
            commit: Sha::stored(&comment.original_commit_sha)?,
            base: base.map(Sha::stored).transpose()?,
            subject: comment.subject_type,
            side: comment.side.unwrap_or(Side::Right),
            line: comment.original_line.unwrap_or(Spot::OF_FILE.line),
            start: comment.start_side.zip(comment.original_start_line),
        })
    }
}

/// The position of a comment in a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    pub line: i64,
    pub start_line: Option<i64>,
    pub position: i64,
}

impl Spot {
    /// A comment on a file is shown at its top.
    pub const OF_FILE: Self = Self {
        line: 1,
        start_line: None,
        position: 1,
    };
}

/// A diff in which anchors are located, with the compared files.
pub struct Ground {
    repository_id: i64,
    diff: Comparison,
    compared: HashMap<(Sha, Sha), Option<Vec<Hunk>>>,
}

impl Ground {
    pub fn new(repository_id: i64, diff: Comparison) -> Self {
        Self {
            repository_id,
            diff,
            compared: HashMap::new(),
        }
    }

    /// Locates an anchor in this diff: None if one of its lines has changed or is no longer
    /// shown. `file` is the anchor's file in this diff.
    pub async fn find(
        &mut self,
        connection: &Connection,
        file: Option<&FileDiff>,
        anchor: &Anchor,
    ) -> Result<Option<Spot>, GitError> {
        let Some(file) = file else {
            return Ok(None);
        };
        if anchor.subject == SubjectType::File {
            return Ok(Some(Spot::OF_FILE));
        }
        let Some(line) = self
            .follow(connection, file, anchor, anchor.side, anchor.line)
            .await?
        else {
            return Ok(None);
        };
        let start = match anchor.start {
            None => None,
            Some((side, line)) => match self.follow(connection, file, anchor, side, line).await? {
                Some(line) => Some((side, line)),
                None => return Ok(None),
            },
        };
        Ok(locate(file, (anchor.side, line), start))
    }

    /// The number of an anchor's line in this diff's version of the file.
    async fn follow(
        &mut self,
        connection: &Connection,
        file: &FileDiff,
        anchor: &Anchor,
        side: Side,
        line: i64,
    ) -> Result<Option<u32>, GitError> {
        let Ok(line) = u32::try_from(line) else {
            return Ok(None);
        };
        let (then, now) = match side {
            Side::Right if anchor.commit == self.diff.commit => return Ok(Some(line)),
            Side::Left if anchor.base == self.diff.base => return Ok(Some(line)),
            Side::Right => self.blobs_after(connection, anchor).await?,
            Side::Left => self.blobs_before(connection, file, anchor).await?,
        };
        let (Some(then), Some(now)) = (then, now) else {
            return Ok(None);
        };
        let hunks = self.compare(connection, then, now).await?;
        Ok(hunks.and_then(|hunks| line_after(hunks, line)))
    }

    async fn blobs_after(
        &self,
        connection: &Connection,
        anchor: &Anchor,
    ) -> Result<(Option<Sha>, Option<Sha>), GitError> {
        let origin = self.origin(connection, anchor).await?;
        Ok((
            origin.new_blob(connection, &anchor.path).await?,
            self.diff.new_blob(connection, &anchor.path).await?,
        ))
    }

    /// The file may have been renamed.
    async fn blobs_before(
        &self,
        connection: &Connection,
        file: &FileDiff,
        anchor: &Anchor,
    ) -> Result<(Option<Sha>, Option<Sha>), GitError> {
        let origin = self.origin(connection, anchor).await?;
        let then = match origin.file(connection, &anchor.path).await? {
            Some(file) => old_path(&file),
            None => None,
        };
        let (Some(then), Some(now)) = (then, old_path(file)) else {
            return Ok((None, None));
        };
        Ok((
            origin.old_blob(connection, &then).await?,
            self.diff.old_blob(connection, &now).await?,
        ))
    }

    async fn origin(
        &self,
        connection: &Connection,
        anchor: &Anchor,
    ) -> Result<Comparison, GitError> {
        Comparison::between(connection, self.repository_id, anchor.base, anchor.commit).await
    }

    /// The hunks between two contents, or None if they are not text.
    async fn compare(
        &mut self,
        connection: &Connection,
        old: Sha,
        new: Sha,
    ) -> Result<Option<&Vec<Hunk>>, GitError> {
        if !self.compared.contains_key(&(old, new)) {
            let change = FileChange {
                old: Some(content(old)),
                new: Some(content(new)),
                status: FileStatus::Modified,
            };
            let diff = file_diff(connection, self.repository_id, &change).await?;
            let hunks = (diff.content == ContentKind::Text).then_some(diff.hunks);
            self.compared.insert((old, new), hunks);
        }
        Ok(self.compared.get(&(old, new)).and_then(Option::as_ref))
    }
}

fn old_path(file: &FileDiff) -> Option<String> {
    let path = file.old_path.clone()?;
    String::from_utf8(path).ok()
}

/// The position of a line, or of several lines in one hunk.
fn locate(file: &FileDiff, line: (Side, u32), start: Option<(Side, u32)>) -> Option<Spot> {
    let end = file.find_line(line.0, line.1)?;
    if let Some((side, number)) = start {
        let start = file.find_line(side, number)?;
        if start.hunk_index != end.hunk_index || start.position >= end.position {
            return None;
        }
    }
    Some(Spot {
        line: line.1.into(),
        start_line: start.map(|(_, number)| number.into()),
        position: i64::try_from(end.position).ok()?,
    })
}
