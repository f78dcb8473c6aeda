//! Parts of project fields as clients see them, in lists of fields and as values of items.

use super::iteration::is_completed;
use super::{FieldContent, FieldWithContent};
use crate::{markup, node_id};
use contract::project_fields::{
    Iteration, ProjectFieldOption, ProjectFieldType, ProjectOptionColor, RichText,
};
use contract::values::Day;
use storage::entities::issue_field::IssueFieldDataType;
use storage::entities::issue_field_option::IssueFieldOptionColor;
use storage::entities::project_field::ProjectFieldDataType;
use storage::entities::project_field_option::ProjectFieldOptionColor;
use storage::entities::{
    issue_field_option, project, project_field_iteration, project_field_option,
};

impl FieldWithContent {
    /// The type of the field's values.
    pub fn data_type(&self) -> ProjectFieldType {
        match (&self.content, self.field.data_type) {
            (FieldContent::Issue { field, .. }, _) => of_issue_field(field.data_type),
            (FieldContent::Own { .. }, own) => own.map_or(ProjectFieldType::Text, of_own_field),
        }
    }

    /// The global identifier.
    pub fn node_id(&self, project: &project::Model) -> String {
        let prefix = match self.data_type() {
            ProjectFieldType::SingleSelect => "PVTSSF",
            ProjectFieldType::Iteration => "PVTIF",
            _ => "PVTF",
        };
        node_id::project_field(prefix, project.owner_id, project.id, self.field.id)
    }
}

/// None only for an invalid date, which the rules prevent.
pub fn iteration(row: &project_field_iteration::Model, today: Day) -> Option<Iteration> {
    let start_date = Day::parse(&row.start_date)?;
    Some(Iteration {
        id: row.iteration_key.clone(),
        title: rich(&row.title),
        start_date,
        duration: row.duration,
        completed: is_completed(start_date, row.duration, today),
    })
}

/// Projects cannot have multi select fields.
fn of_issue_field(data_type: IssueFieldDataType) -> ProjectFieldType {
    match data_type {
        IssueFieldDataType::Text => ProjectFieldType::Text,
        IssueFieldDataType::Date => ProjectFieldType::Date,
        IssueFieldDataType::Number => ProjectFieldType::Number,
        IssueFieldDataType::SingleSelect | IssueFieldDataType::MultiSelect => {
            ProjectFieldType::SingleSelect
        }
    }
}

fn of_own_field(data_type: ProjectFieldDataType) -> ProjectFieldType {
    match data_type {
        ProjectFieldDataType::Assignees => ProjectFieldType::Assignees,
        ProjectFieldDataType::LinkedPullRequests => ProjectFieldType::LinkedPullRequests,
        ProjectFieldDataType::Reviewers => ProjectFieldType::Reviewers,
        ProjectFieldDataType::Labels => ProjectFieldType::Labels,
        ProjectFieldDataType::Milestone => ProjectFieldType::Milestone,
        ProjectFieldDataType::Repository => ProjectFieldType::Repository,
        ProjectFieldDataType::Title => ProjectFieldType::Title,
        ProjectFieldDataType::IssueType => ProjectFieldType::IssueType,
        ProjectFieldDataType::ParentIssue => ProjectFieldType::ParentIssue,
        ProjectFieldDataType::SubIssuesProgress => ProjectFieldType::SubIssuesProgress,
        ProjectFieldDataType::Text => ProjectFieldType::Text,
        ProjectFieldDataType::SingleSelect => ProjectFieldType::SingleSelect,
        ProjectFieldDataType::Number => ProjectFieldType::Number,
        ProjectFieldDataType::Date => ProjectFieldType::Date,
        ProjectFieldDataType::Iteration => ProjectFieldType::Iteration,
    }
}

/// The choices of a single select field.
pub fn options(content: &FieldContent) -> Vec<ProjectFieldOption> {
    match content {
        FieldContent::Own { options, .. } => options.iter().map(own_option).collect(),
        FieldContent::Issue { options, .. } => options.iter().map(issue_option).collect(),
    }
}

pub fn own_option(row: &project_field_option::Model) -> ProjectFieldOption {
    ProjectFieldOption {
        id: row.option_key.clone(),
        name: rich(&row.name),
        color: own_color(row.color),
        description: rich(&row.description),
    }
}

/// The number of an issue field's option, in the format of project
/// option ids.
pub fn issue_option_key(row: &issue_field_option::Model) -> String {
    format!("{:08x}", row.id)
}

pub fn issue_option(row: &issue_field_option::Model) -> ProjectFieldOption {
    ProjectFieldOption {
        id: issue_option_key(row),
        name: rich(&row.name),
        color: issue_color(row.color),
        description: rich(row.description.as_deref().unwrap_or_default()),
    }
}

/// A line of text, rendered and as it was written.
pub fn rich(text: &str) -> RichText {
    RichText {
        html: markup::inline(text),
        raw: text.to_owned(),
    }
}

fn own_color(color: ProjectFieldOptionColor) -> ProjectOptionColor {
    match color {
        ProjectFieldOptionColor::Blue => ProjectOptionColor::Blue,
        ProjectFieldOptionColor::Gray => ProjectOptionColor::Gray,
        ProjectFieldOptionColor::Green => ProjectOptionColor::Green,
        ProjectFieldOptionColor::Orange => ProjectOptionColor::Orange,
        ProjectFieldOptionColor::Pink => ProjectOptionColor::Pink,
        ProjectFieldOptionColor::Purple => ProjectOptionColor::Purple,
        ProjectFieldOptionColor::Red => ProjectOptionColor::Red,
        ProjectFieldOptionColor::Yellow => ProjectOptionColor::Yellow,
    }
}

fn issue_color(color: IssueFieldOptionColor) -> ProjectOptionColor {
    match color {
        IssueFieldOptionColor::Gray => ProjectOptionColor::Gray,
        IssueFieldOptionColor::Blue => ProjectOptionColor::Blue,
        IssueFieldOptionColor::Green => ProjectOptionColor::Green,
        IssueFieldOptionColor::Yellow => ProjectOptionColor::Yellow,
        IssueFieldOptionColor::Orange => ProjectOptionColor::Orange,
        IssueFieldOptionColor::Red => ProjectOptionColor::Red,
        IssueFieldOptionColor::Pink => ProjectOptionColor::Pink,
        IssueFieldOptionColor::Purple => ProjectOptionColor::Purple,
    }
}
