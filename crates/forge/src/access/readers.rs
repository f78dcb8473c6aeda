//! Selects the users who may read a repository, for notifications. The access of callers is
//! decided in `repositories.rs`.

use std::collections::BTreeSet;

use migration::aggregates::{Aggregate, Kind};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};

use storage::database::ReadSource;
use storage::entities::collaborator::Permission;
use storage::entities::repository::Visibility;
use storage::entities::{account, collaborator, membership, repository};

/// The accounts among these that are people and may read the repository. At most five
/// queries, however many they are.
pub async fn readers(
    source: &impl ReadSource,
    repository_id: i64,
    accounts: &[i64],
) -> Result<BTreeSet<i64>, DbErr> {
    let aggregate = [Kind::Repository.of(repository_id)];
    let repository = repository::Entity::find_by_id(repository_id)
        .one(source.reading(&aggregate).await)
        .await?;
    let Some(repository) = repository else {
        return Ok(BTreeSet::new());
    };
    let people = people(source, accounts).await?;
    if repository.visibility == Visibility::Public || people.is_empty() {
        return Ok(people);
    }
    let mut readers = collaborators(source, repository.id, &people).await?;
    if people.contains(&repository.owner_id) {
        readers.insert(repository.owner_id);
    }
    readers.extend(members(source, &repository, people).await?);
    Ok(readers)
}

async fn people(source: &impl ReadSource, accounts: &[i64]) -> Result<BTreeSet<i64>, DbErr> {
    let ids = || accounts.iter().copied();
    let aggregates: Vec<Aggregate> = ids().map(|id| Kind::Account.of(id)).collect();
    let people: Vec<i64> = account::Entity::find()
        .select_only()
        .column(account::Column::Id)
        .filter(account::COLUMN.id.is_in(ids()))
        .filter(account::COLUMN.kind.eq(account::AccountKind::User))
        .filter(account::COLUMN.mannequin.eq(false))
        .into_tuple()
        .all(source.reading(&aggregates).await)
        .await?;
    Ok(people.into_iter().collect())
}

async fn collaborators(
    source: &impl ReadSource,
    repository_id: i64,
    people: &BTreeSet<i64>,
) -> Result<BTreeSet<i64>, DbErr> {
    let aggregate = [Kind::Repository.of(repository_id)];
    let rows: Vec<i64> = collaborator::Entity::find()
        .select_only()
        .column(collaborator::Column::UserId)
        .filter(collaborator::COLUMN.repository_id.eq(repository_id))
        .filter(collaborator::COLUMN.user_id.is_in(people.iter().copied()))
        .into_tuple()
        .all(source.reading(&aggregate).await)
        .await?;
    Ok(rows.into_iter().collect())
}

/// The users who may read the repository as members of the organization that owns it.
async fn members(
    source: &impl ReadSource,
    repository: &repository::Model,
    people: BTreeSet<i64>,
) -> Result<Vec<i64>, DbErr> {
    let aggregate = [Kind::Account.of(repository.owner_id)];
    let connection = source.reading(&aggregate).await;
    let owner = account::Entity::find_by_id(repository.owner_id);
    let Some(owner) = owner.one(connection).await? else {
        return Ok(Vec::new());
    };
    let members = membership::Entity::find()
        .filter(membership::COLUMN.organization_id.eq(owner.id))
        .filter(membership::COLUMN.user_id.is_in(people))
        .all(connection)
        .await?;
    let base = owner.base_permission.unwrap_or(Permission::Read);
    let open = repository.internal || base >= Permission::Read;
    let readers = members
        .into_iter()
        .filter(|row| open || row.role == membership::Role::Admin);
    Ok(readers.map(|row| row.user_id).collect())
}
