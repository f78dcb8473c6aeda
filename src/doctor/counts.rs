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

pub fn invariants() -> [Invariant; 4] {
    [
        Invariant {
            name: "blocks-count-their-comments",
            rule: "Each stretch and each section of a list holds as many comments as it says",
            broken: all(miscounted),
        },
        Invariant {
            name: "comments-are-in-blocks",
            rule: "Each comment belongs to a stretch and a section of each of its lists",
            broken: all(uncounted),
        },
        Invariant {
            name: "sections-begin-with-a-stretch",
            rule: "A stretch begins wherever a section does",
            broken: Cow::Borrowed(STRADDLED),
        },
        Invariant {
            name: "all-sections-but-the-last-are-counted",
            rule: "The comments of each section of a list are counted, except for the last",
            broken: Cow::Borrowed(UNCOUNTED_SECTIONS),
        },
    ]
}

const STRADDLED: &str =
    "SELECT list || ' ' || owner_id || ' from ' || first_key || '/' || first_id AS id
    FROM comment_block AS section WHERE level = 1 AND NOT EXISTS
        (SELECT 1 FROM comment_block WHERE list = section.list AND owner_id = section.owner_id
            AND level = 0 AND first_key = section.first_key AND first_id = section.first_id)";

const UNCOUNTED_SECTIONS: &str =
    "SELECT list || ' ' || owner_id || ' from ' || first_key || '/' || first_id AS id
    FROM comment_block AS section WHERE level = 1 AND (comments IS NULL) <> NOT EXISTS
        (SELECT 1 FROM comment_block WHERE list = section.list AND owner_id = section.owner_id
            AND level = 1
            AND (first_key, first_id) > (section.first_key, section.first_id))";

fn all(query: fn((&str, &str, &str)) -> String) -> Cow<'static, str> {
    Cow::Owned(LISTS.map(query).join(" UNION ALL "))
}

fn tie(key: &str) -> &str {
    if key == "id" { "0" } else { "comment.id" }
}

fn miscounted((list, owner, key): (&str, &str, &str)) -> String {
    let place = format!("(comment.{key}, {})", tie(key));
    let end = i64::MAX;
    format!(
        "SELECT list || ' ' || owner_id || ' level ' || level
                || ' from ' || first_key || '/' || first_id AS id FROM
            (SELECT *,
                COALESCE(LEAD(first_key) OVER following, {end}) AS next_key,
                COALESCE(LEAD(first_id) OVER following, 0) AS next_id
             FROM comment_block WHERE list = '{list}'
             WINDOW following AS (PARTITION BY owner_id, level ORDER BY first_key, first_id)
            ) AS block
         WHERE comments <> (SELECT COUNT(*) FROM review_comment AS comment
            WHERE comment.{owner} = block.owner_id
                AND comment.{key} BETWEEN block.first_key AND block.next_key
                AND {place} >= (block.first_key, block.first_id)
                AND {place} < (block.next_key, block.next_id))"
    )
}

fn uncounted((list, owner, key): (&str, &str, &str)) -> String {
    let tie = tie(key);
    let lacks = |level: i64| {
        format!(
            "NOT EXISTS (SELECT 1 FROM comment_block WHERE list = '{list}'
                AND owner_id = comment.{owner} AND level = {level}
                AND (first_key, first_id) <= (comment.{key}, {tie}))"
        )
    };
    format!(
        "SELECT '{list} ' || comment.id AS id FROM review_comment AS comment WHERE {} OR {}",
        lacks(0),
        lacks(1)
    )
}
