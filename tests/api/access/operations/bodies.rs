//! The bodies of the operations that change something. `fixtures.rs` fills in the
//! `<placeholders>`.

const FIELD: &str = r#"{"name": "New <nth>", "data_type": "text"}"#;
const ITEM: &str =
    r#"{"type": "Issue", "owner": "acme", "repo": "gadgets", "number": <new_issue>}"#;
const DRAFT: &str = r#"{"title": "Draft <nth>"}"#;
const VALUE: &str = r#"{"fields": [{"id": <field_id>, "value": "Text <nth>"}]}"#;
const TEXT: &str = r#"{"body": "Text <nth>"}"#;
const LABELS: &str = r#"{"labels": ["bug", "cold"]}"#;
const PEOPLE: &str = r#"{"assignees": ["carol"]}"#;
const PRIORITY: &str = r#"{"issue_field_values": [{"field_id": 4001, "value": "High"}]}"#;
const HEART: &str = r#"{"content": "heart"}"#;
const MOVE: &str = r#"{"sha": "<sha>", "force": true}"#;

const BODIES: &[(&str, &str)] = &[
    ("add_org_project_field", FIELD),
    ("add_user_project_field", FIELD),
    ("add_org_project_item", ITEM),
    ("add_user_project_item", ITEM),
    ("create_org_project_draft", DRAFT),
    ("create_user_project_draft", DRAFT),
    ("update_org_project_item", VALUE),
    ("update_user_project_item", VALUE),
    ("create_issue_field", FIELD),
    ("update_issue_field", r#"{"name": "Renamed <nth>"}"#),
    ("create_issue", r#"{"title": "Broken <nth>"}"#),
    ("update_issue", r#"{"title": "Renamed <nth>"}"#),
    ("lock_issue", r#"{"lock_reason": "resolved"}"#),
    ("create_issue_comment", TEXT),
    ("update_issue_comment", TEXT),
    (
        "create_label",
        r#"{"name": "label <nth>", "color": "ff0000"}"#,
    ),
    ("update_label", r#"{"description": "Text <nth>"}"#),
    ("add_issue_labels", LABELS),
    ("set_issue_labels", LABELS),
    ("add_assignees", PEOPLE),
    ("remove_assignees", PEOPLE),
    ("add_issue_field_values", PRIORITY),
    ("set_issue_field_values", PRIORITY),
    ("create_issue_comment_reaction", HEART),
    ("create_review_comment_reaction", HEART),
    (
        "create_pull",
        r#"{"title": "Pull <nth>", "head": "<new_branch>", "base": "main"}"#,
    ),
    ("update_pull", r#"{"title": "Renamed <nth>"}"#),
    ("update_pull_branch", "{}"),
    ("merge_pull", "{}"),
    (
        "create_review",
        r#"{"event": "COMMENT", "body": "Text <nth>"}"#,
    ),
    (
        "submit_review",
        r#"{"event": "COMMENT", "body": "Text <nth>"}"#,
    ),
    ("update_review", TEXT),
    ("dismiss_review", r#"{"message": "Outdated <nth>"}"#),
    ("create_review_comment", "<new_comment>"),
    ("reply_to_review_comment", TEXT),
    ("update_review_comment", TEXT),
    (
        "create_ref",
        r#"{"ref": "refs/heads/new-<nth>", "sha": "<sha>"}"#,
    ),
    ("update_ref", MOVE),
    ("update_ref_alias", MOVE),
    ("create_blob", r#"{"content": "Text <nth>"}"#),
    (
        "create_tree",
        r#"{"tree": [{"path": "a.md", "mode": "100644", "type": "blob", "content": "<nth>"}]}"#,
    ),
    (
        "create_commit",
        r#"{"message": "Text <nth>", "tree": "<tree_sha>", "parents": ["<sha>"]}"#,
    ),
    (
        "create_tag",
        r#"{"tag": "<nth>", "message": "Text", "object": "<sha>", "type": "commit"}"#,
    ),
    (
        "create_or_update_file",
        r#"{"message": "Text <nth>", "content": "SGk=", "branch": "files"}"#,
    ),
    (
        "delete_file",
        r#"{"message": "Text <nth>", "sha": "<blob>", "branch": "files"}"#,
    ),
    (
        "create_commit_status",
        r#"{"state": "success", "context": "<nth>"}"#,
    ),
    (
        "create_check_run",
        r#"{"name": "lint <nth>", "head_sha": "<sha>"}"#,
    ),
    ("update_check_run", r#"{"name": "lint <nth>"}"#),
];

pub fn of(operation: &str) -> Option<&'static str> {
    let found = BODIES.iter().find(|(name, _)| *name == operation);
    found.map(|(_, body)| *body)
}
