//! What is counted beforehand equals what there is.

use std::borrow::Cow;

use super::Invariant;

/// A list of comments: its name, whose it is, and what it is ordered by.
const LISTS: [(&str, &str, &str); 6] = [
    ("repository_by_id", "repository_id", "id"),
    ("repository_by_created", "repository_id", "created_at"),
    ("repository_by_updated", "repository_id", "updated_at"),
    ("pull_by_id", "pull_id", "id"),
    ("pull_by_created", "pull_id", "created_at"),
    ("pull_by_updated", "pull_id", "updated_at"),
];

pub fn invariants() -> [Invariant; 2] {
    [
        Invariant {
            name: "stretches-count-their-comments",
            rule: "Each stretch of a list holds as many comments as it says",
            broken: all(miscounted),
        },
        Invariant {
            name: "comments-are-in-a-stretch",
            rule: "Each comment belongs to a stretch of each of its lists",
            broken: all(uncounted),
        },
    ]
}

fn all(query: fn((&str, &str, &str)) -> String) -> Cow<'static, str> {
    Cow::Owned(LISTS.map(query).join(" UNION ALL "))
}

fn tie(key: &str) -> &str {
    if key == "id" { "0" } else { "comment.id" }
}

fn miscounted((list, owner, key): (&str, &str, &str)) -> String {
    let place = format!("(comment.{key}, {})", tie(key));
    format!(
        "SELECT list || ' ' || owner_id || ' from ' || first_key || '/' || first_id AS id FROM
            (SELECT *,
                LEAD(first_key) OVER following AS next_key,
                LEAD(first_id) OVER following AS next_id
             FROM comment_block WHERE list = '{list}'
             WINDOW following AS (PARTITION BY owner_id ORDER BY first_key, first_id)
            ) AS stretch
         WHERE comments <> (SELECT COUNT(*) FROM review_comment AS comment
            WHERE comment.{owner} = stretch.owner_id
                AND comment.{key} >= stretch.first_key
                AND {place} >= (stretch.first_key, stretch.first_id)
                AND (stretch.next_key IS NULL OR {place} < (stretch.next_key, stretch.next_id)))"
    )
}

fn uncounted((list, owner, key): (&str, &str, &str)) -> String {
    let tie = tie(key);
    format!(
        "SELECT '{list} ' || comment.id AS id FROM review_comment AS comment WHERE NOT EXISTS
            (SELECT 1 FROM comment_block WHERE list = '{list}'
                AND owner_id = comment.{owner}
                AND (first_key, first_id) <= (comment.{key}, {tie}))"
    )
}
