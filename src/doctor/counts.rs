//! Maintained counts equal the number of rows.

use std::borrow::Cow;

use migration::counts::{Counts, ISSUE_COMMENTS, ISSUES, PULLS, REVIEW_COMMENTS};

use super::Invariant;

pub fn invariants() -> [Invariant; 4] {
    [
        invariant(
            "comment-counts-match",
            "The count of review comments in each bucket of a list equals the rows",
            &REVIEW_COMMENTS,
        ),
        invariant(
            "listed-issue-comments-match",
            "The count of issue comments in each bucket of a list equals the rows",
            &ISSUE_COMMENTS,
        ),
        invariant(
            "listed-issues-match",
            "The count of issues in each bucket of a list equals the rows",
            &ISSUES,
        ),
        invariant(
            "listed-pulls-match",
            "The count of pull requests in each bucket of a list equals the rows",
            &PULLS,
        ),
    ]
}

fn invariant(name: &'static str, rule: &'static str, counts: &Counts) -> Invariant {
    Invariant {
        name,
        rule,
        broken: Cow::Owned(miscounted(counts)),
    }
}

/// Counts minus rows: whatever does not cancel out is a violation.
fn miscounted(counts: &Counts) -> String {
    let Counts { table, column, .. } = counts;
    let counted = counts.counted();
    format!(
        "SELECT list || ' ' || owner_id || ' bucket ' || bucket AS id FROM
            (SELECT list, owner_id, bucket, {column} AS there FROM {table}
             UNION ALL SELECT list, owner_id, bucket, -there FROM ({counted}) AS counted) AS every
         GROUP BY list, owner_id, bucket HAVING SUM(there) <> 0"
    )
}
