//! Changes through SQL: every table that affects a response or a permission. Some statements move
//! rows from one owner to another or swap names.

use super::changes::Change;

pub const ACCOUNTS: [Change; 16] = [
    &[
        "UPDATE account SET login = 'Alicia', login_key = 'alicia' WHERE id = 1001",
        "UPDATE account SET login = 'alice', login_key = 'alice' WHERE id = 1001",
    ],
    &[
        "UPDATE account SET login = 'x', login_key = 'x' WHERE id = 1001; UPDATE account SET login = 'alice', login_key = 'alice' WHERE id = 1002; UPDATE account SET login = 'bob', login_key = 'bob' WHERE id = 1001",
        "UPDATE account SET login = 'x', login_key = 'x' WHERE id = 1001; UPDATE account SET login = 'bob', login_key = 'bob' WHERE id = 1002; UPDATE account SET login = 'alice', login_key = 'alice' WHERE id = 1001",
    ],
    &[
        "UPDATE account SET name = 'Bob', site_admin = TRUE WHERE id = 1002",
        "UPDATE account SET name = NULL, site_admin = FALSE WHERE id = 1002",
    ],
    &[
        "UPDATE account SET base_permission = 'none' WHERE id = 1004",
        "UPDATE account SET base_permission = 'read' WHERE id = 1004",
    ],
    &["DELETE FROM account WHERE id = 1006", "load base.yaml"],
    &[
        "INSERT INTO account (id, login, login_key, kind, created_at, updated_at) VALUES (1041, 'erin', 'erin', 'User', 1, 1)",
        "UPDATE account SET id = 1042 WHERE id = 1041",
        "DELETE FROM account WHERE id = 1042",
    ],
    &[
        "DELETE FROM membership WHERE organization_id = 1004 AND user_id = 1002",
        "INSERT INTO membership (organization_id, user_id, role) VALUES (1004, 1002, 'member')",
    ],
    &[
        "UPDATE membership SET role = 'member' WHERE organization_id = 1004 AND user_id = 1001",
        "UPDATE membership SET role = 'admin' WHERE organization_id = 1004 AND user_id = 1001",
    ],
    &[
        "UPDATE membership SET organization_id = 1005 WHERE organization_id = 1004 AND user_id = 1006",
        "UPDATE membership SET organization_id = 1004 WHERE organization_id = 1005 AND user_id = 1006",
    ],
    &["{truncate} membership", "load base.yaml"],
    &[
        "UPDATE token SET revoked_at = 1 WHERE id = 9003",
        "UPDATE token SET revoked_at = NULL WHERE id = 9003",
    ],
    &[
        r#"UPDATE token SET permissions = '{"metadata":"read"}' WHERE id = 9005"#,
        r#"UPDATE token SET permissions = '{"pull_requests":"read","contents":"read","issue_fields":"read","organization_projects":"read","metadata":"read"}' WHERE id = 9005"#,
    ],
    &[
        "UPDATE token SET scopes = '[]' WHERE id = 9001",
        r#"UPDATE token SET scopes = '["repo","admin:org","project","workflow"]' WHERE id = 9001"#,
    ],
    &[
        "UPDATE token SET user_id = 1003 WHERE id = 9006",
        "UPDATE token SET user_id = 1002 WHERE id = 9006",
    ],
    &["DELETE FROM token WHERE id = 9006", "load base.yaml"],
    &[
        "DELETE FROM token_repository WHERE token_id = 9005 AND repository_id = 2001",
        "INSERT INTO token_repository (token_id, repository_id) VALUES (9005, 2001)",
    ],
];

pub const REPOSITORIES: [Change; 19] = [
    &[
        "UPDATE repository SET name = 'renamed', name_key = 'renamed' WHERE id = 2001",
        "UPDATE repository SET name = 'widgets', name_key = 'widgets' WHERE id = 2001",
    ],
    &[
        "UPDATE repository SET name = 'x', name_key = 'x' WHERE id = 2001; UPDATE repository SET name = 'widgets', name_key = 'widgets' WHERE id = 2002; UPDATE repository SET name = 'gadgets', name_key = 'gadgets' WHERE id = 2001",
        "UPDATE repository SET name = 'x', name_key = 'x' WHERE id = 2001; UPDATE repository SET name = 'gadgets', name_key = 'gadgets' WHERE id = 2002; UPDATE repository SET name = 'widgets', name_key = 'widgets' WHERE id = 2001",
    ],
    &[
        "UPDATE repository SET visibility = 'public' WHERE id = 2001",
        "UPDATE repository SET visibility = 'private' WHERE id = 2001",
    ],
    &[
        "UPDATE repository SET archived = NOT archived, description = 'Old' WHERE id = 2001",
        "UPDATE repository SET archived = NOT archived, description = NULL WHERE id = 2001",
    ],
    &[
        "UPDATE repository SET template_repository_id = 2002 WHERE id = 2001",
        "UPDATE repository SET description = 'A template' WHERE id = 2002",
        "UPDATE repository SET template_repository_id = NULL WHERE id = 2001",
    ],
    &[
        "UPDATE repository SET owner_id = 1005 WHERE id = 2001",
        "UPDATE repository SET owner_id = 1004 WHERE id = 2001",
    ],
    &["DELETE FROM repository WHERE id = 2003", "load base.yaml"],
    &[
        "INSERT INTO repository (id, owner_id, name, name_key, visibility, default_branch, created_at, updated_at) VALUES (2009, 1001, 'extra', 'extra', 'private', 'main', 1, 1)",
        "DELETE FROM repository WHERE id = 2009",
    ],
    &[
        "DELETE FROM collaborator WHERE repository_id = 2001 AND user_id = 1003",
        "INSERT INTO collaborator (repository_id, user_id, permission) VALUES (2001, 1003, 'write')",
    ],
    &[
        "UPDATE collaborator SET repository_id = 2003 WHERE repository_id = 2001 AND user_id = 1003",
        "UPDATE collaborator SET repository_id = 2001 WHERE repository_id = 2003 AND user_id = 1003",
    ],
    &["{truncate} collaborator", "load base.yaml"],
    &[
        "INSERT INTO git_ref (repository_id, name, sha, kind, updated_at) VALUES (2001, 'refs/heads/made', '{main}', 'commit', 1)",
        "UPDATE git_ref SET sha = '{topic}' WHERE repository_id = 2001 AND name = 'refs/heads/made'",
        "UPDATE git_ref SET repository_id = 2002 WHERE repository_id = 2001 AND name = 'refs/heads/made'",
        "DELETE FROM git_ref WHERE name = 'refs/heads/made'",
    ],
    &[
        "UPDATE pull SET title = 'Use two digits', state = 'closed', closed_at = 1, locked = TRUE WHERE id = 8001",
        "UPDATE pull SET title = 'Use a digit', state = 'open', closed_at = NULL, locked = FALSE WHERE id = 8001",
    ],
    &[
        "DELETE FROM membership WHERE user_id = 1006; DELETE FROM collaborator WHERE user_id = 1006",
        "UPDATE pull SET author_id = 1006, state = 'merged', merged_at = 1, closed_at = 1 WHERE id = 8001",
        "UPDATE pull SET author_id = 1001 WHERE id = 8001",
        "UPDATE pull SET state = 'open', merged_at = NULL, closed_at = NULL WHERE id = 8001",
        "load base.yaml",
    ],
    &[
        "UPDATE pull SET number = 9 WHERE id = 8001",
        "UPDATE pull SET number = 1 WHERE id = 8001",
    ],
    &[
        "UPDATE review_comment SET body = 'Hm', body_html = '<p>Hm</p>', body_text = 'Hm', updated_at = updated_at + 1 WHERE id = 5001",
        "UPDATE review_comment SET author_id = 1002 WHERE id = 5001",
        "UPDATE review_comment SET author_id = 1001 WHERE id = 5001",
    ],
    &[
        "DELETE FROM review_comment WHERE id = 5003",
        "load base.yaml",
    ],
    &[
        "DELETE FROM review WHERE id = (SELECT review_id FROM review_comment WHERE id = 5001)",
        "load base.yaml",
    ],
    &["DELETE FROM pull WHERE id = 8002", "load base.yaml"],
];

pub const FIELDS: [Change; 12] = [
    &[
        "UPDATE issue_field SET name = 'Urgency', name_key = 'urgency', visibility = 'organization_members_only' WHERE id = 4001",
        "UPDATE issue_field SET name = 'Priority', name_key = 'priority', visibility = 'all' WHERE id = 4001",
    ],
    &[
        "INSERT INTO issue_field (id, organization_id, name, name_key, data_type, visibility, created_at, updated_at) VALUES (4009, 1005, 'Extra', 'extra', 'text', 'all', 1, 1)",
        "UPDATE issue_field SET organization_id = 1004 WHERE id = 4009",
        "DELETE FROM issue_field WHERE id = 4009",
    ],
    &["DELETE FROM issue_field WHERE id = 4001", "load base.yaml"],
    &[
        "UPDATE issue_field_option SET color = 'pink' WHERE field_id = 4001 AND name = 'High'",
        "INSERT INTO issue_field_option (field_id, name, name_key, color, priority, created_at, updated_at) VALUES (4001, 'Extra', 'extra', 'blue', 3, 1, 1)",
        "DELETE FROM issue_field_option WHERE name = 'Extra'",
    ],
    &[
        "UPDATE project SET visibility = 'public' WHERE id = 3001",
        "UPDATE project SET visibility = 'private' WHERE id = 3001",
    ],
    &[
        "UPDATE project SET number = 5 WHERE id = 3001",
        "UPDATE project SET number = 1 WHERE id = 3001",
    ],
    &[
        "UPDATE project SET owner_id = 1005 WHERE id = 3001",
        "UPDATE project SET owner_id = 1004 WHERE id = 3001",
    ],
    &["DELETE FROM project WHERE id = 3002", "load base.yaml"],
    &[
        "UPDATE project_field SET name = 'Notes', name_key = 'notes' WHERE id = 6102",
        "UPDATE project_field SET project_id = 3002 WHERE id = 6102",
        "DELETE FROM project_field WHERE id = 6102",
        "load base.yaml",
    ],
    &[
        "UPDATE project_field_option SET color = 'PINK' WHERE field_id = 6101 AND name = 'Todo'",
        "INSERT INTO project_field_option (field_id, option_key, name, name_key, color, position) VALUES (6101, 'aaaaaaaa', 'Extra', 'extra', 'BLUE', 9)",
        "DELETE FROM project_field_option WHERE name = 'Extra'",
    ],
    &[
        "UPDATE project_field_iteration SET title = 'Sprint ' || id WHERE field_id = 6103",
        "INSERT INTO project_field_iteration (field_id, iteration_key, title, start_date, duration, position) VALUES (6103, 'bbbbbbbb', 'Extra', '2027-01-04', 14, 99)",
        "DELETE FROM project_field_iteration WHERE title = 'Extra'",
    ],
    &[
        "DELETE FROM project_field WHERE id = 6103",
        "load base.yaml",
    ],
];

pub const APPS: [Change; 7] = [
    &[
        "UPDATE app SET slug = 'builder', name = 'Builder' WHERE id = 6001",
        "UPDATE app SET slug = 'ci', name = 'CI' WHERE id = 6001",
    ],
    &[
        r#"UPDATE installation SET permissions = '{"metadata":"read"}' WHERE id = 7001"#,
        r#"UPDATE installation SET permissions = '{"contents":"write","pull_requests":"write","issue_fields":"read","organization_projects":"read","metadata":"read"}' WHERE id = 7001"#,
    ],
    &[
        "UPDATE installation SET suspended_at = 1, suspended_by_id = 1001 WHERE id = 7001",
        "UPDATE installation SET suspended_at = NULL, suspended_by_id = NULL WHERE id = 7001",
    ],
    &[
        "UPDATE installation SET repository_selection = 'all' WHERE id = 7001",
        "UPDATE installation SET repository_selection = 'selected' WHERE id = 7001",
    ],
    &[
        "UPDATE installation SET account_id = 1002 WHERE id = 7002",
        "UPDATE installation SET account_id = 1001 WHERE id = 7002",
    ],
    &["DELETE FROM installation WHERE id = 7002", "load base.yaml"],
    &[
        "DELETE FROM installation_repository WHERE installation_id = 7001 AND repository_id = 2003",
        "INSERT INTO installation_repository (installation_id, repository_id) VALUES (7001, 2003)",
    ],
];
