//! Project fields that are validated but not stored yet. Plain values, in the types of the
//! tables.

use contract::project_fields::AddedFieldType;
use contract::values::Day;
use storage::entities::project_field_option::ProjectFieldOptionColor;

/// A field to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewProjectField {
    FromIssueField(MirroredIssueField),
    Own(OwnField),
}

/// A field that represents an issue field, with the properties that the caller expects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MirroredIssueField {
    pub id: i64,
    /// The expected name of the issue field.
    pub name: Option<String>,
    /// The expected data type of the issue field.
    pub data_type: Option<AddedFieldType>,
    /// The expected options of the issue field, in its order.
    pub options: Option<Vec<NewProjectFieldOption>>,
}

/// A field of the project's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnField {
    pub name: String,
    pub form: FieldSettings,
}

/// The data type of a field, with its settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldSettings {
    Text,
    Number,
    Date,
    /// In display order.
    SingleSelect(Vec<NewProjectFieldOption>),
    Iteration {
        /// In days.
        duration: i64,
        /// 1 is Monday, 7 is Sunday.
        start_day: i64,
        /// By start date.
        iterations: Vec<NewIteration>,
    },
}

impl FieldSettings {
    /// The number of options or iterations, each of which needs an id.
    pub fn parts(&self) -> usize {
        match self {
            Self::Text | Self::Number | Self::Date => 0,
            Self::SingleSelect(options) => options.len(),
            Self::Iteration { iterations, .. } => iterations.len(),
        }
    }
}

/// An option to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewProjectFieldOption {
    pub name: String,
    pub color: ProjectFieldOptionColor,
    pub description: String,
}

/// An iteration to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewIteration {
    pub title: String,
    pub start_date: Day,
    /// Days.
    pub duration: i64,
}

/// The id and the creation time of a new row.
#[derive(Debug, Clone, Copy)]
pub struct NewProjectFieldRow {
    /// A world file may fix the id; otherwise the database assigns it.
    pub id: Option<i64>,
    pub created_at: i64,
}

/// The comparison key of a name: ignores case and surrounding whitespace.
pub fn name_key(name: &str) -> String {
    name.trim().to_lowercase()
}
