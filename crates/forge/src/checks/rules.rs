//! Validates check runs, and defines the errors.

use crate::statuses::fields::{not_web, too_long};
use contract::checks::{CheckAnnotationDraft, CheckConclusion, CheckOutputDraft, CheckStatus};
use contract::problem::{FieldProblem, Problem};
use contract::reply::Outcome;
use contract::values::Timestamp;
use storage::entities::check_run::{CheckRunStatus, Conclusion};

/// The name of a check run in errors.
const RUN: &str = "CheckRun";

/// The most check runs of a suite with one name.
pub const MOST_OF_A_NAME: u64 = 1000;

const LONGEST_NAME: usize = 255;
const LONGEST_URL: usize = 2048;

/// The status of a check run, and its conclusion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckRunProgress {
    pub status: CheckRunStatus,
    pub conclusion: Option<Conclusion>,
    pub completed_at: Option<i64>,
}

impl CheckRunProgress {
    /// The default of a new check run.
    pub const QUEUED: Self = Self {
        status: CheckRunStatus::Queued,
        conclusion: None,
        completed_at: None,
    };

    /// The progress after a change. A conclusion completes the run, and nothing else does.
    pub fn after(
        self,
        status: Option<CheckStatus>,
        conclusion: Option<CheckConclusion>,
        completed_at: Option<Timestamp>,
        now: i64,
    ) -> Outcome<Self> {
        if let Some(conclusion) = conclusion {
            return Ok(Self {
                status: CheckRunStatus::Completed,
                conclusion: Some(stored(conclusion)),
                completed_at: Some(completed_at.map_or(now, |time| time.0)),
            });
        }
        let unfinished = match status {
            Some(CheckStatus::Completed) => None,
            _ if completed_at.is_some() => None,
            None => Some(self),
            Some(CheckStatus::Queued) => Some(Self::QUEUED),
            Some(CheckStatus::InProgress) => Some(Self {
                status: CheckRunStatus::InProgress,
                ..Self::QUEUED
            }),
        };
        unfinished.ok_or_else(|| missing("conclusion"))
    }
}

fn missing(field: &str) -> Problem {
    Problem::Malformed(vec![format!("\"{field}\" wasn't supplied.")])
}

/// Rejects texts that are blank or too long.
pub fn fields(
    name: Option<&str>,
    external_id: Option<&str>,
    details_url: Option<&str>,
) -> Outcome<()> {
    let blank = name.is_some_and(|name| name.trim().is_empty());
    let blank = blank.then(|| FieldProblem::custom(RUN, "name", "name can't be blank"));
    let problems: Vec<_> = [
        blank,
        too_long(RUN, "name", name, LONGEST_NAME),
        too_long(RUN, "external_id", external_id, LONGEST_NAME),
        too_long(RUN, "details_url", details_url, LONGEST_URL),
        not_web(RUN, "details_url", details_url),
    ]
    .into_iter()
    .flatten()
    .collect();
    match problems.is_empty() {
        true => Ok(()),
        false => Err(Problem::Invalid(problems)),
    }
}

/// Rejects an output without a title, and annotations with invalid lines.
pub fn output(output: &CheckOutputDraft, has_title: bool) -> Outcome<()> {
    if output.title.is_none() && !has_title {
        return Err(missing("title"));
    }
    let title = too_long(RUN, "title", output.title.as_deref(), LONGEST_NAME);
    if let Some(problem) = title {
        return Err(problem.into());
    }
    let annotations = output.annotations.iter().flatten();
    match annotations.map(invalid_lines).find(Option::is_some) {
        Some(Some(message)) => Err(FieldProblem::custom(RUN, "annotations", message).into()),
        _ => Ok(()),
    }
}

fn invalid_lines(annotation: &CheckAnnotationDraft) -> Option<&'static str> {
    let CheckAnnotationDraft {
        start_line,
        end_line,
        start_column,
        end_column,
        ..
    } = annotation;
    let columns = [start_column, end_column].into_iter().flatten();
    if *start_line < 1 || columns.clone().any(|column| *column < 1) {
        return Some("Lines and columns are counted from 1");
    }
    if end_line < start_line {
        return Some("end_line must not precede start_line");
    }
    let several = start_line != end_line && columns.count() > 0;
    several.then_some("Columns are only for annotations of a single line")
}

/// 422 for a SHA-1 that is not a commit.
pub fn no_commit(name: &str) -> Problem {
    Problem::Refused(format!("No commit found for SHA: {name}").into())
}

/// 403 for the check run of another app.
pub fn of_another_app(caller: i64) -> Problem {
    let refusal = format!(
        "Invalid app_id `{caller}` - check run can only be modified by the GitHub App that created it."
    );
    Problem::Forbidden(refusal.into())
}

/// 403 for callers that are not apps.
pub fn only_apps() -> Problem {
    Problem::Forbidden("You must authenticate via a GitHub App.".into())
}

pub fn status(status: CheckStatus) -> CheckRunStatus {
    match status {
        CheckStatus::Queued => CheckRunStatus::Queued,
        CheckStatus::InProgress => CheckRunStatus::InProgress,
        CheckStatus::Completed => CheckRunStatus::Completed,
    }
}

fn stored(conclusion: CheckConclusion) -> Conclusion {
    match conclusion {
        CheckConclusion::ActionRequired => Conclusion::ActionRequired,
        CheckConclusion::Cancelled => Conclusion::Cancelled,
        CheckConclusion::Failure => Conclusion::Failure,
        CheckConclusion::Neutral => Conclusion::Neutral,
        CheckConclusion::Success => Conclusion::Success,
        CheckConclusion::Skipped => Conclusion::Skipped,
        CheckConclusion::TimedOut => Conclusion::TimedOut,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conclusion_completes_and_nothing_else_does() {
        let progress = |status, conclusion, at: Option<i64>| {
            CheckRunProgress::QUEUED.after(status, conclusion, at.map(Timestamp), 9)
        };
        let success = Some(CheckConclusion::Success);
        let completed = progress(Some(CheckStatus::Queued), success, None).unwrap();
        assert_eq!(
            (completed.status, completed.completed_at),
            (CheckRunStatus::Completed, Some(9))
        );
        assert_eq!(
            progress(None, success, Some(5)).unwrap().completed_at,
            Some(5)
        );
        assert!(progress(Some(CheckStatus::Completed), None, None).is_err());
        assert!(progress(None, None, Some(5)).is_err());
        assert_eq!(
            progress(None, None, None).unwrap(),
            CheckRunProgress::QUEUED
        );
        let resumed = completed
            .after(Some(CheckStatus::InProgress), None, None, 9)
            .unwrap();
        assert_eq!(
            (resumed.status, resumed.conclusion),
            (CheckRunStatus::InProgress, None)
        );
    }

    #[test]
    fn annotations_are_of_lines_that_there_are() {
        let is_invalid = |start, end, column: Option<i64>| {
            invalid_lines(&CheckAnnotationDraft {
                path: "a".to_owned(),
                start_line: start,
                end_line: end,
                start_column: column,
                end_column: None,
                annotation_level: contract::checks::AnnotationLevel::Notice,
                message: "x".to_owned(),
                title: None,
                raw_details: None,
            })
            .is_some()
        };
        assert!(!is_invalid(1, 1, Some(1)) && !is_invalid(1, 9, None));
        assert!(is_invalid(0, 1, None) && is_invalid(2, 1, None));
        assert!(is_invalid(1, 2, Some(1)) && is_invalid(1, 1, Some(0)));
    }
}
