//! The changes of the property test. A change is a list of steps. Most changes end in their
//! initial state, so that a long run does not exhaust the data.
//!
//! A step is one line: `METHOD token path body` is a request, `load FILE` and `revoke ID` are
//! commands of the binary, and anything else is SQL. `{id}` is the id from an earlier request of
//! the same change, `{main}` and `{topic}` are commits, and `{truncate}` is the fastest statement
//! that empties a table.

pub type Change = &'static [&'static str];

/// Changes through the API and the command line.
pub const OPERATIONS: [Change; 23] = [
    &[
        r#"POST bob-oauth /repos/acme/widgets/issues/1/comments {"body":"Said"}"#,
        r#"PATCH bob-oauth /repos/acme/widgets/issues/comments/{id} {"body":"Said **again**"}"#,
        "DELETE alice-classic /repos/acme/widgets/issues/comments/{id}",
    ],
    &[
        r#"POST carol-classic /repos/acme/widgets/issues/1/comments {"body":"Before"}"#,
        "UPDATE issue_comment SET body = 'By hand', updated_at = updated_at + 1",
        "DELETE FROM issue_comment WHERE body = 'By hand'",
    ],
    &[
        r#"POST alice-classic /repos/acme/widgets/git/refs {"ref":"refs/heads/made","sha":"{main}"}"#,
        r#"PATCH alice-classic /repos/acme/widgets/git/refs/heads/made {"sha":"{topic}","force":true}"#,
        "DELETE alice-classic /repos/acme/widgets/git/refs/heads/made",
    ],
    &[
        r#"PATCH alice-classic /repos/acme/widgets/git/refs/heads/topic {"sha":"{main}","force":true}"#,
        r#"PATCH ci-installation /repos/acme/widgets/git/refs/heads/topic {"sha":"{topic}","force":true}"#,
    ],
    &[
        r#"POST bob-oauth /repos/acme/widgets/pulls/1/comments {"body":"New","commit_id":"{topic}","path":"a.txt","line":1,"side":"RIGHT"}"#,
        r#"PATCH bob-oauth /repos/acme/widgets/pulls/comments/{id} {"body":"Edited"}"#,
        "DELETE alice-classic /repos/acme/widgets/pulls/comments/{id}",
    ],
    &[
        r#"POST carol-classic /repos/acme/widgets/pulls/1/comments/5001/replies {"body":"Indeed"}"#,
        "DELETE carol-classic /repos/acme/widgets/pulls/comments/{id}",
    ],
    &[
        r#"PATCH alice-classic /repos/acme/widgets/pulls/comments/5001 {"body":"Why **not**?"}"#,
        r#"PATCH alice-classic /repos/acme/widgets/pulls/comments/5001 {"body":"Why **2**?"}"#,
    ],
    &[
        r#"POST bob-oauth /repos/acme/widgets/pulls/1/reviews {"body":"Draft","comments":[{"body":"New","path":"a.txt","line":1}]}"#,
        r#"PUT bob-oauth /repos/acme/widgets/pulls/1/reviews/{id} {"body":"Redrafted"}"#,
        r#"POST bob-oauth /repos/acme/widgets/pulls/1/reviews/{id}/events {"event":"COMMENT"}"#,
        "DELETE FROM review WHERE body = 'Redrafted'",
    ],
    &[
        r#"POST alice-classic /repos/acme/widgets/issues/1/labels {"labels":["made","bug"]}"#,
        r#"PATCH alice-classic /repos/acme/widgets/labels/made {"new_name":"remade","color":"000000"}"#,
        "DELETE alice-classic /repos/acme/widgets/labels/remade",
        "UPDATE label SET description = 'By hand'",
        "DELETE alice-classic /repos/acme/widgets/issues/1/labels",
        "DELETE FROM label",
    ],
    &[
        r#"POST alice-classic /repos/acme/widgets/issues/1/assignees {"assignees":["bob"]}"#,
        r#"DELETE alice-classic /repos/acme/widgets/issues/1/assignees {"assignees":["bob"]}"#,
    ],
    &[
        r#"POST alice-classic /repos/acme/widgets/issues {"title":"Made","labels":["bug"],"assignees":["bob"]}"#,
        "UPDATE issue SET title = 'By hand', updated_at = updated_at + 1 WHERE title = 'Made'",
        "DELETE FROM issue WHERE pull_id IS NULL",
    ],
    &[
        r#"PATCH alice-classic /repos/acme/widgets/issues/1 {"title":"Retitled"}"#,
        "PUT alice-classic /repos/acme/widgets/issues/1/lock",
        "DELETE alice-classic /repos/acme/widgets/issues/1/lock",
        "load base.yaml",
    ],
    &[
        r#"POST alice-classic /repos/acme/widgets/statuses/{topic} {"state":"pending","context":"ci"}"#,
        r#"POST carol-classic /repos/acme/widgets/statuses/{topic} {"state":"success","context":"CI"}"#,
        "UPDATE commit_status SET state = 'failure' WHERE context = 'CI'",
        "DELETE FROM commit_status",
    ],
    &[
        r#"POST carol-classic /repos/acme/widgets/statuses/{main} {"state":"error"}"#,
        "UPDATE commit_status SET commit_id = (SELECT id FROM git_commit WHERE repository_id = 2001 AND sha = '{topic}') WHERE context = 'default'",
        "DELETE FROM commit_status WHERE context = 'default'",
    ],
    &[
        "DELETE alice-classic /repos/acme/widgets/pulls/comments/5002",
        "load base.yaml",
    ],
    &[
        r#"POST alice-classic /orgs/acme/issue-fields {"name":"Made","data_type":"single_select","options":[{"name":"A","color":"red","priority":1}]}"#,
        r#"PATCH alice-classic /orgs/acme/issue-fields/{id} {"name":"Remade","description":"Again"}"#,
        "DELETE alice-classic /orgs/acme/issue-fields/{id}",
    ],
    &[
        r#"PATCH alice-classic /orgs/acme/issue-fields/4001 {"visibility":"organization_members_only"}"#,
        r#"PATCH alice-classic /orgs/acme/issue-fields/4001 {"visibility":"all"}"#,
    ],
    &[
        r#"POST alice-classic /orgs/acme/projectsV2/1/fields {"name":"Made","data_type":"text"}"#,
        "DELETE FROM project_field WHERE name = 'Made'",
    ],
    &[
        "DELETE alice-classic /user/installations/7001/repositories/2002",
        "PUT alice-classic /user/installations/7001/repositories/2002",
    ],
    &[
        "DELETE ci-installation /installation/token",
        "UPDATE token SET revoked_at = NULL WHERE id = 9008",
    ],
    &[
        "revoke 9001",
        "UPDATE token SET revoked_at = NULL WHERE id = 9001",
    ],
    &[
        "revoke 9005",
        "UPDATE token SET revoked_at = NULL WHERE id = 9005",
    ],
    &["load second.yaml", "DELETE FROM account WHERE id = 1020"],
];

/// Changes in the SQL of one database: SQLite first, then PostgreSQL.
///
/// REPLACE deletes the conflicting row without firing its delete triggers, and TRUNCATE fires no
/// row-level triggers.
pub const DATABASE_SPECIFIC: [&[Change]; 2] = [
    &[
        &[
            "INSERT INTO account (id, login, login_key, kind, created_at, updated_at) VALUES (1031, 'erin', 'erin', 'User', 1, 1)",
            "REPLACE INTO account (id, login, login_key, kind, created_at, updated_at) VALUES (1032, 'erin', 'erin', 'User', 2, 2)",
            "INSERT INTO account (id, login, login_key, kind, created_at, updated_at) VALUES (1033, 'frank', 'frank', 'User', 3, 3)",
            "UPDATE OR REPLACE account SET login = 'erin', login_key = 'erin' WHERE id = 1033",
            "INSERT INTO account (id, login, login_key, kind, created_at, updated_at) VALUES (1034, 'frank', 'frank', 'User', 4, 4)",
            "UPDATE OR REPLACE account SET rowid = 1033 WHERE id = 1034",
            "DELETE FROM account WHERE id = 1033",
        ],
        &[
            "REPLACE INTO collaborator (repository_id, user_id, permission) VALUES (2001, 1003, 'admin')",
            "REPLACE INTO collaborator (repository_id, user_id, permission) VALUES (2001, 1003, 'write')",
        ],
        &[
            "CREATE TRIGGER note_edits AFTER UPDATE ON review_comment BEGIN UPDATE repository SET description = NEW.body WHERE id = NEW.repository_id; END",
            r#"PATCH alice-classic /repos/acme/widgets/pulls/comments/5001 {"body":"Noted"}"#,
            "UPDATE review_comment SET body = 'Noted by hand' WHERE id = 5001",
            "DROP TRIGGER note_edits",
        ],
    ],
    &[
        &[
            "TRUNCATE token_repository, installation_repository",
            "INSERT INTO token_repository VALUES (9005, 2001), (9005, 2003); INSERT INTO installation_repository VALUES (7001, 2001), (7001, 2002), (7001, 2003)",
        ],
        &[
            "CREATE FUNCTION note_edit() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN UPDATE repository SET description = NEW.body WHERE id = NEW.repository_id; RETURN NULL; END $$; CREATE TRIGGER note_edits AFTER UPDATE ON review_comment FOR EACH ROW EXECUTE FUNCTION note_edit()",
            r#"PATCH alice-classic /repos/acme/widgets/pulls/comments/5001 {"body":"Noted"}"#,
            "UPDATE review_comment SET body = 'Noted by hand' WHERE id = 5001",
            "DROP FUNCTION note_edit() CASCADE",
        ],
    ],
];
