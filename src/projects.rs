//! What the areas of projects share: fields with all that they show, values on their way
//! out, and lists that are walked by signed cursors.

pub mod cursor;
pub mod iteration;
pub mod pages;
mod secret;
pub mod showing;
pub mod store;
mod whole;

use crate::entities::{
    issue_field, issue_field_option, project_field, project_field_iteration, project_field_option,
};

/// A field with all the rows that it shows.
#[derive(Debug, Clone)]
pub struct Whole {
    pub field: project_field::Model,
    pub content: FieldContent,
}

/// What a field shows beside its own row.
#[derive(Debug, Clone)]
pub enum FieldContent {
    /// The project's own field.
    Own {
        options: Vec<project_field_option::Model>,
        iterations: Vec<project_field_iteration::Model>,
    },
    /// A field that stands for an issue field.
    Issue {
        field: issue_field::Model,
        options: Vec<issue_field_option::Model>,
    },
}

impl Whole {
    /// The name that is shown.
    pub fn name(&self) -> &str {
        match &self.content {
            FieldContent::Own { .. } => self.field.name.as_deref().unwrap_or_default(),
            FieldContent::Issue { field, .. } => &field.name,
        }
    }
}
