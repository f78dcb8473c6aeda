//! The roles of users in repositories, by ownership, membership and collaboration.
//! `repositories.rs` combines them with their tokens.

use migration::aggregates::Kind;
use sea_orm::EntityTrait;

use super::{Access, has_scope};
use contract::caller::{Caller, Reach};
use contract::reply::Outcome;
use storage::entities::collaborator::Permission;
use storage::entities::{account, collaborator, membership, repository};

impl Access {
    /// The role of a user in a repository by ownership, membership or
    /// collaboration; that a repository is public does not count.
    pub async fn explicit_role(
        &self,
        user: i64,
        repository: &repository::Model,
        owner: &account::Model,
    ) -> Outcome<Permission> {
        let belonging = self.account_role(user, owner).await?;
        if belonging == Permission::Admin {
            return Ok(belonging);
        }
        let collaborating = collaborator::Entity::find_by_id((repository.id, user))
            .one(self.reading(&[Kind::Repository.of(repository.id)]).await)
            .await?
            .map_or(Permission::None, |row| row.permission);
        Ok(collaborating.max(belonging))
    }

    /// The role of a user in a repository: the explicit one, and read access to an
    /// internal one as a member of its organization.
    pub(super) async fn role(
        &self,
        user: i64,
        repository: &repository::Model,
        owner: &account::Model,
    ) -> Outcome<Permission> {
        let role = self.explicit_role(user, repository, owner).await?;
        let member = role < Permission::Read
            && repository.internal
            && self.membership(owner.id, user).await?.is_some();
        Ok(if member { Permission::Read } else { role })
    }

    /// The role of a user in every repository of an account, regardless of
    /// collaborators: as its owner, or as a member of it.
    pub async fn account_role(&self, user: i64, account: &account::Model) -> Outcome<Permission> {
        if account.id == user {
            return Ok(Permission::Admin);
        }
        if account.kind != account::AccountKind::Organization {
            return Ok(Permission::None);
        }
        Ok(match self.membership(account.id, user).await? {
            Some(membership::Role::Admin) => Permission::Admin,
            Some(membership::Role::Member) => account.base_permission.unwrap_or(Permission::Read),
            None => Permission::None,
        })
    }

    /// Whether a caller may see every private repository of an account, without
    /// looking at any of them.
    pub async fn sees_all_of(&self, caller: &Caller, account: &account::Model) -> Outcome<bool> {
        Ok(match caller {
            Caller::Classic { user, scopes, .. } | Caller::OAuth { user, scopes, .. } => {
                has_scope(scopes, &["repo"])
                    && self.account_role(user.id, account).await? >= Permission::Read
            }
            Caller::FineGrained {
                user, owner, reach, ..
            } => {
                *owner == account.id
                    && *reach == Reach::All
                    && self.account_role(user.id, account).await? >= Permission::Read
            }
            Caller::Installation {
                account: installed,
                selected,
                reach,
                ..
            } => *installed == account.id && !selected && *reach == Reach::All,
            Caller::Anonymous | Caller::AppUser { .. } | Caller::App { .. } => false,
        })
    }
}
