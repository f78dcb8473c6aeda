//! What authors have to do with a repository. It is worked out for a whole page
//! of them, with one query for each kind of tie.

use std::collections::BTreeSet;

use migration::aggregates::Kind;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};

use crate::contract::review_comments::AuthorAssociation;
use crate::database::Source;
use crate::entities::{collaborator, membership, pull, repository};

/// The ties of some authors to a repository.
#[derive(Debug, Default)]
pub struct Associations {
    owner: i64,
    members: BTreeSet<i64>,
    collaborators: BTreeSet<i64>,
    /// Those who have had a pull request merged.
    contributors: BTreeSet<i64>,
}

impl Associations {
    pub async fn of(
        source: &impl Source,
        repository: &repository::Model,
        authors: &BTreeSet<i64>,
    ) -> Result<Self, DbErr> {
        let aggregates = [
            Kind::Account.of(repository.owner_id),
            Kind::Repository.of(repository.id),
            Kind::RepositoryPulls.of(repository.id),
        ];
        let connection = source.reading(&aggregates).await;
        Ok(Self {
            owner: repository.owner_id,
            members: members(connection, repository.owner_id, authors).await?,
            collaborators: collaborators(connection, repository.id, authors).await?,
            contributors: contributors(connection, repository.id, authors).await?,
        })
    }

    /// The strongest tie that an author has; an author who is gone has none.
    pub fn association(&self, author: Option<i64>) -> AuthorAssociation {
        match author {
            Some(author) if author == self.owner => AuthorAssociation::Owner,
            Some(author) if self.members.contains(&author) => AuthorAssociation::Member,
            Some(author) if self.collaborators.contains(&author) => AuthorAssociation::Collaborator,
            Some(author) if self.contributors.contains(&author) => AuthorAssociation::Contributor,
            _ => AuthorAssociation::None,
        }
    }
}

async fn members(
    connection: &impl ConnectionTrait,
    owner: i64,
    users: &BTreeSet<i64>,
) -> Result<BTreeSet<i64>, DbErr> {
    let rows = membership::Entity::find()
        .select_only()
        .column(membership::Column::UserId)
        .filter(membership::COLUMN.organization_id.eq(owner))
        .filter(membership::COLUMN.user_id.is_in(users.iter().copied()))
        .into_tuple()
        .all(connection)
        .await?;
    Ok(rows.into_iter().collect())
}

async fn collaborators(
    connection: &impl ConnectionTrait,
    repository: i64,
    users: &BTreeSet<i64>,
) -> Result<BTreeSet<i64>, DbErr> {
    let rows = collaborator::Entity::find()
        .select_only()
        .column(collaborator::Column::UserId)
        .filter(collaborator::COLUMN.repository_id.eq(repository))
        .filter(collaborator::COLUMN.user_id.is_in(users.iter().copied()))
        .into_tuple()
        .all(connection)
        .await?;
    Ok(rows.into_iter().collect())
}

async fn contributors(
    connection: &impl ConnectionTrait,
    repository: i64,
    users: &BTreeSet<i64>,
) -> Result<BTreeSet<i64>, DbErr> {
    let rows = pull::Entity::find()
        .select_only()
        .column(pull::Column::AuthorId)
        .distinct()
        .filter(pull::COLUMN.author_id.is_in(users.iter().copied()))
        .filter(pull::COLUMN.repository_id.eq(repository))
        .filter(pull::COLUMN.state.eq(pull::State::Merged))
        .into_tuple()
        .all(connection)
        .await?;
    Ok(rows.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_tie_is_the_association() {
        let all = Associations {
            owner: 1,
            members: [1, 2].into(),
            collaborators: [1, 2, 3].into(),
            contributors: [1, 2, 3, 4].into(),
        };
        let shown = [Some(1), Some(2), Some(3), Some(4), Some(5), None]
            .map(|author| all.association(author));
        assert_eq!(
            shown,
            [
                AuthorAssociation::Owner,
                AuthorAssociation::Member,
                AuthorAssociation::Collaborator,
                AuthorAssociation::Contributor,
                AuthorAssociation::None,
                AuthorAssociation::None,
            ]
        );
    }
}
