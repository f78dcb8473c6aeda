//! Issue fields that have passed the rules and are not stored yet: what is to be
//! made, and what is to be changed. Plain values, in the words of the tables.

use crate::entities::issue_field::{FieldVisibility, IssueFieldDataType};
use crate::entities::issue_field_option::{self, IssueFieldOptionColor};

/// A field to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewIssueField {
    pub name: String,
    pub description: Option<String>,
    pub data_type: IssueFieldDataType,
    pub visibility: FieldVisibility,
    /// In the order in which they were written; empty unless it is a select field.
    pub options: Vec<NewIssueFieldOption>,
}

/// An option to make, or what an option is to become.
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

/// What a new row is given from outside.
#[derive(Debug, Clone, Copy)]
pub struct NewIssueFieldRow {
    /// A world file may fix the id; otherwise the database assigns it.
    pub id: Option<i64>,
    pub created_at: i64,
}

/// What an update changes; what is none or empty stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IssueFieldUpdate {
    pub name: Option<String>,
    /// The new description, which may be none.
    pub description: Option<Option<String>>,
    pub visibility: Option<FieldVisibility>,
    /// Ids of the options that go.
    pub removed: Vec<i64>,
    pub changed: Vec<(i64, NewIssueFieldOption)>,
    pub added: Vec<NewIssueFieldOption>,
}

impl IssueFieldUpdate {
    /// Whether everything is already as it was asked to be.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What a name is compared by: neither case nor the space around it counts.
pub fn name_key(name: &str) -> String {
    name.trim().to_lowercase()
}
