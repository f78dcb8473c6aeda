//! What seldom happens to sections, in words that both databases know. `block` is
//! a variable that holds a row of `comment_block`: `NEW`, or one of a function.

use super::{SECTION, SECTION_FULL, SECTION_KEPT, STRETCH};

/// The condition that a row is of the same list as `block`, and of a level.
pub fn alike(block: &str, level: i64) -> String {
    format!("list = {block}.list AND owner_id = {block}.owner_id AND level = {level}")
}

/// The condition that a row begins where `block` does.
pub fn here(block: &str) -> String {
    format!("first_key = {block}.first_key AND first_id = {block}.first_id")
}

/// The query for the section that holds a stretch.
pub fn section_of(stretch: &str) -> String {
    let sections = alike(stretch, SECTION);
    format!(
        "SELECT * FROM comment_block WHERE {sections}
            AND (first_key, first_id) <= ({stretch}.first_key, {stretch}.first_id)
         ORDER BY first_key DESC, first_id DESC LIMIT 1"
    )
}

/// The query for where the section that begins where `from` does ends.
fn end(block: &str, from: &str) -> String {
    let sections = alike(block, SECTION);
    format!(
        "SELECT first_key, first_id FROM (
             SELECT first_key, first_id FROM comment_block WHERE {sections}
             UNION ALL SELECT {last}, 0
         ) AS beginning WHERE (first_key, first_id) > ({from}.first_key, {from}.first_id)
         ORDER BY first_key, first_id LIMIT 1",
        last = i64::MAX
    )
}

/// The condition that a section has too many stretches.
pub fn too_many(section: &str) -> String {
    let stretches = alike(section, STRETCH);
    let end = end(section, section);
    format!(
        "(SELECT COUNT(*) FROM comment_block WHERE {stretches}
            AND (first_key, first_id) >= ({section}.first_key, {section}.first_id)
            AND (first_key, first_id) < ({end})) > {SECTION_FULL}"
    )
}

/// Splits a section where one of its stretches begins, and counts both parts,
/// except for one that is the last.
pub fn split(section: &str) -> String {
    let stretches = alike(section, STRETCH);
    let sections = alike(section, SECTION);
    let end = end(section, "comment_block");
    let from = format!("(first_key, first_id) >= ({section}.first_key, {section}.first_id)");
    format!(
        "INSERT INTO comment_block (list, owner_id, level, first_key, first_id, comments)
            SELECT list, owner_id, {SECTION}, first_key, first_id, NULL
            FROM comment_block WHERE {stretches} AND {from}
            ORDER BY first_key, first_id LIMIT 1 OFFSET {SECTION_KEPT};
         UPDATE comment_block SET comments =
                (SELECT CAST(SUM(comments) AS BIGINT) FROM comment_block AS stretch
                    WHERE {stretches} AND (first_key, first_id)
                        >= (comment_block.first_key, comment_block.first_id)
                    AND (first_key, first_id) < ({end}))
            WHERE {sections} AND (first_key, first_id) IN
                (SELECT first_key, first_id FROM comment_block WHERE {sections} AND {from}
                 ORDER BY first_key, first_id LIMIT 2);
         {last}",
        last = forget_last(section)
    )
}

/// Removes a stretch that is empty. A section that began with it begins with the
/// next one, if that is its own, and is removed otherwise.
pub fn remove(stretch: &str) -> String {
    let stretches = alike(stretch, STRETCH);
    let sections = alike(stretch, SECTION);
    let here = here(stretch);
    let next = format!(
        "SELECT first_key, first_id FROM comment_block WHERE {stretches}
            AND (first_key, first_id) > ({stretch}.first_key, {stretch}.first_id)
         ORDER BY first_key, first_id LIMIT 1"
    );
    format!(
        "DELETE FROM comment_block WHERE {stretches} AND {here};
         UPDATE comment_block SET (first_key, first_id) = ({next})
            WHERE {sections} AND {here} AND EXISTS ({next}) AND NOT EXISTS
                (SELECT 1 FROM comment_block WHERE {sections} AND (first_key, first_id) = ({next}));
         DELETE FROM comment_block WHERE {sections} AND {here};
         {last}",
        last = forget_last(stretch)
    )
}

/// Whichever section is the last is not counted.
fn forget_last(block: &str) -> String {
    let sections = alike(block, SECTION);
    format!(
        "UPDATE comment_block SET comments = NULL
            WHERE {sections} AND comments IS NOT NULL AND (first_key, first_id) =
                (SELECT first_key, first_id FROM comment_block WHERE {sections}
                 ORDER BY first_key DESC, first_id DESC LIMIT 1);"
    )
}
