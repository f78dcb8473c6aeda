//! Maintained counts equal the number of rows.

use std::borrow::Cow;

use migration::counts::{Counts, ISSUE_COMMENTS, ISSUES, PULLS, REVIEW_COMMENTS};

use super::Invariant;

pub fn invariants() -> [Invariant; 4] {
    [
        invariant(
            "comment-counts-match",
            "Each list has as many review comments in each bucket as its count says",
            &REVIEW_COMMENTS,
        ),
        invariant(
            "listed-issue-comments-match",
            "Each list has as many issue comments in each bucket as its count says",
            &ISSUE_COMMENTS,
        ),
        invariant(
            "listed-issues-match",
            "Each list has as many issues in each bucket as its count says",
            &ISSUES,
        ),
        invariant(
            "listed-pulls-match",
            "Each list has as many pull requests in each bucket as its count says",
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
