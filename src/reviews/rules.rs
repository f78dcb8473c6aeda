//! What is allowed: texts, places in a diff, and who may comment or change a comment.

use crate::contract::problem::{FieldProblem, Problem};
use crate::contract::reply::Outcome;
use crate::entities::collaborator::Permission;
use crate::entities::review_comment::Side;
use crate::explain;
use crate::git::diff::{DiffPosition, FileDiff};

/// What refusals call a comment.
const COMMENT: &str = "PullRequestReviewComment";

/// Characters of the longest comment.
const LONGEST: usize = 65_536;

/// A comment says something, and not too much.
pub fn text(body: &str) -> Outcome<()> {
    let refused = |reason: String| FieldProblem::unprocessable(COMMENT, "data", reason).into();
    if body.trim().is_empty() {
        return Err(refused("Body cannot be blank".to_owned()));
    }
    not_too_long(body).map_err(refused)
}

/// The words for a text that is too long.
pub fn not_too_long(body: &str) -> Result<(), String> {
    // No more bytes than characters may be had without counting.
    if body.len() > LONGEST && body.chars().count() > LONGEST {
        return Err(format!(
            "Body is too long (maximum is {LONGEST} characters)"
        ));
    }
    Ok(())
}

/// Repeating the same text in the same place is spam (Spec, Errors, 422).
pub fn not_spam(repetitions: u64, most: u64) -> Outcome<()> {
    if repetitions < most {
        return Ok(());
    }
    Err(FieldProblem::unprocessable(COMMENT, "body", "was submitted too quickly").into())
}

/// A locked conversation is open to those who may write to the repository.
pub fn may_speak(locked: bool, role: Permission) -> Outcome<()> {
    if locked && role < Permission::Write {
        explain::note(|| explain::unable_to_write(role));
        return Err(Problem::Forbidden(
            "Unable to create comment because issue is locked.".into(),
        ));
    }
    Ok(())
}

/// A comment belongs to its author, and to whoever may write to the repository.
pub fn may_change(author: Option<i64>, caller: Option<i64>, role: Permission) -> Outcome<()> {
    let own = author.is_some() && author == caller;
    if own || role >= Permission::Write {
        return Ok(());
    }
    explain::note(|| explain::unable_to_write(role));
    Err(Problem::Forbidden(
        "Must have push access to repository".into(),
    ))
}

/// What `in_reply_to` names is no thread of the pull request.
pub fn no_such_thread() -> Problem {
    FieldProblem::invalid(COMMENT, "in_reply_to").into()
}

/// The commit is none that the pull request brings in.
pub fn foreign_commit() -> Problem {
    let field = "pull_request_review_thread.end_commit_oid";
    let reason = format!("{field} is not part of the pull request");
    without_hunk(FieldProblem::custom(COMMENT, field, reason))
}

/// The file is not in the diff.
pub fn unchanged_path() -> Problem {
    without_hunk(FieldProblem::invalid(
        COMMENT,
        "pull_request_review_thread.path",
    ))
}

fn without_hunk(problem: FieldProblem) -> Problem {
    let hunk = FieldProblem::missing(COMMENT, "pull_request_review_thread.diff_hunk");
    Problem::Invalid(vec![problem, hunk])
}

/// The line of the diff at a position.
pub fn at_position(file: &FileDiff, position: i64) -> Outcome<DiffPosition<'_>> {
    let place = usize::try_from(position)
        .ok()
        .and_then(|position| file.find_position(position));
    place.ok_or_else(|| {
        without_hunk(FieldProblem::invalid(
            COMMENT,
            "pull_request_review_thread.position",
        ))
    })
}

/// The line of the diff with a number on a side.
pub fn at_line(file: &FileDiff, side: Side, line: i64) -> Outcome<DiffPosition<'_>> {
    find(file, side, line).ok_or_else(|| unresolved("line", "could not be resolved"))
}

/// The first of several lines that end with `end`.
pub fn from_line<'a>(
    file: &'a FileDiff,
    side: Side,
    line: i64,
    end: &DiffPosition<'_>,
) -> Outcome<DiffPosition<'a>> {
    let start =
        find(file, side, line).ok_or_else(|| unresolved("start_line", "could not be resolved"))?;
    if start.position >= end.position {
        return Err(unresolved(
            "start_line",
            "pull_request_review_thread.start_line must precede the end line.",
        ));
    }
    if start.hunk_index != end.hunk_index {
        return Err(unresolved(
            "start_line",
            "pull_request_review_thread.start_line must be part of the same hunk as the line.",
        ));
    }
    Ok(start)
}

fn find(file: &FileDiff, side: Side, line: i64) -> Option<DiffPosition<'_>> {
    file.find_line(side, u32::try_from(line).ok()?)
}

fn unresolved(which: &str, reason: &str) -> Problem {
    let field = format!("pull_request_review_thread.{which}");
    FieldProblem::custom(COMMENT, field, reason).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_has_between_one_and_65536_characters() {
        assert!(text("x").is_ok());
        assert!(text(&"x".repeat(LONGEST)).is_ok());
        assert!(text(&"😀".repeat(LONGEST)).is_ok(), "characters, not bytes");
        for body in ["", " \n\t", "\u{a0}", &"😀".repeat(LONGEST + 1)] {
            assert!(text(body).is_err(), "{} bytes", body.len());
        }
    }

    #[test]
    fn the_author_and_writers_may_change_a_comment() {
        let read = Permission::Read;
        assert!(may_change(Some(1), Some(1), read).is_ok());
        assert!(may_change(Some(1), Some(2), Permission::Write).is_ok());
        assert!(may_change(Some(1), Some(2), Permission::Triage).is_err());
        assert!(
            may_change(None, None, read).is_err(),
            "nobody's is not anybody's"
        );
    }
}
