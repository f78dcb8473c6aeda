//! Maintained counts equal what they count.

use std::borrow::Cow;

use migration::counts::{Counts, ISSUE_COMMENTS, ISSUES, List, REVIEW_COMMENTS};

use super::Invariant;

pub fn invariants() -> [Invariant; 3] {
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
    ]
}

fn invariant(name: &'static str, rule: &'static str, counts: &Counts) -> Invariant {
    Invariant {
        name,
        rule,
        broken: Cow::Owned(miscounted(counts)),
    }
}

/// Counts minus rows: whatever does not cancel out is wrong.
fn miscounted(counts: &Counts) -> String {
    let Counts { table, column, .. } = counts;
    let rows: String = counts
        .lists
        .iter()
        .map(|list| counted(counts, list))
        .collect();
    format!(
        "SELECT list || ' ' || owner_id || ' bucket ' || bucket AS id FROM
            (SELECT list, owner_id, bucket, {column} AS there FROM {table} {rows}) AS every
         GROUP BY list, owner_id, bucket HAVING SUM(there) <> 0"
    )
}

fn counted(counts: &Counts, list: &List) -> String {
    let (name, bits) = (counts.name_of(list, counts.of), list.bits());
    let List { owner, key, .. } = list;
    format!(
        "UNION ALL SELECT {name}, {owner}, {key} >> {bits}, -COUNT(*)
         FROM {of} GROUP BY 1, 2, 3 ",
        of = counts.of
    )
}
