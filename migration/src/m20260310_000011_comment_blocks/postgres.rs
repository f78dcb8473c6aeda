//! The triggers in PostgreSQL's words. Whoever writes a comment holds its
//! repository, so that two writers never count or split the same stretch at once.

use super::{FIRST, FULL, KEPT, LISTS, List};

pub const DOWN: [&str; 4] = [
    "DROP TRIGGER review_comment_counted ON review_comment",
    "DROP TRIGGER review_comment_moved ON review_comment",
    "DROP FUNCTION review_comment_count()",
    "DROP FUNCTION comment_block_change(TEXT, BIGINT, BIGINT, BIGINT, BIGINT)",
];

pub fn up() -> Vec<String> {
    vec![
        change_function(),
        count_function(),
        "CREATE TRIGGER review_comment_counted AFTER INSERT OR DELETE ON review_comment
            FOR EACH ROW EXECUTE FUNCTION review_comment_count()"
            .to_owned(),
        "CREATE TRIGGER review_comment_moved
            AFTER UPDATE OF created_at, updated_at ON review_comment FOR EACH ROW
            WHEN ((OLD.created_at, OLD.updated_at) <> (NEW.created_at, NEW.updated_at))
            EXECUTE FUNCTION review_comment_count()"
            .to_owned(),
    ]
}

/// Adds to the stretch at a place, and splits or removes it where needed.
fn change_function() -> String {
    let splits: String = LISTS
        .iter()
        .map(|list| {
            let name = list.name;
            let second = list.second_part("stretch");
            format!(
                "IF stretch.list = '{name}' THEN
                    INSERT INTO comment_block (list, owner_id, first_key, first_id, comments)
                    {second};
                END IF;\n"
            )
        })
        .collect();
    format!(
        "CREATE FUNCTION comment_block_change(
            of_list TEXT, of_owner BIGINT, at_key BIGINT, at_id BIGINT, difference BIGINT
        ) RETURNS VOID LANGUAGE plpgsql AS $$
        DECLARE
            stretch comment_block;
        BEGIN
            SELECT * INTO stretch FROM comment_block
                WHERE list = of_list AND owner_id = of_owner
                    AND (first_key, first_id) <= (at_key, at_id)
                ORDER BY first_key DESC, first_id DESC LIMIT 1;
            IF NOT FOUND THEN
                INSERT INTO comment_block (list, owner_id, first_key, first_id, comments)
                    VALUES (of_list, of_owner, {FIRST}, 0, 0) RETURNING * INTO stretch;
            END IF;
            stretch.comments := stretch.comments + difference;
            IF stretch.comments > {FULL} THEN
                {splits}
                stretch.comments := {KEPT};
            END IF;
            IF stretch.comments = 0 THEN
                DELETE FROM comment_block WHERE list = of_list AND owner_id = of_owner
                    AND first_key = stretch.first_key AND first_id = stretch.first_id;
            ELSE
                UPDATE comment_block SET comments = stretch.comments
                    WHERE list = of_list AND owner_id = of_owner
                    AND first_key = stretch.first_key AND first_id = stretch.first_id;
            END IF;
        END $$"
    )
}

fn count_function() -> String {
    let every = |row: &str, difference: i64| -> String {
        LISTS
            .iter()
            .map(|list| change(list, row, difference))
            .collect()
    };
    let timed = LISTS.iter().filter(|list| list.by_time());
    let moved: String = timed
        .map(|list| change(list, "OLD", -1) + &change(list, "NEW", 1))
        .collect();
    let (added, removed) = (every("NEW", 1), every("OLD", -1));
    format!(
        "CREATE FUNCTION review_comment_count() RETURNS TRIGGER LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM 1 FROM repository WHERE id = COALESCE(NEW.repository_id, OLD.repository_id)
                FOR NO KEY UPDATE;
            IF TG_OP = 'INSERT' THEN
                {added}
            ELSIF TG_OP = 'DELETE' THEN
                {removed}
            ELSE
                {moved}
            END IF;
            RETURN NULL;
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
