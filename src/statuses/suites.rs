//! What a check suite makes of its check runs.

use crate::entities::check_run::{CheckRunStatus, Conclusion};

/// What a suite makes of its check runs, of which there are so many of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SuiteSummary {
    pub status: CheckRunStatus,
    pub conclusion: Option<Conclusion>,
    pub runs: i64,
}

impl SuiteSummary {
    pub fn of(counted: &[(CheckRunStatus, Option<Conclusion>, i64)]) -> Self {
        let runs = counted.iter().map(|(.., count)| count).sum();
        let all = |status: CheckRunStatus| counted.iter().all(|(other, ..)| *other == status);
        let status = match () {
            () if all(CheckRunStatus::Queued) => CheckRunStatus::Queued,
            () if all(CheckRunStatus::Completed) => CheckRunStatus::Completed,
            () => CheckRunStatus::InProgress,
        };
        let conclusions = counted.iter().filter_map(|(_, conclusion, _)| *conclusion);
        Self {
            status,
            conclusion: match status {
                CheckRunStatus::Completed => conclusions.min_by_key(|one| gravity(*one)).map(suite),
                _ => None,
            },
            runs,
        }
    }
}

/// The gravest first.
fn gravity(conclusion: Conclusion) -> u8 {
    match conclusion {
        Conclusion::Failure => 0,
        Conclusion::TimedOut => 1,
        Conclusion::ActionRequired => 2,
        Conclusion::Cancelled => 3,
        Conclusion::Success => 4,
        Conclusion::Neutral => 5,
        Conclusion::Skipped => 6,
    }
}

/// A suite is not skipped: its events do not know that.
fn suite(gravest: Conclusion) -> Conclusion {
    match gravest {
        Conclusion::Skipped => Conclusion::Neutral,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suite_is_as_far_as_all_of_its_runs_and_as_bad_as_the_worst() {
        use Conclusion::{Failure, Neutral, Skipped, Success};
        let of = |counted: &[(CheckRunStatus, Option<Conclusion>)]| {
            let counted: Vec<_> = counted
                .iter()
                .map(|(one, other)| (*one, *other, 1))
                .collect();
            let summary = SuiteSummary::of(&counted);
            (summary.status, summary.conclusion)
        };
        let done = |conclusion| (CheckRunStatus::Completed, Some(conclusion));
        assert_eq!(of(&[]), (CheckRunStatus::Queued, None));
        assert_eq!(
            of(&[(CheckRunStatus::Queued, None), done(Failure)]),
            (CheckRunStatus::InProgress, None)
        );
        assert_eq!(of(&[done(Success), done(Failure)]), done(Failure));
        assert_eq!(of(&[done(Skipped), done(Success)]), done(Success));
        assert_eq!(of(&[done(Skipped)]), done(Neutral));
    }
}
