//! The rules of replies. Rules shared with reviews are in `reviews::rules`.

use contract::problem::{FieldProblem, Problem};
use contract::reply::Outcome;
use git::diff::{DiffPosition, FileDiff};
use storage::entities::review_comment::Side;

use crate::comments;

/// `/replies` accepts only the first comment of a thread (Spec, Reply body).
pub fn may_be_replied_to(in_reply_to: Option<i64>) -> Outcome<()> {
    match in_reply_to {
        None => Ok(()),
        Some(_) => Err(no_such_thread()),
    }
}

/// The resource in validation errors.
const COMMENT: &str = "PullRequestReviewComment";

/// A text must be neither empty nor too long.
pub fn text(body: &str) -> Outcome<()> {
    comments::rules::text(COMMENT, body)
}

/// Repeating the same text in the same place is spam.
pub fn not_spam(repetitions: u64, most: u64) -> Outcome<()> {
    comments::rules::not_spam(COMMENT, repetitions, most)
}

/// `in_reply_to` is not a comment of the pull request.
pub fn no_such_thread() -> Problem {
    FieldProblem::invalid(COMMENT, "in_reply_to").into()
}

/// The commit is not one of the pull request.
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

fn unresolved(name: &str, reason: &str) -> Problem {
    let field = format!("pull_request_review_thread.{name}");
    FieldProblem::custom(COMMENT, field, reason).into()
}
