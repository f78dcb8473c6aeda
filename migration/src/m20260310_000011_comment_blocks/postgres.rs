//! The triggers in PostgreSQL's words. Whoever writes a comment holds its
//! repository, so that two writers never count or split the same stretch at once.
//!
//! They come before each row: then exactly those comments are in the table that
//! were counted, also in the middle of a statement that writes many, and a
//! stretch can be split. Afterwards all of them would be there.

use super::{FIRST, FULL, KEPT, LISTS, List};

pub const DOWN: [&str; 5] = [
    "DROP TRIGGER review_comment_counted ON review_comment",
    "DROP TRIGGER review_comment_moved ON review_comment",
    "DROP FUNCTION review_comment_count()",
    "DROP FUNCTION comment_block_change(TEXT, BIGINT, BIGINT, BIGINT, BIGINT)",
    "DROP FUNCTION comment_block_split(TEXT, BIGINT, BIGINT, BIGINT)",
];

pub fn up() -> Vec<String> {
    vec![
        split_function(),
        change_function(),
        count_function(),
        "CREATE TRIGGER review_comment_counted BEFORE INSERT OR DELETE ON review_comment
            FOR EACH ROW EXECUTE FUNCTION review_comment_count()"
            .to_owned(),
        "CREATE TRIGGER review_comment_moved
            BEFORE UPDATE OF created_at, updated_at ON review_comment FOR EACH ROW
            WHEN ((OLD.created_at, OLD.updated_at) <> (NEW.created_at, NEW.updated_at))
            EXECUTE FUNCTION review_comment_count()"
            .to_owned(),
    ]
}

/// Finds the stretch at a place.
const FIND: &str = "SELECT * INTO stretch FROM comment_block
    WHERE list = of_list AND owner_id = of_owner AND (first_key, first_id) <= (at_key, at_id)
    ORDER BY first_key DESC, first_id DESC LIMIT 1;";

/// Splits the stretch at a place if it is full.
fn split_function() -> String {
    let splits: String = LISTS
        .iter()
        .map(|list| {
            let name = list.name;
            let second = list.second_part("stretch");
            format!(
                "IF of_list = '{name}' THEN
                    INSERT INTO comment_block (list, owner_id, first_key, first_id, comments)
                    {second};
                END IF;\n"
            )
        })
        .collect();
    format!(
        "CREATE FUNCTION comment_block_split(
            of_list TEXT, of_owner BIGINT, at_key BIGINT, at_id BIGINT
        ) RETURNS VOID LANGUAGE plpgsql AS $$
        DECLARE
            stretch comment_block;
        BEGIN
            {FIND}
            IF stretch.comments >= {FULL} THEN
                {splits}
                UPDATE comment_block SET comments = {KEPT}
                    WHERE list = of_list AND owner_id = of_owner
                        AND first_key = stretch.first_key AND first_id = stretch.first_id;
            END IF;
        END $$"
    )
}

/// Adds to the stretch at a place, and removes it when it becomes empty.
fn change_function() -> String {
    format!(
        "CREATE FUNCTION comment_block_change(
            of_list TEXT, of_owner BIGINT, at_key BIGINT, at_id BIGINT, difference BIGINT
        ) RETURNS VOID LANGUAGE plpgsql AS $$
        DECLARE
            stretch comment_block;
        BEGIN
            {FIND}
            IF NOT FOUND THEN
                INSERT INTO comment_block (list, owner_id, first_key, first_id, comments)
                    VALUES (of_list, of_owner, {FIRST}, 0, difference);
            ELSIF stretch.comments + difference = 0 THEN
                DELETE FROM comment_block WHERE list = of_list AND owner_id = of_owner
                    AND first_key = stretch.first_key AND first_id = stretch.first_id;
            ELSE
                UPDATE comment_block SET comments = stretch.comments + difference
                    WHERE list = of_list AND owner_id = of_owner
                        AND first_key = stretch.first_key AND first_id = stretch.first_id;
            END IF;
        END $$"
    )
}

fn count_function() -> String {
    let added: String = LISTS
        .iter()
        .map(|list| split(list) + &change(list, "NEW", 1))
        .collect();
    let removed: String = LISTS.iter().map(|list| change(list, "OLD", -1)).collect();
    let timed = LISTS.iter().filter(|list| list.by_time());
    let moved: String = timed
        .map(|list| split(list) + &change(list, "OLD", -1) + &change(list, "NEW", 1))
        .collect();
    format!(
        "CREATE FUNCTION review_comment_count() RETURNS TRIGGER LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM 1 FROM repository WHERE id = COALESCE(NEW.repository_id, OLD.repository_id)
                FOR NO KEY UPDATE;
            IF TG_OP = 'INSERT' THEN
                {added}
            ELSIF TG_OP = 'DELETE' THEN
                {removed}
                RETURN OLD;
            ELSE
                {moved}
            END IF;
            RETURN NEW;
        END $$"
    )
}

fn split(list: &List) -> String {
    let List { name, owner, key } = list;
    let tie = list.tie("NEW");
    format!("PERFORM comment_block_split('{name}', NEW.{owner}, NEW.{key}, {tie});\n")
}

fn change(list: &List, row: &str, difference: i64) -> String {
    let List { name, owner, key } = list;
    let tie = list.tie(row);
    format!(
        "PERFORM comment_block_change('{name}', {row}.{owner}, {row}.{key}, {tie}, {difference});\n"
    )
}
