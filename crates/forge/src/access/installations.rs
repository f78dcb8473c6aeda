//! An installation on behalf of a caller: by its own token, by a user's token for its app, or by
//! an administrator of one of its repositories.
//!
//! Which kinds of token an operation accepts does not depend on the installation, so that
//! is checked first and reveals nothing. Only callers who may know that an installation
//! exists are told that it is suspended.

mod reached;

use std::collections::HashMap;
use std::sync::Arc;

use migration::aggregates::Kind;
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect};

use super::credential::parsed;
use super::denial::{DenialReason, NoAccess};
use super::explained::{RefusedResource, refusal};
use super::installations::reached::reached_by;
pub use super::installations::reached::{installed_on, selected_for};
use super::{Access, SUSPENDED, access_denied, aggregates_of, has_scope, not_suspended};
use contract::call::Call;
use contract::caller::{Caller, Permissions, Person};
use contract::problem::Problem;
use contract::reply::Outcome;
use storage::database::Connection;
use storage::entities::collaborator::Permission;
use storage::entities::repository::Visibility;
use storage::entities::{account, collaborator, installation, membership, repository, token};

/// The installation whose own token the request carries.
#[derive(Debug, Clone)]
pub struct OwnInstallation {
    pub installation: installation::Model,
    pub account: account::Model,
    pub token: token::Model,
}

/// An app, and the user who calls through it.
#[derive(Debug, Clone)]
pub struct AppUserGrant {
    pub app: i64,
    pub user: i64,
}

/// An installation in which the user of a token can access at least one repository.
#[derive(Debug, Clone)]
pub struct UserInstallation {
    pub installation: installation::Model,
    pub account: account::Model,
    pub user: i64,
    /// Selects the repositories that the user can access with the token.
    pub reached: Condition,
    /// The user's role in every repository of the account.
    pub account_role: Permission,
}

/// An installation and a repository of its account, for a user who
/// administers the repository.
#[derive(Debug, Clone)]
pub struct InstallationChange {
    pub installation: i64,
    pub repository: repository::Model,
    /// The user who changes it.
    pub user: i64,
}

impl Access {
    /// The id of the calling installation's token. A suspended installation has it too.
    pub fn own_token(&self, call: &Call) -> Outcome<i64> {
        match &*call.caller {
            Caller::Installation { token, .. } => Ok(*token),
            _ => Err(wrong_kind(call)?),
        }
    }

    /// The calling installation.
    #[tracing::instrument(level = "debug", name = "access", skip_all)]
    pub async fn own_installation(&self, call: &Call) -> Outcome<OwnInstallation> {
        let Caller::Installation {
            token,
            installation,
            ..
        } = &*call.caller
        else {
            return Err(wrong_kind(call)?);
        };
        not_suspended(&call.caller)?;
        let (installation, account) = self
            .find_installation(*installation)
            .await?
            .ok_or(Problem::BAD_CREDENTIALS)?;
        let reads = self.reading(&[Kind::Token.of(*token)]).await;
        let token = token::Entity::find_by_id(*token).one(reads).await?;
        Ok(OwnInstallation {
            installation,
            account,
            token: token.ok_or(Problem::BAD_CREDENTIALS)?,
        })
    }

    /// The app and the user of a user's token for an app.
    pub fn calling_app_user(&self, call: &Call) -> Outcome<AppUserGrant> {
        match &*call.caller {
            Caller::AppUser {
                app,
                user: Person { id, .. },
                ..
            } => Ok(AppUserGrant {
                app: *app,
                user: *id,
            }),
            caller @ (Caller::Installation { .. } | Caller::App { .. }) => {
                Err(unsuitable(call, access_denied(caller, ""))?)
            }
            _ => Err(wrong_kind(call)?),
        }
    }

    /// An installation, if the user can access anything in it: one of the calling app for an
    /// app's token, one on its resource owner for a fine-grained token.
    #[tracing::instrument(level = "debug", name = "access", skip_all)]
    pub async fn user_installation(&self, call: &Call, id: i64) -> Outcome<UserInstallation> {
        let (caller, rule) = (&*call.caller, call.rule()?);
        let (Some(user), true) = (caller.user(), rule.kinds.include(caller)) else {
            return Err(unsuitable(call, access_denied(caller, ""))?);
        };
        let user = user.id;
        let refuse = |problem: Problem, reason: DenialReason, account: &str| {
            let resource = || RefusedResource::of(format!("installation {id}"), account);
            refusal(&call.caller, Some(rule), (problem, reason), resource)
        };
        let (installation, account) = self
            .find_installation(id)
            .await?
            .filter(|(installation, _)| match caller {
                Caller::AppUser { app, .. } => installation.app_id == *app,
                _ => true,
            })
            .ok_or_else(|| refuse(Problem::NotFound, DenialReason::Absent, ""))?;
        if matches!(caller, Caller::FineGrained { owner, .. } if *owner != account.id) {
            let reason = NoAccess::ResourceOwner.into();
            return Err(refuse(Problem::NotFound, reason, &account.login));
        }
        let account_role = self.account_role(user, &account).await?;
        let reached = reached_by(caller, user, &installation, account_role);
        if !self.has_any(&installation, caller, reached.clone()).await? {
            let reason = DenialReason::Membership {
                needed: membership::Role::Member,
                found: None,
            };
            return Err(refuse(Problem::NotFound, reason, &account.login));
        }
        if installation.suspended_at.is_some() {
            return Err(refuse(
                SUSPENDED,
                DenialReason::Suspended(id),
                &account.login,
            ));
        }
        let granted: Option<(Option<i64>, Permissions)> = match caller {
            Caller::AppUser { .. } => Some((Some(id), parsed(&installation.permissions)?)),
            Caller::FineGrained { permissions, .. } => Some((None, permissions.clone())),
            _ => None,
        };
        if let Some((installation, granted)) = granted
            && !rule.is_granted(&granted)
        {
            let reason = DenialReason::Permission {
                installation,
                granted,
            };
            return Err(refuse(access_denied(caller, ""), reason, &account.login));
        }
        Ok(UserInstallation {
            installation,
            account,
            user,
            reached,
            account_role,
        })
    }

    /// A repository to put on an installation, or to take off it (Spec,
    /// Authentication, rule 6; App installations, rules 5 and 6).
    #[tracing::instrument(level = "debug", name = "access", skip_all)]
    pub async fn installation_change(
        &self,
        call: &Call,
        installation: i64,
        repository: i64,
    ) -> Outcome<InstallationChange> {
        let (caller, rule) = (&*call.caller, call.rule()?);
        let (Some(user), true) = (caller.user(), rule.kinds.include(caller)) else {
            return Err(unsuitable(call, access_denied(caller, rule.wrong_kind))?);
        };
        let refuse = |problem: Problem, reason: DenialReason, resource: RefusedResource| {
            refusal(caller, Some(rule), (problem, reason), || resource)
        };
        let label = |id: i64| RefusedResource::of(format!("installation {id}"), "");
        if !caller
            .scopes()
            .is_some_and(|scopes| has_scope(scopes, rule.scopes))
        {
            let problem = Problem::Forbidden(NO_SCOPE.into());
            return Err(refuse(
                problem,
                DenialReason::Scope(rule.scopes),
                label(installation),
            ));
        }
        let found = self.find_repository_by_id(repository).await?;
        let (repository, owner) = found.ok_or_else(|| {
            let resource = RefusedResource::of(format!("repository {repository}"), "");
            refuse(Problem::NotFound, DenialReason::Absent, resource)
        })?;
        let found = self.role(user.id, &repository, &owner).await?;
        let needed = Permission::Admin;
        if found < needed {
            let hidden = repository.visibility == Visibility::Private && found < Permission::Read;
            let problem = match hidden {
                true => Problem::NotFound,
                false => access_denied(caller, NOT_ADMIN),
            };
            let resource = RefusedResource::repository(&owner.login, &repository.name);
            return Err(refuse(
                problem,
                DenialReason::Role { needed, found },
                resource,
            ));
        }
        let (installation, _) = self
            .find_installation(installation)
            .await?
            .filter(|(installation, _)| installation.account_id == owner.id)
            .ok_or_else(|| refuse(Problem::NotFound, DenialReason::Absent, label(installation)))?;
        if installation.suspended_at.is_some() {
            let reason = DenialReason::Suspended(installation.id);
            return Err(refuse(SUSPENDED, reason, label(installation.id)));
        }
        Ok(InstallationChange {
            installation: installation.id,
            repository,
            user: user.id,
        })
    }

    /// The role of a user in each of an installation's repositories, given
    /// their role in all of them. One query, whatever their number.
    pub async fn roles(
        &self,
        user: i64,
        account_role: Permission,
        repositories: &[i64],
    ) -> Outcome<HashMap<i64, Permission>> {
        let rows = collaborator::Entity::find()
            .filter(collaborator::COLUMN.user_id.eq(user))
            .filter(collaborator::Column::RepositoryId.is_in(repositories.iter().copied()))
            .all(self.reading(&[Kind::Account.of(user)]).await)
            .await?;
        let mut roles: HashMap<_, _> = repositories.iter().map(|id| (*id, account_role)).collect();
        for row in rows {
            roles.insert(row.repository_id, row.permission.max(account_role));
        }
        Ok(roles)
    }

    /// The installation of an app on an account. Its own aggregate is a dependency too: a write
    /// that it allows is checked against it again, and not against the account's other
    /// installations.
    pub(super) async fn installation_on(
        &self,
        app: i64,
        account: i64,
    ) -> Outcome<Option<installation::Model>> {
        self.reading(&[Kind::AccountInstallations.of(account)])
            .await;
        let find = |reads: Arc<Connection>| async move {
            installation::Entity::find()
                .filter(installation::COLUMN.app_id.eq(app))
                .filter(installation::COLUMN.account_id.eq(account))
                .one(&*reads)
                .await
        };
        let belongs = |row: &installation::Model| vec![Kind::Installation.of(row.id)];
        Ok(self.db.resolve(find, belongs).await?)
    }

    async fn find_installation(
        &self,
        id: i64,
    ) -> Outcome<Option<(installation::Model, account::Model)>> {
        let Some(installation) = installation::Entity::find_by_id(id)
            .one(self.reading(&[Kind::Installation.of(id)]).await)
            .await?
        else {
            return Ok(None);
        };
        let account = Kind::Account.of(installation.account_id);
        let account = account::Entity::find_by_id(installation.account_id)
            .one(self.reading(&[account]).await)
            .await?;
        Ok(account.map(|account| (installation, account)))
    }

    /// Whether the caller can access at least one of the repositories.
    async fn has_any(
        &self,
        installation: &installation::Model,
        caller: &Caller,
        reached: Condition,
    ) -> Outcome<bool> {
        let mut aggregates = aggregates_of(caller);
        aggregates.extend([
            Kind::AccountRepositories.of(installation.account_id),
            Kind::Installation.of(installation.id),
        ]);
        let repository_id = repository::Entity::find()
            .select_only()
            .column(repository::Column::Id)
            .filter(reached)
            .limit(1)
            .into_tuple::<i64>()
            .one(self.reading(&aggregates).await)
            .await?;
        Ok(repository_id.is_some())
    }
}

/// The error for a kind of token that an operation never accepts.
fn wrong_kind(call: &Call) -> Outcome<Problem> {
    let message = call.rule()?.wrong_kind;
    let problem = match &*call.caller {
        Caller::Anonymous => Problem::Unauthenticated,
        _ => Problem::Forbidden(message.into()),
    };
    unsuitable(call, problem)
}

/// The given error for a kind of token that an operation never accepts.
fn unsuitable(call: &Call, problem: Problem) -> Outcome<Problem> {
    let denial = (problem, DenialReason::of_kind(&call.caller));
    let resource = || RefusedResource::of(call.operation.id, "");
    Ok(refusal(&call.caller, Some(call.rule()?), denial, resource))
}

const NO_SCOPE: &str = "Your token has not been granted the required scopes to execute this \
                        operation";
const NOT_ADMIN: &str = "Must have admin rights to Repository.";
