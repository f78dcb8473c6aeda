//! Summarizes the check runs of a suite.

use storage::entities::check_run::{CheckRunStatus, Conclusion};

/// The summary of a suite, from the counts of its check runs.
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
                CheckRunStatus::Completed => {
                    conclusions.min_by_key(|one| severity(*one)).map(suite)
                }
                _ => None,
            },
            runs,
        }
    }
}

/// Orders conclusions; the most severe first.
fn severity(conclusion: Conclusion) -> u8 {
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

/// A suite is never skipped: its events have no such conclusion.
fn suite(worst: Conclusion) -> Conclusion {
    match worst {
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
        let summarize = |counted: &[(CheckRunStatus, Option<Conclusion>)]| {
            let counted: Vec<_> = counted
                .iter()
                .map(|(one, other)| (*one, *other, 1))
                .collect();
            let summary = SuiteSummary::of(&counted);
            (summary.status, summary.conclusion)
        };
        let completed = |conclusion| (CheckRunStatus::Completed, Some(conclusion));
        assert_eq!(summarize(&[]), (CheckRunStatus::Queued, None));
        assert_eq!(
            summarize(&[(CheckRunStatus::Queued, None), completed(Failure)]),
            (CheckRunStatus::InProgress, None)
        );
        assert_eq!(
            summarize(&[completed(Success), completed(Failure)]),
            completed(Failure)
        );
        assert_eq!(
            summarize(&[completed(Skipped), completed(Success)]),
            completed(Success)
        );
        assert_eq!(summarize(&[completed(Skipped)]), completed(Neutral));
    }
}
