//! The events `issues`, `issue_comment` and `label`.

use serde_json::{Map, Value, json};

use super::{value, webhook_user, with_changes};
use crate::events::{CommentAction, IssueAction, IssueChanges, LabelAction};
use contract::issue_comments::IssueComment;
use contract::reply::Outcome;

/// The fields of the event `issues` besides its action.
pub(super) fn event(action: &IssueAction, issue: &Value) -> Outcome<Value> {
    let mut fields = json!({"issue": webhook_issue(issue)});
    match action {
        IssueAction::Edited(changes) => fields["changes"] = edited(changes),
        IssueAction::Labeled(label) | IssueAction::Unlabeled(label) => {
            fields["label"] = label.clone();
        }
        IssueAction::Assigned(user) | IssueAction::Unassigned(user) => {
            fields["assignee"] = value(&webhook_user(user.clone()))?;
        }
        IssueAction::Opened
        | IssueAction::Closed
        | IssueAction::Reopened
        | IssueAction::Locked
        | IssueAction::Unlocked => {}
    }
    Ok(fields)
}

/// The fields of the event `issue_comment` besides its action.
pub(super) fn commented(
    action: &CommentAction,
    comment: &IssueComment,
    issue: &Value,
) -> Outcome<Value> {
    let mut comment = comment.clone();
    comment.user = comment.user.0.map(webhook_user).into();
    let fields = json!({"comment": value(&comment)?, "issue": webhook_issue(issue)});
    Ok(with_changes(action, fields))
}

fn edited(changes: &IssueChanges) -> Value {
    let changes = [("title", &changes.title), ("body", &changes.body)];
    before(&changes)
}

/// The fields of the event `label` besides its action.
pub(super) fn label(action: &LabelAction, label: &Value) -> Value {
    let mut fields = json!({"label": label});
    if let LabelAction::Edited {
        name,
        color,
        description,
    } = action
    {
        let changes = [
            ("name", name),
            ("color", color),
            ("description", description),
        ];
        fields["changes"] = before(&changes);
    }
    fields
}

/// The previous value of each changed field.
fn before(changes: &[(&str, &Option<String>)]) -> Value {
    let changed = changes.iter().filter_map(|(name, before)| {
        let before = before.as_ref()?;
        Some(((*name).to_owned(), json!({"from": before})))
    });
    Value::Object(Map::from_iter(changed))
}

/// The fields of an issue that payloads do not have.
const WITHOUT: [&str; 6] = [
    "closed_by",
    "issue_dependencies_summary",
    "issue_field_values",
    "pinned_comment",
    "sub_issues_summary",
    "type",
];

/// An issue with only the fields of webhooks.
pub(super) fn webhook_issue(issue: &Value) -> Value {
    let mut issue = issue.clone();
    let Value::Object(fields) = &mut issue else {
        return issue;
    };
    for name in WITHOUT {
        fields.remove(name);
    }
    let people = ["user", "assignee"].into_iter();
    for name in people {
        if let Some(user) = fields.get_mut(name).and_then(Value::as_object_mut) {
            user.remove("user_view_type");
        }
    }
    let assignees = fields.get_mut("assignees").and_then(Value::as_array_mut);
    for user in assignees.into_iter().flatten() {
        if let Some(user) = user.as_object_mut() {
            user.remove("user_view_type");
        }
    }
    issue
}
