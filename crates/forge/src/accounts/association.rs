//! How authors are associated with a repository: for a whole page of authors, with one
//! query for each kind of association.

use std::collections::BTreeSet;

use migration::aggregates::Kind;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, Select};

use contract::review_comments::AuthorAssociation;
use storage::database::{Connection, ReadSource};
use storage::entities::{collaborator, membership, pull, repository};

/// The associations of some authors with a repository.
#[derive(Debug, Default)]
pub struct Associations {
    owner: i64,
    members: BTreeSet<i64>,
    collaborators: BTreeSet<i64>,
    /// The authors of a merged pull request.
    contributors: BTreeSet<i64>,
}

impl Associations {
    pub async fn of(
        source: &impl ReadSource,
        repository: &repository::Model,
        authors: &BTreeSet<i64>,
    ) -> Result<Self, DbErr> {
        let aggregates = [
            Kind::Account.of(repository.owner_id),
            Kind::Repository.of(repository.id),
            Kind::PullStates.of(repository.id),
        ];
        let connection = source.reading(&aggregates).await;
        let authors = || authors.iter().copied();
        let members = membership::Entity::find()
            .filter(membership::COLUMN.organization_id.eq(repository.owner_id))
            .filter(membership::COLUMN.user_id.is_in(authors()));
        let collaborators = collaborator::Entity::find()
            .filter(collaborator::COLUMN.repository_id.eq(repository.id))
            .filter(collaborator::COLUMN.user_id.is_in(authors()));
        let merged = pull::Entity::find()
            .filter(pull::COLUMN.author_id.is_in(authors()))
            .filter(pull::COLUMN.repository_id.eq(repository.id))
            .filter(pull::COLUMN.state.eq(pull::PullState::Merged));
        Ok(Self {
            owner: repository.owner_id,
            members: users(connection, members, membership::Column::UserId).await?,
            collaborators: users(connection, collaborators, collaborator::Column::UserId).await?,
            contributors: users(connection, merged, pull::Column::AuthorId).await?,
        })
    }

    /// The strongest association of an author; a deleted author has none.
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

/// The users that a column of the rows has.
async fn users<E: EntityTrait>(
    connection: &Connection,
    rows: Select<E>,
    user: E::Column,
) -> Result<BTreeSet<i64>, DbErr> {
    let rows = rows.select_only().column(user).distinct().into_tuple();
    Ok(rows.all(connection).await?.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_association_counts() {
        let all = Associations {
            owner: 1,
            members: [1, 2].into(),
            collaborators: [1, 2, 3].into(),
            contributors: [1, 2, 3, 4].into(),
        };
        let associations = [Some(1), Some(2), Some(3), Some(4), Some(5), None]
            .map(|author| all.association(author));
        assert_eq!(
            associations,
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
