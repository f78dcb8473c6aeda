//! Query conditions for the repositories that an installation or a user can access.

use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect, QueryTrait};

use crate::entities::{collaborator, installation, installation_repository, repository};

/// The repositories that an installation can access.
pub fn installed_on(installation: &installation::Model) -> Condition {
    let owned = Condition::all().add(repository::COLUMN.owner_id.eq(installation.account_id));
    match installation.repository_selection {
        installation::RepositorySelection::All => owned,
        installation::RepositorySelection::Selected => {
            let of_this = installation_repository::COLUMN.installation_id;
            let selected = installation_repository::Entity::find()
                .select_only()
                .column(installation_repository::Column::RepositoryId)
                .filter(of_this.eq(installation.id))
                .into_query();
            owned.add(repository::Column::Id.in_subquery(selected))
        }
    }
}

/// The repositories on which a user collaborates.
pub fn collaborated_on(user: i64) -> Condition {
    let collaborating = collaborator::Entity::find()
        .select_only()
        .column(collaborator::Column::RepositoryId)
        .filter(collaborator::COLUMN.user_id.eq(user))
        .into_query();
    Condition::all().add(repository::Column::Id.in_subquery(collaborating))
}
