//! The triggers in PostgreSQL's words. Whoever writes a comment holds its
//! repository, so that two writers never count or split the same block at once.
//!
//! They come before each row: then exactly those comments are in the table that
//! were counted, also in the middle of a statement that writes many, and a
//! stretch can be split. Afterwards all of them would be there. For the same
//! reason a comment that moves is counted in its new place first.

use super::sections::{alike, here, remove, section_of, split as split_section, too_many};
use super::{FIRST, FULL, KEPT, LISTS, List, OWNERS, SECTION, STRETCH};

pub const DOWN: [&str; 8] = [
    "DROP TRIGGER review_comment_counted ON review_comment",
    "DROP TRIGGER review_comment_moved ON review_comment",
    "DROP TRIGGER repository_removed ON repository",
    "DROP TRIGGER pull_removed ON pull",
    "DROP FUNCTION review_comment_count()",
    "DROP FUNCTION comment_block_change(TEXT, BIGINT, BIGINT, BIGINT, BIGINT)",
    "DROP FUNCTION comment_block_split(comment_block)",
    "DROP FUNCTION comment_block_forget()",
];

pub fn up() -> Vec<String> {
    let mut statements = vec![
        split_function(),
        change_function(),
        count_function(),
        forget_function(),
        "CREATE TRIGGER review_comment_counted BEFORE INSERT OR DELETE ON review_comment
            FOR EACH ROW EXECUTE FUNCTION review_comment_count()"
            .to_owned(),
        "CREATE TRIGGER review_comment_moved
            BEFORE UPDATE OF created_at, updated_at ON review_comment FOR EACH ROW
            WHEN ((OLD.created_at, OLD.updated_at) <> (NEW.created_at, NEW.updated_at))
            EXECUTE FUNCTION review_comment_count()"
            .to_owned(),
    ];
    statements.extend(OWNERS.map(|owner| {
        format!(
            "CREATE TRIGGER {owner}_removed AFTER DELETE ON {owner}
                FOR EACH ROW EXECUTE FUNCTION comment_block_forget()"
        )
    }));
    statements
}

/// Splits a stretch that is full, and its section if that has too many.
fn split_function() -> String {
    let splits: String = LISTS
        .iter()
        .map(|list| {
            let name = list.name;
            let second = list.second_part("stretch");
            format!(
                "IF stretch.list = '{name}' THEN
                    INSERT INTO comment_block
                        (list, owner_id, level, first_key, first_id, comments)
                    {second};
                END IF;\n"
            )
        })
        .collect();
    let stretches = alike("stretch", STRETCH);
    let here = here("stretch");
    let find_section = section_of("stretch").replacen('*', "* INTO section", 1);
    let too_many = too_many("section");
    let split_section = split_section("section");
    format!(
        "CREATE FUNCTION comment_block_split(stretch comment_block)
        RETURNS VOID LANGUAGE plpgsql AS $$
        DECLARE
            section comment_block;
        BEGIN
            {splits}
            UPDATE comment_block SET comments = {KEPT} WHERE {stretches} AND {here};
            {find_section};
            IF {too_many} THEN
                {split_section}
            END IF;
        END $$"
    )
}

/// The block at a place.
fn at_place(level: i64) -> String {
    format!(
        "FROM comment_block
            WHERE list = of_list AND owner_id = of_owner AND level = {level}
                AND (first_key, first_id) <= (at_key, at_id)
            ORDER BY first_key DESC, first_id DESC LIMIT 1"
    )
}

/// Adds to the stretch at a place, and to its section if that is counted. One that
/// is full is split before it grows, one that becomes empty is removed.
fn change_function() -> String {
    let [stretch, section] = [STRETCH, SECTION].map(at_place);
    let stretches = alike("stretch", STRETCH);
    let here = here("stretch");
    let remove = remove("stretch");
    format!(
        "CREATE FUNCTION comment_block_change(
            of_list TEXT, of_owner BIGINT, at_key BIGINT, at_id BIGINT, difference BIGINT
        ) RETURNS VOID LANGUAGE plpgsql AS $$
        DECLARE
            stretch comment_block;
        BEGIN
            SELECT * INTO stretch {stretch};
            IF NOT FOUND THEN
                INSERT INTO comment_block (list, owner_id, level, first_key, first_id, comments)
                    SELECT of_list, of_owner, level, {FIRST}, 0, comments
                    FROM (VALUES ({STRETCH}, difference), ({SECTION}, NULL)) AS every (level, comments)
                    WHERE difference > 0;
                RETURN;
            END IF;
            IF difference > 0 AND stretch.comments >= {FULL} THEN
                PERFORM comment_block_split(stretch);
                SELECT * INTO stretch {stretch};
            END IF;
            UPDATE comment_block SET comments = comments + difference
                WHERE list = of_list AND owner_id = of_owner AND level = {SECTION}
                    AND comments IS NOT NULL
                    AND (first_key, first_id) = (SELECT first_key, first_id {section});
            IF stretch.comments + difference = 0 AND stretch.first_key > {FIRST} THEN
                {remove}
            ELSE
                UPDATE comment_block SET comments = stretch.comments + difference
                    WHERE {stretches} AND {here};
            END IF;
        END $$"
    )
}

fn count_function() -> String {
    let added: String = LISTS.iter().map(|list| change(list, "NEW", 1)).collect();
    let removed: String = LISTS.iter().map(|list| change(list, "OLD", -1)).collect();
    let timed = LISTS.iter().filter(|list| list.by_time());
    let moved: String = timed
        .map(|list| change(list, "NEW", 1) + &change(list, "OLD", -1))
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

fn change(list: &List, row: &str, difference: i64) -> String {
    let List { name, owner, key } = list;
    let tie = list.tie(row);
    format!(
        "PERFORM comment_block_change('{name}', {row}.{owner}, {row}.{key}, {tie}, {difference});\n"
    )
}

/// Removes the blocks of an owner who goes.
fn forget_function() -> String {
    let lists: String = LISTS
        .iter()
        .map(|list| {
            let List { name, owner, .. } = list;
            format!("('{name}', '{owner}'), ")
        })
        .collect();
    let lists = lists.trim_end_matches(", ");
    format!(
        "CREATE FUNCTION comment_block_forget() RETURNS TRIGGER LANGUAGE plpgsql AS $$
        BEGIN
            DELETE FROM comment_block WHERE owner_id = OLD.id AND list IN
                (SELECT name FROM (VALUES {lists}) AS lists (name, owner)
                 WHERE owner = TG_TABLE_NAME || '_id');
            RETURN NULL;
        END $$"
    )
}
