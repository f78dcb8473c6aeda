//! Parts of project fields as clients see them, in lists of fields and as values of items.

use super::iteration::is_completed;
use super::{Content, Whole};
use crate::contract::project_fields::{
    Iteration, ProjectFieldOption, ProjectFieldType, ProjectOptionColor, RichText,
};
use crate::contract::values::Day;
use crate::entities::issue_field::DataType as IssueDataType;
use crate::entities::issue_field_option::Color as IssueColor;
use crate::entities::project_field::DataType;
use crate::entities::project_field_option::Color;
use crate::entities::{issue_field_option, project, project_field_iteration, project_field_option};
use crate::{markup, node_id};

impl Whole {
    /// What the field holds.
    pub fn data_type(&self) -> ProjectFieldType {
        match (&self.content, self.field.data_type) {
            (Content::Issue { field, .. }, _) => of_issue_field(field.data_type),
            (Content::Own { .. }, own) => own.map_or(ProjectFieldType::Text, of_own_field),
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

/// None only for a date that no rule would have let in.
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

/// The rules let no multi select field into a project.
fn of_issue_field(data_type: IssueDataType) -> ProjectFieldType {
    match data_type {
        IssueDataType::Text => ProjectFieldType::Text,
        IssueDataType::Date => ProjectFieldType::Date,
        IssueDataType::Number => ProjectFieldType::Number,
        IssueDataType::SingleSelect | IssueDataType::MultiSelect => ProjectFieldType::SingleSelect,
    }
}

fn of_own_field(data_type: DataType) -> ProjectFieldType {
    match data_type {
        DataType::Assignees => ProjectFieldType::Assignees,
        DataType::LinkedPullRequests => ProjectFieldType::LinkedPullRequests,
        DataType::Reviewers => ProjectFieldType::Reviewers,
        DataType::Labels => ProjectFieldType::Labels,
        DataType::Milestone => ProjectFieldType::Milestone,
        DataType::Repository => ProjectFieldType::Repository,
        DataType::Title => ProjectFieldType::Title,
        DataType::IssueType => ProjectFieldType::IssueType,
        DataType::ParentIssue => ProjectFieldType::ParentIssue,
        DataType::SubIssuesProgress => ProjectFieldType::SubIssuesProgress,
        DataType::Text => ProjectFieldType::Text,
        DataType::SingleSelect => ProjectFieldType::SingleSelect,
        DataType::Number => ProjectFieldType::Number,
        DataType::Date => ProjectFieldType::Date,
        DataType::Iteration => ProjectFieldType::Iteration,
    }
}

/// The choices of a single select field.
pub fn options(content: &Content) -> Vec<ProjectFieldOption> {
    match content {
        Content::Own { options, .. } => options.iter().map(own_option).collect(),
        Content::Issue { options, .. } => options.iter().map(issue_option).collect(),
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

/// The number of an issue field's option, in the form that ids of project
/// options have.
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

fn own_color(color: Color) -> ProjectOptionColor {
    match color {
        Color::Blue => ProjectOptionColor::Blue,
        Color::Gray => ProjectOptionColor::Gray,
        Color::Green => ProjectOptionColor::Green,
        Color::Orange => ProjectOptionColor::Orange,
        Color::Pink => ProjectOptionColor::Pink,
        Color::Purple => ProjectOptionColor::Purple,
        Color::Red => ProjectOptionColor::Red,
        Color::Yellow => ProjectOptionColor::Yellow,
    }
}

fn issue_color(color: IssueColor) -> ProjectOptionColor {
    match color {
        IssueColor::Gray => ProjectOptionColor::Gray,
        IssueColor::Blue => ProjectOptionColor::Blue,
        IssueColor::Green => ProjectOptionColor::Green,
        IssueColor::Yellow => ProjectOptionColor::Yellow,
        IssueColor::Orange => ProjectOptionColor::Orange,
        IssueColor::Red => ProjectOptionColor::Red,
        IssueColor::Pink => ProjectOptionColor::Pink,
        IssueColor::Purple => ProjectOptionColor::Purple,
    }
}
