//! The triggers in SQLite's words.

use super::{FIRST, FULL, KEPT, LISTS, List};

pub const DOWN: [&str; 4] = [
    "DROP TRIGGER review_comment_added",
    "DROP TRIGGER review_comment_moved",
    "DROP TRIGGER review_comment_removed",
    "DROP TRIGGER comment_block_emptied",
];

pub fn up() -> Vec<String> {
    let every = |statements: fn(&List) -> String| LISTS.iter().map(statements).collect::<String>();
    let timed = LISTS.iter().filter(|list| list.by_time());
    let moved: String = timed.map(|list| remove(list) + &add(list)).collect();
    let mut statements = vec![
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
        "CREATE TRIGGER comment_block_emptied AFTER UPDATE OF comments ON comment_block
            WHEN NEW.comments = 0
            BEGIN
                DELETE FROM comment_block
                WHERE (list, owner_id, first_key, first_id)
                    = (NEW.list, NEW.owner_id, NEW.first_key, NEW.first_id);
            END"
        .to_owned(),
    ];
    statements.extend(LISTS.iter().map(split));
    statements
}

/// The stretch that a comment belongs to.
fn stretch(list: &List, row: &str) -> String {
    let List { name, owner, key } = list;
    let tie = list.tie(row);
    format!(
        "list = '{name}' AND owner_id = {row}.{owner}
            AND (first_key, first_id) <= ({row}.{key}, {tie})"
    )
}

fn add(list: &List) -> String {
    let List { name, owner, .. } = list;
    let stretch = stretch(list, "NEW");
    let changed = change(list, "NEW", "+ 1");
    format!(
        "INSERT INTO comment_block (list, owner_id, first_key, first_id, comments)
            SELECT '{name}', NEW.{owner}, {FIRST}, 0, 0
            WHERE NOT EXISTS (SELECT 1 FROM comment_block WHERE {stretch});
         {changed}"
    )
}

fn remove(list: &List) -> String {
    change(list, "OLD", "- 1")
}

fn change(list: &List, row: &str, by: &str) -> String {
    let List { name, owner, .. } = list;
    let stretch = stretch(list, row);
    format!(
        "UPDATE comment_block SET comments = comments {by}
            WHERE list = '{name}' AND owner_id = {row}.{owner} AND (first_key, first_id) =
                (SELECT first_key, first_id FROM comment_block WHERE {stretch}
                 ORDER BY first_key DESC, first_id DESC LIMIT 1);\n"
    )
}

fn split(list: &List) -> String {
    let name = list.name;
    let second = list.second_part("NEW");
    format!(
        "CREATE TRIGGER comment_block_full_{name} AFTER UPDATE OF comments ON comment_block
            WHEN NEW.list = '{name}' AND NEW.comments > {FULL}
            BEGIN
                INSERT INTO comment_block (list, owner_id, first_key, first_id, comments) {second};
                UPDATE comment_block SET comments = {KEPT}
                WHERE (list, owner_id, first_key, first_id)
                    = (NEW.list, NEW.owner_id, NEW.first_key, NEW.first_id);
            END"
    )
}
