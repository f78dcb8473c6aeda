//! Stored lengths of lists equal the number of rows.

use std::borrow::Cow;

use migration::counts::{CountedTable, ISSUE_COMMENTS, ISSUES, PULLS, REVIEW_COMMENTS};

use super::Invariant;

pub fn invariants() -> [Invariant; 4] {
    [
        invariant(
            "comment-counts-match",
            "The length of each list of review comments equals the rows",
            &REVIEW_COMMENTS,
        ),
        invariant(
            "listed-issue-comments-match",
            "The length of each list of issue comments equals the rows",
            &ISSUE_COMMENTS,
        ),
        invariant(
            "listed-issues-match",
            "The length of each list of issues equals the rows",
            &ISSUES,
        ),
        invariant(
            "listed-pulls-match",
            "The length of each list of pull requests equals the rows",
            &PULLS,
        ),
    ]
}

fn invariant(name: &'static str, rule: &'static str, table: &CountedTable) -> Invariant {
    Invariant {
        name,
        rule,
        broken: Cow::Owned(miscounted(table)),
    }
}

/// Lengths minus rows: whatever does not cancel out is a violation.
fn miscounted(table: &CountedTable) -> String {
    let (name, lengths) = (table.name, table.lengths());
    format!(
        "SELECT list || ' ' || owner_id AS id FROM
            (SELECT list, owner_id, length FROM list_length WHERE list LIKE '{name}.%'
             UNION ALL SELECT list, owner_id, -length FROM ({lengths}) AS counted) AS every
         GROUP BY list, owner_id HAVING SUM(length) <> 0"
    )
}
