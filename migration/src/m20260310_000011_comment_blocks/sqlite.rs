//! The triggers in SQLite's words. What seldom has to be done to a block is asked
//! of a view: a trigger that does it all by itself would be got ready, with all
//! that it holds, for each of the numbers that change with a comment.

use super::sections::{remove as remove_stretch, section_of, split as split_section, too_many};
use super::{FIRST, FULL, KEPT, LISTS, List, OWNERS, SECTION, STRETCH};

pub const DOWN: [&str; 8] = [
    "DROP TRIGGER review_comment_first_of_repository",
    "DROP TRIGGER review_comment_first_of_pull",
    "DROP TRIGGER review_comment_added",
    "DROP TRIGGER review_comment_moved",
    "DROP TRIGGER review_comment_removed",
    "DROP TRIGGER repository_removed",
    "DROP TRIGGER pull_removed",
    "DROP VIEW comment_block_due",
];

pub fn up() -> Vec<String> {
    let mut statements = Vec::new();
    for owner in OWNERS {
        statements.extend([first(owner), owner_removed(owner)]);
    }
    statements.extend(counting());
    statements.extend(dues());
    statements.extend(LISTS.iter().map(split));
    statements
}

/// Makes the first blocks of the lists of one who has none.
fn first(owner: &str) -> String {
    let rows: Vec<String> = LISTS
        .iter()
        .filter(|list| list.belongs_to(owner))
        .flat_map(|list| [(list.name, STRETCH, "0"), (list.name, SECTION, "NULL")])
        .map(|(name, level, comments)| {
            format!("('{name}', NEW.{owner}_id, {level}, {FIRST}, 0, {comments})")
        })
        .collect();
    let rows = rows.join(", ");
    format!(
        "CREATE TRIGGER review_comment_first_of_{owner} BEFORE INSERT ON review_comment
            WHEN NOT EXISTS (SELECT 1 FROM comment_block
                WHERE list = '{owner}_by_id' AND owner_id = NEW.{owner}_id
                    AND level = {STRETCH} AND first_key = {FIRST} AND first_id = 0)
            BEGIN
                INSERT INTO comment_block
                    (list, owner_id, level, first_key, first_id, comments) VALUES {rows};
            END"
    )
}

fn owner_removed(owner: &str) -> String {
    let lists: Vec<String> = LISTS
        .iter()
        .filter(|list| list.belongs_to(owner))
        .map(|list| format!("'{}'", list.name))
        .collect();
    let lists = lists.join(", ");
    format!(
        "CREATE TRIGGER {owner}_removed AFTER DELETE ON {owner} BEGIN
            DELETE FROM comment_block WHERE list IN ({lists}) AND owner_id = OLD.id;
         END"
    )
}

fn counting() -> [String; 3] {
    let every = |statements: fn(&List) -> String| LISTS.iter().map(statements).collect::<String>();
    let timed = LISTS.iter().filter(|list| list.by_time());
    let moved: String = timed.map(|list| remove(list) + &add(list)).collect();
    [
        format!(
            "CREATE TRIGGER review_comment_added AFTER INSERT ON review_comment BEGIN {} END",
            every(add)
        ),
        format!(
            "CREATE TRIGGER review_comment_moved
                AFTER UPDATE OF created_at, updated_at ON review_comment
                WHEN (OLD.created_at, OLD.updated_at) <> (NEW.created_at, NEW.updated_at)
                BEGIN {moved} END"
        ),
        format!(
            "CREATE TRIGGER review_comment_removed AFTER DELETE ON review_comment BEGIN {} END",
            every(remove)
        ),
    ]
}

fn add(list: &List) -> String {
    change(list, "NEW", "+ 1")
}

fn remove(list: &List) -> String {
    change(list, "OLD", "- 1")
}

fn change(list: &List, row: &str, by: &str) -> String {
    let List { name, owner, key } = list;
    let tie = list.tie(row);
    let level = |level: i64| {
        format!(
            "UPDATE comment_block SET comments = comments {by}
                WHERE list = '{name}' AND owner_id = {row}.{owner} AND level = {level}
                    AND comments IS NOT NULL AND (first_key, first_id) = (SELECT first_key, first_id FROM comment_block
                        WHERE list = '{name}' AND owner_id = {row}.{owner} AND level = {level}
                            AND (first_key, first_id) <= ({row}.{key}, {tie})
                        ORDER BY first_key DESC, first_id DESC LIMIT 1);\n"
        )
    };
    // The section first: what happens to its stretch may split it.
    level(SECTION) + &level(STRETCH)
}

/// Notices the stretches to which something has to be done, and does it to
/// sections and to those that are empty.
fn dues() -> [String; 4] {
    [
        "CREATE VIEW comment_block_due AS SELECT * FROM comment_block".to_owned(),
        format!(
            "CREATE TRIGGER comment_block_changed AFTER UPDATE OF comments ON comment_block
                WHEN NEW.level = {STRETCH} AND (NEW.comments > {FULL}
                    OR (NEW.comments = 0 AND NEW.first_key > {FIRST}))
                BEGIN
                    INSERT INTO comment_block_due
                        (list, owner_id, level, first_key, first_id, comments)
                    VALUES (NEW.list, NEW.owner_id, NEW.level, NEW.first_key, NEW.first_id,
                        NEW.comments);
                END"
        ),
        format!(
            "CREATE TRIGGER comment_block_emptied INSTEAD OF INSERT ON comment_block_due
                WHEN NEW.level = {STRETCH} AND NEW.comments = 0 BEGIN {} END",
            remove_stretch("NEW")
        ),
        format!(
            "CREATE TRIGGER comment_block_section_full INSTEAD OF INSERT ON comment_block_due
                WHEN NEW.level = {SECTION} AND {} BEGIN {} END",
            too_many("NEW"),
            split_section("NEW")
        ),
    ]
}

/// Splits a stretch, and its section if that has too many.
fn split(list: &List) -> String {
    let name = list.name;
    let second = list.second_part("NEW");
    let section = section_of("NEW");
    format!(
        "CREATE TRIGGER comment_block_full_{name} INSTEAD OF INSERT ON comment_block_due
            WHEN NEW.list = '{name}' AND NEW.level = {STRETCH} AND NEW.comments > {FULL}
            BEGIN
                INSERT INTO comment_block
                    (list, owner_id, level, first_key, first_id, comments) {second};
                UPDATE comment_block SET comments = {KEPT}
                WHERE (list, owner_id, level, first_key, first_id)
                    = (NEW.list, NEW.owner_id, {STRETCH}, NEW.first_key, NEW.first_id);
                INSERT INTO comment_block_due
                    (list, owner_id, level, first_key, first_id, comments) {section};
            END"
    )
}
