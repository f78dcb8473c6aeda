//! Which of many users may read a repository, for notifications. What a caller may do is
//! decided in `repositories.rs`.

use std::collections::BTreeSet;

use sea_orm::{ConnectionTrait, DbErr, EntityTrait, QueryFilter};

use crate::entities::collaborator::Permission;
use crate::entities::repository::Visibility;
use crate::entities::{account, collaborator, membership, repository};

/// Those of the users who may read the repository. At most two queries, however
/// many they are.
pub async fn readers(
    connection: &impl ConnectionTrait,
    repository: &repository::Model,
    owner: &account::Model,
    users: BTreeSet<i64>,
) -> Result<BTreeSet<i64>, DbErr> {
    if repository.visibility == Visibility::Public || users.is_empty() {
        return Ok(users);
    }
    let mut found: BTreeSet<i64> = collaborator::Entity::find()
        .filter(collaborator::COLUMN.repository_id.eq(repository.id))
        .filter(collaborator::COLUMN.user_id.is_in(users.iter().copied()))
        .all(connection)
        .await?
        .into_iter()
        .map(|row| row.user_id)
        .collect();
    if users.contains(&owner.id) {
        found.insert(owner.id);
    }
    if owner.kind == account::Kind::Organization {
        let members = membership::Entity::find()
            .filter(membership::COLUMN.organization_id.eq(owner.id))
            .filter(membership::COLUMN.user_id.is_in(users))
            .all(connection)
            .await?;
        let base = owner.base_permission.unwrap_or(Permission::Read);
        let open = repository.internal || base >= Permission::Read;
        found.extend(
            members
                .into_iter()
                .filter(|row| open || row.role == membership::Role::Admin)
                .map(|row| row.user_id),
        );
    }
    Ok(found)
}
