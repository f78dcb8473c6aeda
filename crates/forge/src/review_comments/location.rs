//! The location of a new comment, in the diff of its pull request or in a thread. This module
//! only reads; `creation.rs` writes.

use super::placement::{Place, Placement};
use super::{rows, rules};
use crate::pulls::anchor::{Anchor, Ground, Spot};
use crate::pulls::comparison::{BranchHeads, Comparison, brings};
use crate::views::markdown::Text;
use contract::problem::Problem;
use contract::reply::Outcome;
use contract::review_comments;
use contract::review_comments::{CreateReviewComment, StartSide};
use git::diff::{DiffPosition, FileDiff};
use git::{Sha, graph};
use storage::database::Connection;
use storage::entities::pull;
use storage::entities::review_comment::{self, Side, SubjectType};

/// The size of a hunk in bytes beyond which a comment only stores its end.
const LONGEST_HUNK: usize = 64 * 1024;

/// The location of a new comment in the diff, and its thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommentLocation {
    /// The first comment of the thread.
    pub root: Option<i64>,
    pub anchor: Anchor,
    pub diff_hunk: String,
    pub original_position: Option<i64>,
    /// The commit of the diff that shows the comment, and the lines there; None if it is
    /// outdated.
    pub commit: Sha,
    pub spot: Option<Spot>,
}

impl CommentLocation {
    pub async fn find(
        connection: &Connection,
        pull: &pull::Model,
        placement: &Placement,
    ) -> Outcome<Self> {
        match placement {
            Placement::Reply(comment) => Self::in_thread(connection, pull, *comment).await,
            Placement::InDiff { .. } => {
                let branches = BranchHeads::of(connection, pull).await?;
                Self::in_diff(connection, branches, placement).await
            }
        }
    }

    /// A comment of a world file, on lines that the diff of its commit does not have (or no
    /// longer: the branch may have been rewritten since). None if the repository does not have
    /// its commit.
    pub async fn outdated(
        connection: &Connection,
        pull: &pull::Model,
        body: &CreateReviewComment,
        diff_hunk: String,
    ) -> Outcome<Option<Self>> {
        let (Some(commit), Some(path)) = (&body.commit_id, &body.path) else {
            return Ok(None);
        };
        let Ok(commit) = commit.parse() else {
            return Ok(None);
        };
        if graph::find(connection, pull.repository_id, commit)
            .await?
            .is_none()
        {
            return Ok(None);
        }
        let side = body.side.map_or(Side::Right, side_of);
        let start_side = match body.start_side {
            Some(StartSide::Left) => Side::Left,
            Some(StartSide::Right) => Side::Right,
            Some(StartSide::Side) | None => side,
        };
        let of_file = body.subject_type == Some(review_comments::SubjectType::File);
        Ok(Some(Self {
            root: None,
            anchor: Anchor {
                path: path.clone(),
                commit,
                base: None,
                subject: match of_file {
                    true => SubjectType::File,
                    false => SubjectType::Line,
                },
                side,
                line: body.line.unwrap_or(Spot::OF_FILE.line),
                start: body.start_line.map(|line| (start_side, line)),
            },
            diff_hunk: shortened(diff_hunk.replace('\0', "\u{fffd}")),
            original_position: body.position,
            commit,
            spot: None,
        }))
    }

    /// A reply has the location of its thread, whichever comment of the thread it replies to.
    pub async fn in_thread(
        connection: &Connection,
        pull: &pull::Model,
        comment: i64,
    ) -> Outcome<Self> {
        let comment = rows::comment_of_pull(connection, pull.id, comment).await?;
        let comment = comment.ok_or_else(rules::no_such_thread)?;
        let root = match comment.in_reply_to_id {
            Some(root) => rows::comment_of_pull(connection, pull.id, root).await?,
            None => Some(comment),
        };
        Self::in_thread_of(&root.ok_or_else(rules::no_such_thread)?)
    }

    /// Locates a placement in the diff of a pull request. The result never changes.
    pub async fn in_diff(
        connection: &Connection,
        branches: BranchHeads,
        placement: &Placement,
    ) -> Outcome<Self> {
        match placement {
            Placement::Reply(_) => Err(rules::no_such_thread()),
            Placement::InDiff {
                commit,
                path,
                place,
            } => {
                let mut survey = Survey::of(connection, branches, commit).await?;
                let mut file = survey.file(connection, path).await?;
                survey.locate(connection, &mut file, place).await
            }
        }
    }

    fn in_thread_of(root: &review_comment::Model) -> Outcome<Self> {
        let spot = root.line.zip(root.position);
        Ok(Self {
            root: Some(root.id),
            anchor: Anchor::stored(root)?,
            diff_hunk: root.diff_hunk.clone(),
            original_position: root.original_position,
            commit: Sha::stored(&root.commit_sha)?,
            spot: spot.map(|(line, position)| Spot {
                line,
                start_line: root.start_line,
                position,
            }),
        })
    }
}

/// The diff of a pull request up to one of its commits, in which comments are located, and
/// the diff up to the head, in which they are shown (Spec, Create body, `commit_id`).
pub struct Survey {
    branches: BranchHeads,
    diff: Comparison,
    head: Comparison,
    ground: Ground,
}

/// A file of a survey.
pub struct SurveyedFile {
    path: String,
    diff: FileDiff,
    /// The file in the diff up to the head, once it is loaded.
    at_head: Option<Option<FileDiff>>,
}

impl Survey {
    /// Rejects a commit that is not one of the pull request.
    pub async fn of(connection: &Connection, branches: BranchHeads, commit: &str) -> Outcome<Self> {
        let commit: Sha = commit.parse().map_err(|_| rules::foreign_commit())?;
        if !brings(connection, branches, commit).await? {
            return Err(rules::foreign_commit());
        }
        let diff = Comparison::of(connection, branches, commit).await?;
        let head =
            Comparison::between(connection, branches.repository_id, diff.base, branches.head);
        let head = head.await?;
        Ok(Self {
            branches,
            diff,
            head,
            ground: Ground::new(branches.repository_id, head),
        })
    }

    /// A changed file.
    pub async fn file(&self, connection: &Connection, path: &str) -> Outcome<SurveyedFile> {
        let diff = self.diff.file(connection, path).await?;
        Ok(SurveyedFile {
            path: path.to_owned(),
            diff: diff.ok_or_else(rules::unchanged_path)?,
            at_head: None,
        })
    }

    /// Locates a comment on a file.
    pub async fn locate(
        &mut self,
        connection: &Connection,
        file: &mut SurveyedFile,
        place: &Place,
    ) -> Outcome<CommentLocation> {
        let (anchor, diff_hunk, position) = self.anchor(file, place)?;
        let head = self.branches.head;
        let head_diff = if self.diff.commit == head {
            Some(&file.diff)
        } else {
            if file.at_head.is_none() {
                file.at_head = Some(self.head.file(connection, &file.path).await?);
            }
            file.at_head.as_ref().and_then(Option::as_ref)
        };
        let spot = self.ground.find(connection, head_diff, &anchor).await?;
        Ok(CommentLocation {
            root: None,
            commit: if spot.is_some() { head } else { anchor.commit },
            anchor,
            diff_hunk,
            original_position: Some(position),
            spot,
        })
    }

    /// The lines of a comment, their hunk, and the position of the last one.
    fn anchor(&self, file: &SurveyedFile, place: &Place) -> Outcome<(Anchor, String, i64)> {
        let SurveyedFile { path, diff, .. } = file;
        match place {
            Place::File => {
                let mut anchor =
                    line_anchor(&self.diff, path, Side::Right, Spot::OF_FILE.line, None);
                anchor.subject = SubjectType::File;
                Ok((anchor, String::new(), Spot::OF_FILE.position))
            }
            Place::Line { side, line, start } => {
                let side = side_of(*side);
                let end = rules::at_line(diff, side, *line)?;
                let start = start.map(|(side, line)| (side_of(side), line));
                if let Some((side, line)) = start {
                    rules::from_line(diff, side, line, &end)?;
                }
                let anchor = line_anchor(&self.diff, path, side, *line, start);
                Ok((anchor, stored_hunk(&end), signed(end.position)?))
            }
            Place::Position(position) => {
                let place = rules::at_position(diff, *position)?;
                let side = place.line.side();
                let line = place.line.number_on(side).unwrap_or_default();
                let anchor = line_anchor(&self.diff, path, side, line.into(), None);
                Ok((anchor, stored_hunk(&place), *position))
            }
        }
    }
}

fn line_anchor(
    diff: &Comparison,
    path: &str,
    side: Side,
    line: i64,
    start: Option<(Side, i64)>,
) -> Anchor {
    Anchor {
        path: path.to_owned(),
        commit: diff.commit,
        base: diff.base,
        subject: SubjectType::Line,
        side,
        line,
        start,
    }
}

/// The diff from the header of the hunk to the line. A hunk that is too long is cut to its
/// header and its end.
fn stored_hunk(place: &DiffPosition<'_>) -> String {
    // PostgreSQL cannot store this character.
    shortened(place.diff_hunk().replace('\0', "\u{fffd}"))
}

fn shortened(hunk: String) -> String {
    if hunk.len() <= LONGEST_HUNK {
        return hunk;
    }
    let (head, lines) = hunk.split_once('\n').unwrap_or((&hunk, ""));
    let end = lines.len().saturating_sub(LONGEST_HUNK);
    let start = lines.as_bytes()[end..]
        .iter()
        .position(|byte| *byte == b'\n');
    match start.map(|start| end + start + 1) {
        Some(start) if start < lines.len() => format!("{head}\n{}", &lines[start..]),
        _ => head.to_owned(),
    }
}

fn signed(position: usize) -> Outcome<i64> {
    i64::try_from(position).map_err(Problem::internal)
}

fn side_of(side: review_comments::Side) -> Side {
    match side {
        review_comments::Side::Left => Side::Left,
        review_comments::Side::Right => Side::Right,
    }
}

/// Checks and renders the text of a comment.
pub async fn prepared(connection: &Connection, body: String) -> Outcome<Text> {
    rules::text(&body)?;
    Text::render(connection, body).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_hunk_keeps_its_header_and_its_end() {
        let lines = |count: usize| "+0123456789abcdef\n".repeat(count);
        let short = format!("@@ -0,0 +1,9 @@\n{}+end", lines(9));
        assert_eq!(shortened(short.clone()), short);
        let hunk = shortened(format!("@@ -0,0 +1,9 @@\n{}+end", lines(9000)));
        assert!(hunk.starts_with("@@ -0,0 +1,9 @@\n+0"));
        assert!(hunk.ends_with("f\n+end"));
        assert!((LONGEST_HUNK - 20..LONGEST_HUNK + 20).contains(&hunk.len()));
        let line = shortened(format!("@@ -0,0 +1 @@\n+{}", "x".repeat(LONGEST_HUNK + 1)));
        assert_eq!(line, "@@ -0,0 +1 @@");
    }
}
