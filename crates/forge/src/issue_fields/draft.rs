//! Issue fields that are validated but not stored yet: new ones and updates. Plain values, in the
//! types of the tables.

use storage::entities::issue_field::{FieldVisibility, IssueFieldDataType};
use storage::entities::issue_field_option::{self, IssueFieldOptionColor};

/// A field to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewIssueField {
    pub name: String,
    pub description: Option<String>,
    pub data_type: IssueFieldDataType,
    pub visibility: FieldVisibility,
    /// In the order in which they were written; empty unless it is a select field.
    pub options: Vec<NewIssueFieldOption>,
}

/// An option to create, or the new state of an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewIssueFieldOption {
    pub name: String,
    pub description: Option<String>,
    pub color: IssueFieldOptionColor,
    pub priority: i64,
}

impl NewIssueFieldOption {
    /// Whether an option is already like this.
    pub fn describes(&self, option: &issue_field_option::Model) -> bool {
        self.name == option.name
            && self.description == option.description
            && self.color == option.color
            && self.priority == option.priority
    }
}

/// The id and the creation time of a new row.
#[derive(Debug, Clone, Copy)]
pub struct NewIssueFieldRow {
    /// A world file may fix the id; otherwise the database assigns it.
    pub id: Option<i64>,
    pub created_at: i64,
}

/// The changes of an update; None or empty leaves a part unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IssueFieldUpdate {
    pub name: Option<String>,
    /// The new description; `Some(None)` removes it.
    pub description: Option<Option<String>>,
    pub visibility: Option<FieldVisibility>,
    /// Ids of the options to delete.
    pub removed: Vec<i64>,
    pub changed: Vec<(i64, NewIssueFieldOption)>,
    pub added: Vec<NewIssueFieldOption>,
}

impl IssueFieldUpdate {
    /// Whether the update changes nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The comparison key of a name: ignores case and surrounding whitespace.
pub fn name_key(name: &str) -> String {
    name.trim().to_lowercase()
}
