//! Query conditions for the repositories that an installation or a user can access.

use sea_orm::sea_query::SimpleExpr;
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect, QueryTrait};

use super::has_scope;
use contract::caller::{Caller, Reach};
use storage::entities::collaborator::Permission;
use storage::entities::repository::Visibility;
use storage::entities::{
    collaborator, installation, installation_repository, repository, token_repository,
};

/// The repositories of an installation on which the user of a token has explicit permission, as
/// far as the token shows them; `account_role` is the user's role in every repository of the
/// account.
pub(super) fn reached_by(
    caller: &Caller,
    user: i64,
    installation: &installation::Model,
    account_role: Permission,
) -> Condition {
    let installed = installed_on(installation);
    let explicit = match account_role {
        Permission::None => installed.add(collaborated_on(user)),
        _ => installed,
    };
    let public = repository::COLUMN.visibility.eq(Visibility::Public);
    match caller {
        Caller::Classic { scopes, .. } | Caller::OAuth { scopes, .. }
            if !has_scope(scopes, &["repo"]) =>
        {
            explicit.add(public)
        }
        Caller::FineGrained {
            reach: Reach::Public,
            ..
        } => explicit.add(public),
        Caller::FineGrained {
            reach: Reach::Selected(_),
            token,
            ..
        } => explicit.add(Condition::any().add(public).add(selected_for(*token))),
        _ => explicit,
    }
}

/// The repositories that are selected for a token.
pub fn selected_for(token: i64) -> SimpleExpr {
    let selected = token_repository::Entity::find()
        .select_only()
        .column(token_repository::Column::RepositoryId)
        .filter(token_repository::COLUMN.token_id.eq(token))
        .into_query();
    repository::Column::Id.in_subquery(selected)
}

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
fn collaborated_on(user: i64) -> Condition {
    let collaborating = collaborator::Entity::find()
        .select_only()
        .column(collaborator::Column::RepositoryId)
        .filter(collaborator::COLUMN.user_id.eq(user))
        .into_query();
    Condition::all().add(repository::Column::Id.in_subquery(collaborating))
}
