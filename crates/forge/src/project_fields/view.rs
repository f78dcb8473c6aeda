//! Views of project fields. A field that represents an issue field shows that field's name, type
//! and options.

use crate::projects::showing::{iteration, options};
use crate::projects::{FieldContent, FieldWithContent};
use crate::urls::Urls;
use contract::project_fields::{IterationConfiguration, ProjectField, ProjectFieldType};
use contract::values::{Day, Timestamp};
use storage::entities::{account, project, project_field};

/// The context of field views.
pub struct FieldView<'a> {
    pub urls: Urls,
    pub owner: &'a account::Model,
    pub project: &'a project::Model,
    /// Decides which iterations are completed.
    pub today: Day,
}

impl FieldView<'_> {
    pub fn field(&self, row: FieldWithContent) -> ProjectField {
        let data_type = row.data_type();
        let (node_id, name) = (row.node_id(self.project), row.name().to_owned());
        let FieldWithContent { field, content } = row;
        let changed = match &content {
            FieldContent::Own { .. } => field.updated_at,
            FieldContent::Issue { field: source, .. } => source.updated_at.max(field.updated_at),
        };
        ProjectField {
            id: field.id,
            node_id,
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
        content: &FieldContent,
    ) -> Option<IterationConfiguration> {
        let FieldContent::Own { iterations, .. } = content else {
            return None;
        };
        let (duration, start_day) = (field.iteration_duration?, field.iteration_start_day?);
        let iterations = iterations.iter();
        Some(IterationConfiguration {
            duration,
            start_day,
            iterations: iterations
                .filter_map(|row| iteration(row, self.today))
                .collect(),
        })
    }
}
