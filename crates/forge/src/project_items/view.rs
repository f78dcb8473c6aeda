//! Views of items, with their content and values.

use serde_json::{Map, Value, json};

use super::TITLE;
use crate::issue_field_values::values::FieldValue;
use crate::node_id;
use crate::projects::showing::{issue_option, iteration, own_option, rich};
use crate::projects::{FieldContent, FieldWithContent};
use crate::urls::Urls;
use contract::problem::Problem;
use contract::project_fields::ProjectFieldType;
use contract::project_items::{
    DraftIssue, ItemContent, ItemContentType, ItemFieldValue, SimpleProjectItem,
};
use contract::reply::Outcome;
use contract::shared::user::User;
use contract::values::{AnyJson, Day, Timestamp};
use storage::entities::issue_field::{self, IssueFieldDataType};
use storage::entities::{
    account, issue, issue_field_option, project, project_item, project_item_value,
};

/// The context of item views.
pub struct ItemView<'a> {
    pub urls: Urls,
    pub owner: &'a account::Model,
    pub project: &'a project::Model,
    /// Decides which iterations are completed.
    pub today: Day,
}

/// The content of an item that the caller may read.
#[derive(Debug, Clone)]
pub struct VisibleContent {
    pub content: Map<String, Value>,
    /// None for a draft.
    pub issue: Option<issue::Model>,
    /// The repository of the issue, if it is requested.
    pub repository: Option<Value>,
}

/// The stored values of an item in a field, and of its issue.
#[derive(Debug, Clone, Copy, Default)]
pub struct StoredValues<'a> {
    pub own: Option<&'a project_item_value::Model>,
    pub issue: Option<&'a FieldValue>,
}

/// Serializes a value to a JSON object.
pub fn object(value: &impl serde::Serialize) -> Outcome<Map<String, Value>> {
    match serde_json::to_value(value).map_err(Problem::internal)? {
        Value::Object(fields) => Ok(fields),
        _ => Err(Problem::internal("the content of an item is no object")),
    }
}

/// The type of an item's content.
pub fn content_type(issue: Option<&issue::Model>) -> ItemContentType {
    match issue {
        None => ItemContentType::DraftIssue,
        Some(row) if row.pull_id.is_some() => ItemContentType::PullRequest,
        Some(_) => ItemContentType::Issue,
    }
}

impl ItemView<'_> {
    /// An item without the values of its fields, and without content.
    pub fn item(
        &self,
        row: &project_item::Model,
        issue: Option<&issue::Model>,
        creator: Option<User>,
    ) -> SimpleProjectItem {
        let project_url = self.urls.project(self.owner, self.project.number);
        SimpleProjectItem {
            id: row.id,
            node_id: node_id::project_item(self.owner.id, self.project.id, row.id),
            content: ItemContent::default(),
            content_type: content_type(issue),
            creator,
            created_at: Timestamp(row.created_at),
            updated_at: Timestamp(row.updated_at),
            archived_at: row.archived_at.map(Timestamp).into(),
            item_url: format!("{project_url}/items/{}", row.id).into(),
            project_url: project_url.into(),
        }
    }

    /// The draft issue of an item.
    pub fn draft(&self, row: &project_item::Model, user: Option<User>) -> Outcome<VisibleContent> {
        let draft = DraftIssue {
            id: row.id,
            node_id: node_id::draft_issue(self.owner.id, self.project.id, row.id),
            title: row.draft_title.clone().unwrap_or_default(),
            body: row.draft_body.clone(),
            user,
            created_at: Timestamp(row.created_at),
            updated_at: Timestamp(row.updated_at),
        };
        Ok(VisibleContent {
            content: object(&draft)?,
            issue: None,
            repository: None,
        })
    }

    /// The title, as the field that every item has.
    pub fn title(&self, content: &VisibleContent) -> ItemFieldValue {
        ItemFieldValue {
            id: TITLE,
            name: "Title".to_owned(),
            data_type: ProjectFieldType::Title,
            value: AnyJson(title(content)),
        }
    }

    /// The value of an item in a field.
    pub fn value(
        &self,
        field: &FieldWithContent,
        stored_values: StoredValues<'_>,
        visible: &VisibleContent,
    ) -> ItemFieldValue {
        let data_type = field.data_type();
        let of_content = |name: &str| visible.content.get(name).cloned();
        let none_of_many = || Some(json!([]));
        let value = match data_type {
            ProjectFieldType::Title => Some(title(visible)),
            ProjectFieldType::Assignees => of_content("assignees").or_else(none_of_many),
            ProjectFieldType::Labels => of_content("labels").or_else(none_of_many),
            ProjectFieldType::LinkedPullRequests => none_of_many(),
            ProjectFieldType::Reviewers => of_content("requested_reviewers").or_else(none_of_many),
            ProjectFieldType::Repository => visible.repository.clone(),
            ProjectFieldType::Milestone
            | ProjectFieldType::IssueType
            | ProjectFieldType::ParentIssue
            | ProjectFieldType::SubIssuesProgress => None,
            ProjectFieldType::Text
            | ProjectFieldType::SingleSelect
            | ProjectFieldType::Number
            | ProjectFieldType::Date
            | ProjectFieldType::Iteration => match &field.content {
                FieldContent::Own { .. } => {
                    stored_values.own.and_then(|stored| self.own(field, stored))
                }
                FieldContent::Issue {
                    field: source,
                    options,
                } => stored_values
                    .issue
                    .and_then(|value| of_issue(source, options, value)),
            },
        };
        ItemFieldValue {
            id: field.field.id,
            name: field.name().to_owned(),
            data_type,
            value: AnyJson(value.unwrap_or_default()),
        }
    }

    /// A value of one of the project's own fields.
    fn own(&self, field: &FieldWithContent, stored: &project_item_value::Model) -> Option<Value> {
        let FieldContent::Own {
            options,
            iterations,
        } = &field.content
        else {
            return None;
        };
        if let Some(text) = &stored.text_value {
            return Some(json!(rich(text)));
        }
        if let Some(value) = stored.number_value {
            return Some(number(value));
        }
        if let Some(day) = &stored.date_value {
            return Some(json!(day));
        }
        if let Some(id) = stored.option_id {
            let option = options.iter().find(|option| option.id == id)?;
            return serde_json::to_value(own_option(option)).ok();
        }
        let id = stored.iteration_id?;
        let row = iterations.iter().find(|row| row.id == id)?;
        serde_json::to_value(iteration(row, self.today)?).ok()
    }
}

/// The value of an issue in an issue field.
fn of_issue(
    field: &issue_field::Model,
    options: &[issue_field_option::Model],
    value: &FieldValue,
) -> Option<Value> {
    match (field.data_type, value) {
        (IssueFieldDataType::Number, FieldValue::Content(text)) => text.parse().ok().map(number),
        (IssueFieldDataType::Date, FieldValue::Content(text)) => Some(json!(text)),
        (_, FieldValue::Content(text)) => Some(json!(rich(text))),
        (_, FieldValue::Options(ids)) => {
            let chosen = options.iter().find(|option| ids.contains(&option.id))?;
            serde_json::to_value(issue_option(chosen)).ok()
        }
    }
}

/// A whole number without a fraction.
fn number(value: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value.fract() == 0.0 && value.abs() <= EXACT {
        true => json!(value as i64),
        false => json!(value),
    }
}

fn title(visible: &VisibleContent) -> Value {
    let text = visible.content.get("title").and_then(Value::as_str);
    let mut value = json!(rich(text.unwrap_or_default()));
    if let Some(issue) = &visible.issue {
        let of_content = |name: &str| visible.content.get(name).cloned().unwrap_or_default();
        value["number"] = json!(issue.number);
        value["url"] = of_content("html_url");
        value["issue_id"] = json!(issue.id);
        value["state"] = of_content("state");
        value["state_reason"] = of_content("state_reason");
        value["is_draft"] = json!(of_content("draft") == json!(true));
    }
    value
}
