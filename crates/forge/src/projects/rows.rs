//! The fields of a project that a caller may see.

use sea_orm::{ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter, QueryOrder, Select};

use super::FieldWithContent;
pub use super::loading::complete;
use storage::database::Connection;
use storage::entities::issue_field::FieldVisibility;
use storage::entities::{issue_field, issue_field_option, project, project_field, repository};

/// Selects the visible fields of one project.
#[derive(Debug, Clone, Copy)]
pub struct FieldScope {
    pub project: i64,
    /// Whether to omit fields that represent a members-only issue field.
    pub public: bool,
}

impl FieldScope {
    /// All visible fields of a project. `visibility` is the server's setting: whether public
    /// projects hide members-only issue fields.
    pub fn of(project: &project::Model, visibility: bool) -> Self {
        let public = project.visibility == repository::Visibility::Public;
        Self {
            project: project.id,
            public: public && visibility,
        }
    }

    /// The rows.
    pub fn fields(self) -> Select<project_field::Entity> {
        let fields =
            project_field::Entity::find().filter(project_field::COLUMN.project_id.eq(self.project));
        if !self.public {
            return fields;
        }
        let visible = Condition::any()
            .add(project_field::Column::IssueFieldId.is_null())
            .add(issue_field::Column::Visibility.eq(FieldVisibility::All));
        fields.left_join(issue_field::Entity).filter(visible)
    }
}

/// All fields, with the rows of their views. A project has few (`FIELDS_AT_MOST`).
pub async fn all(
    connection: &Connection,
    scope: FieldScope,
) -> Result<Vec<FieldWithContent>, DbErr> {
    let fields = scope.fields().order_by_asc(project_field::Column::Id);
    let fields = fields.all(connection).await?;
    complete(connection, fields).await
}

/// The options of some issue fields, field by field, by priority and then by age.
pub async fn issue_options(
    connection: &Connection,
    fields: impl IntoIterator<Item = i64>,
) -> Result<Vec<issue_field_option::Model>, DbErr> {
    issue_field_option::Entity::find()
        .filter(issue_field_option::Column::FieldId.is_in(fields))
        .order_by_asc(issue_field_option::Column::FieldId)
        .order_by_asc(issue_field_option::Column::Priority)
        .order_by_asc(issue_field_option::Column::Id)
        .all(connection)
        .await
}
