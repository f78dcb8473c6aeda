//! A new comment before it is stored: located in the diff, and rendered. Only
//! reads; `creation.rs` writes it.

use sea_orm::ConnectionTrait;

use super::placement::Placement;
use super::{rules, store};
use crate::contract::problem::Problem;
use crate::contract::reply::Outcome;
use crate::contract::review_comments as contract;
use crate::entities::pull;
use crate::entities::review_comment::{self, Side, SubjectType};
use crate::git::Sha;
use crate::git::diff::{DiffPosition, FileDiff};
use crate::pulls::anchor::{Anchor, Ground, Spot};
use crate::pulls::comparison::{BranchHeads, Comparison, brings};
use crate::views::markdown::Text;

/// Bytes of a hunk beyond which only its end is kept with a comment.
const LONGEST_HUNK: usize = 64 * 1024;

/// Where a new comment is in the diff, and in which thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommentLocation {
    /// The first comment of the thread.
    pub root: Option<i64>,
    pub anchor: Anchor,
    pub diff_hunk: String,
    pub original_position: Option<i64>,
    /// The commit that it is shown on, and where; nowhere if it is outdated.
    pub commit: Sha,
    pub spot: Option<Spot>,
}

impl CommentLocation {
    /// Locates a comment.
    pub async fn find(
        connection: &impl ConnectionTrait,
        pull: &pull::Model,
        placement: &Placement,
    ) -> Outcome<Self> {
        match placement {
            Placement::Reply(named) => Self::in_thread(connection, pull, *named).await,
            _ => {
                let branches = BranchHeads::of(connection, pull).await?;
                Self::in_diff(connection, branches, placement).await
            }
        }
    }

    /// A reply is where its thread is, whichever comment of it is named.
    pub async fn in_thread(
        connection: &impl ConnectionTrait,
        pull: &pull::Model,
        named: i64,
    ) -> Outcome<Self> {
        let named = store::comment_of_pull(connection, pull.id, named).await?;
        let named = named.ok_or_else(rules::no_such_thread)?;
        let root = match named.in_reply_to_id {
            Some(root) => store::comment_of_pull(connection, pull.id, root).await?,
            None => Some(named),
        };
        Self::beside(&root.ok_or_else(rules::no_such_thread)?)
    }

    /// Locates a placement in the diff of a pull request. The result never changes.
    pub async fn in_diff(
        connection: &impl ConnectionTrait,
        branches: BranchHeads,
        placement: &Placement,
    ) -> Outcome<Self> {
        match placement {
            Placement::Reply(_) => Err(rules::no_such_thread()),
            Placement::OnFile { commit, path } => {
                let (diff, file) = diffed(connection, branches, commit, path).await?;
                let anchor = Anchor {
                    path: path.clone(),
                    commit: diff.commit,
                    base: diff.base,
                    subject: SubjectType::File,
                    side: Side::Right,
                    line: Spot::OF_FILE.line,
                    start: None,
                };
                let position = Spot::OF_FILE.position;
                let seen = (diff, &file);
                Self::settled(connection, branches, anchor, String::new(), position, seen).await
            }
            Placement::OnLine {
                commit,
                path,
                side,
                line,
                start,
            } => {
                let (diff, file) = diffed(connection, branches, commit, path).await?;
                let end = rules::at_line(&file, side_of(*side), *line)?;
                let start = start.map(|(side, line)| (side_of(side), line));
                if let Some((side, line)) = start {
                    rules::from_line(&file, side, line, &end)?;
                }
                let anchor = line_anchor(&diff, path, side_of(*side), *line, start);
                let position = counted(end.position)?;
                let (hunk, seen) = (shown_hunk(&end), (diff, &file));
                Self::settled(connection, branches, anchor, hunk, position, seen).await
            }
            Placement::OnPosition {
                commit,
                path,
                position,
            } => {
                let (diff, file) = diffed(connection, branches, commit, path).await?;
                let place = rules::at_position(&file, *position)?;
                let side = place.line.side();
                let line = place.line.number_on(side).unwrap_or_default();
                let anchor = line_anchor(&diff, path, side, line.into(), None);
                let (hunk, seen) = (shown_hunk(&place), (diff, &file));
                Self::settled(connection, branches, anchor, hunk, *position, seen).await
            }
        }
    }

    fn beside(root: &review_comment::Model) -> Outcome<Self> {
        let base = root.original_base_sha.as_deref();
        let spot = root.line.zip(root.position);
        Ok(Self {
            root: Some(root.id),
            anchor: Anchor {
                path: root.path.clone(),
                commit: Sha::stored(&root.original_commit_sha)?,
                base: base.map(Sha::stored).transpose()?,
                subject: root.subject_type,
                side: root.side.unwrap_or(Side::Right),
                line: root.original_line.unwrap_or(Spot::OF_FILE.line),
                start: root.start_side.zip(root.original_start_line),
            },
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

    /// A comment on another commit than the head goes to where its lines are
    /// there (Spec, Create body, `commit_id`). What was `seen` is the diff up to the
    /// comment's own commit, which mostly is the head.
    async fn settled(
        connection: &impl ConnectionTrait,
        branches: BranchHeads,
        anchor: Anchor,
        diff_hunk: String,
        position: i64,
        seen: (Comparison, &FileDiff),
    ) -> Outcome<Self> {
        let head = branches.head;
        let later;
        let (diff, file) = if seen.0.commit == head {
            (seen.0, Some(seen.1))
        } else {
            let diff = Comparison::of(connection, branches, head).await?;
            later = diff.file(connection, &anchor.path).await?;
            (diff, later.as_ref())
        };
        let mut ground = Ground::new(branches.repository_id, diff);
        let spot = ground.find(connection, file, &anchor).await?;
        Ok(Self {
            root: None,
            commit: if spot.is_some() { head } else { anchor.commit },
            anchor,
            diff_hunk,
            original_position: Some(position),
            spot,
        })
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

/// The diff up to a commit of the pull request, and one file of it.
async fn diffed(
    connection: &impl ConnectionTrait,
    branches: BranchHeads,
    commit: &str,
    path: &str,
) -> Outcome<(Comparison, FileDiff)> {
    let commit: Sha = commit.parse().map_err(|_| rules::foreign_commit())?;
    if !brings(connection, branches, commit).await? {
        return Err(rules::foreign_commit());
    }
    let diff = Comparison::of(connection, branches, commit).await?;
    let file = diff.file(connection, path).await?;
    Ok((diff, file.ok_or_else(rules::unchanged_path)?))
}

/// The diff from the head of the hunk to the line. Of a hunk that is longer than
/// anybody reads, the head and the end.
fn shown_hunk(place: &DiffPosition<'_>) -> String {
    // PostgreSQL cannot hold this character.
    let hunk = place.diff_hunk().replace('\0', "\u{fffd}");
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

fn counted(position: usize) -> Outcome<i64> {
    i64::try_from(position).map_err(Problem::internal)
}

fn side_of(side: contract::Side) -> Side {
    match side {
        contract::Side::Left => Side::Left,
        contract::Side::Right => Side::Right,
    }
}

/// Checks and renders the text of a comment.
pub async fn prepared(connection: &impl ConnectionTrait, body: String) -> Outcome<Text> {
    rules::text(&body)?;
    Text::render(connection, body).await
}
