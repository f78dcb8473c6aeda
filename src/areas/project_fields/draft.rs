//! Project fields that have passed the rules and are not stored yet. Plain
//! values, in the words of the tables.

use crate::contract::project_fields::AddedFieldType;
use crate::contract::values::Day;
use crate::entities::project_field_option::ProjectFieldOptionColor;

/// A field to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewProjectField {
    FromIssueField(MirroredIssueField),
    Own(OwnField),
}

/// A field that stands for an issue field, which is what the caller says it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MirroredIssueField {
    pub id: i64,
    /// The name that the issue field must have.
    pub name: Option<String>,
    /// The data type that the issue field must have.
    pub data_type: Option<AddedFieldType>,
}

/// A field of the project's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnField {
    pub name: String,
    pub form: FieldSettings,
}

/// What a field holds, with what it needs for that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldSettings {
    Text,
    Number,
    Date,
    /// In the order to show.
    SingleSelect(Vec<NewProjectFieldOption>),
    Iteration {
        /// Days.
        duration: i64,
        /// 1 is Monday, 7 is Sunday.
        start_day: i64,
        /// By start date.
        iterations: Vec<NewIteration>,
    },
}

impl FieldSettings {
    /// How many options or iterations there are, each of which needs an id.
    pub fn parts(&self) -> usize {
        match self {
            Self::Text | Self::Number | Self::Date => 0,
            Self::SingleSelect(options) => options.len(),
            Self::Iteration { iterations, .. } => iterations.len(),
        }
    }
}

/// An option to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewProjectFieldOption {
    pub name: String,
    pub color: ProjectFieldOptionColor,
    pub description: String,
}

/// An iteration to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewIteration {
    pub title: String,
    pub start_date: Day,
    /// Days.
    pub duration: i64,
}

/// What a new row is given from outside.
#[derive(Debug, Clone, Copy)]
pub struct NewProjectFieldRow {
    /// A world file may fix the id; otherwise the database assigns it.
    pub id: Option<i64>,
    pub created_at: i64,
}

/// What a name is compared by: neither case nor the space around it counts.
pub fn name_key(name: &str) -> String {
    name.trim().to_lowercase()
}
