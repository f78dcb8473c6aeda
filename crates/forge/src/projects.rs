//! Shared parts of project fields and items: fields with all their rows, values in views, and lists with
//! signed cursors.

pub mod cursor;
pub mod iteration;
mod loading;
pub mod pages;
pub mod rows;
mod secret;
pub mod showing;

use storage::entities::{
    issue_field, issue_field_option, project_field, project_field_iteration, project_field_option,
};

/// A field with all the rows of its view.
#[derive(Debug, Clone)]
pub struct FieldWithContent {
    pub field: project_field::Model,
    pub content: FieldContent,
}

/// The rows of a field's view besides its own.
#[derive(Debug, Clone)]
pub enum FieldContent {
    /// The project's own field.
    Own {
        options: Vec<project_field_option::Model>,
        iterations: Vec<project_field_iteration::Model>,
    },
    /// A field that represents an issue field.
    Issue {
        field: issue_field::Model,
        options: Vec<issue_field_option::Model>,
    },
}

impl FieldWithContent {
    /// The displayed name.
    pub fn name(&self) -> &str {
        match &self.content {
            FieldContent::Own { .. } => self.field.name.as_deref().unwrap_or_default(),
            FieldContent::Issue { field, .. } => &field.name,
        }
    }
}
