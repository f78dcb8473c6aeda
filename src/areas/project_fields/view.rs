//! Rows of project fields as clients see them. A field that stands for an issue
//! field shows that field's name, type and options.

use super::iteration::is_completed;
use super::{Content, Whole};
use crate::contract::project_fields::{
    Iteration, IterationConfiguration, ProjectField, ProjectFieldOption, ProjectFieldType,
    ProjectOptionColor, RichText,
};
use crate::contract::values::{Day, Timestamp};
use crate::entities::issue_field::DataType as IssueDataType;
use crate::entities::issue_field_option::Color as IssueColor;
use crate::entities::project_field::DataType;
use crate::entities::project_field_option::Color;
use crate::entities::{
    account, issue_field_option, project, project_field, project_field_iteration,
    project_field_option,
};
use crate::urls::Urls;
use crate::{markup, node_id};

/// What a field is shown on the ground of.
pub struct View<'a> {
    pub urls: Urls,
    pub owner: &'a account::Model,
    pub project: &'a project::Model,
    /// Decides which iterations are completed.
    pub today: Day,
}

impl View<'_> {
    pub fn field(&self, whole: Whole) -> ProjectField {
        let Whole { field, content } = whole;
        let data_type = data_type(&field, &content);
        let prefix = match data_type {
            ProjectFieldType::SingleSelect => "PVTSSF",
            ProjectFieldType::Iteration => "PVTIF",
            _ => "PVTF",
        };
        let (name, changed) = match &content {
            Content::Own { .. } => (field.name.clone().unwrap_or_default(), field.updated_at),
            Content::Issue { field: source, .. } => {
                (source.name.clone(), source.updated_at.max(field.updated_at))
            }
        };
        ProjectField {
            id: field.id,
            node_id: node_id::project_field(prefix, self.owner.id, self.project.id, field.id),
            name,
            data_type,
            project_url: self.urls.project(self.owner, self.project.number).into(),
            issue_field_id: field.issue_field_id,
            options: (data_type == ProjectFieldType::SingleSelect).then(|| options(&content)),
            configuration: self.configuration(&field, &content),
            created_at: Timestamp(field.created_at),
            updated_at: Timestamp(changed),
        }
    }

    fn configuration(
        &self,
        field: &project_field::Model,
        content: &Content,
    ) -> Option<IterationConfiguration> {
        let Content::Own { iterations, .. } = content else {
            return None;
        };
        let (duration, start_day) = (field.iteration_duration?, field.iteration_start_day?);
        let iterations = iterations.iter().filter_map(|row| self.iteration(row));
        Some(IterationConfiguration {
            duration,
            start_day,
            iterations: iterations.collect(),
        })
    }

    /// None only for a date that no rule would have let in.
    fn iteration(&self, row: &project_field_iteration::Model) -> Option<Iteration> {
        let start_date = Day::parse(&row.start_date)?;
        Some(Iteration {
            id: row.iteration_key.clone(),
            title: rich(&row.title),
            start_date,
            duration: row.duration,
            completed: is_completed(start_date, row.duration, self.today),
        })
    }
}

fn data_type(field: &project_field::Model, content: &Content) -> ProjectFieldType {
    match (content, field.data_type) {
        (Content::Issue { field, .. }, _) => of_issue_field(field.data_type),
        (Content::Own { .. }, own) => own.map_or(ProjectFieldType::Text, of_own_field),
    }
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

fn options(content: &Content) -> Vec<ProjectFieldOption> {
    match content {
        Content::Own { options, .. } => options.iter().map(own_option).collect(),
        Content::Issue { options, .. } => options.iter().map(issue_option).collect(),
    }
}

fn own_option(row: &project_field_option::Model) -> ProjectFieldOption {
    ProjectFieldOption {
        id: row.option_key.clone(),
        name: rich(&row.name),
        color: own_color(row.color),
        description: rich(&row.description),
    }
}

/// The number of an issue field's option, in the form that ids of project
/// options have.
fn issue_option(row: &issue_field_option::Model) -> ProjectFieldOption {
    ProjectFieldOption {
        id: format!("{:08x}", row.id),
        name: rich(&row.name),
        color: issue_color(row.color),
        description: rich(row.description.as_deref().unwrap_or_default()),
    }
}

fn rich(text: &str) -> RichText {
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
