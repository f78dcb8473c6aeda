//! An organization on behalf of a caller. Resources of its members look absent to everybody else.

use std::sync::Arc;

use migration::aggregates::Kind;
use sea_orm::{EntityTrait, QueryFilter};

use super::credential::parsed;
use super::denial::{DenialReason, NoAccess, Refusal};
use super::explained::{RefusedResource, refusal};
use super::{Access, access_denied, has_scope, not_suspended};
use contract::call::Call;
use contract::caller::{Caller, Permissions};
use contract::operation::{RequiredRole, Rule};
use contract::problem::Problem;
use contract::reply::Outcome;
use storage::database::Connection;
use storage::entities::{account, membership};

/// An organization that the caller may use for the operation.
#[derive(Debug, Clone)]
pub struct OrganizationGrant {
    pub organization: account::Model,
    pub caller: Arc<Caller>,
}

/// The grants of a token on the resources of an account.
#[derive(Debug, Clone)]
pub struct Granted {
    pub permissions: Permissions,
    /// The installation whose grants they are, if they are not the token's own.
    pub installation: Option<i64>,
}

/// Checks that a membership suffices for the operation.
fn check_membership(rule: &Rule, found: Option<membership::Role>) -> Result<(), DenialReason> {
    let needed = match rule.role {
        RequiredRole::Administrator => membership::Role::Admin,
        RequiredRole::Reader | RequiredRole::Triager | RequiredRole::Writer => {
            membership::Role::Member
        }
    };
    match found {
        Some(membership::Role::Admin) => Ok(()),
        Some(_) if needed == membership::Role::Member => Ok(()),
        _ => Err(DenialReason::Membership { needed, found }),
    }
}

impl Access {
    /// The organization that a path names, for one operation.
    #[tracing::instrument(level = "debug", name = "access", skip_all)]
    pub async fn organization(&self, call: &Call, login: &str) -> Outcome<OrganizationGrant> {
        let rule = call.rule()?;
        let refuse = |(problem, reason): (Problem, DenialReason)| {
            let resource = || RefusedResource::of(format!("organization {login}"), login);
            refusal(&call.caller, Some(rule), (problem, reason), resource)
        };
        if call.caller.is_anonymous() && !rule.anonymous {
            return Err(refuse((Problem::Unauthenticated, DenialReason::Token)));
        }
        not_suspended(&call.caller)?;
        let kind = account::AccountKind::Organization;
        let found = self.find_account(login, kind).await?;
        let organization = found.map_err(|reason| refuse((Problem::NotFound, reason)))?;
        let checked = self.check_member(&call.caller, rule, organization.id);
        checked.await?.map_err(refuse)?;
        Ok(OrganizationGrant {
            organization,
            caller: call.caller.clone(),
        })
    }

    /// The account of this kind with this login, or why there is none.
    pub(super) async fn find_account(
        &self,
        login: &str,
        kind: account::AccountKind,
    ) -> Outcome<Result<account::Model, DenialReason>> {
        Ok(match self.find_login(login).await? {
            Some(account) if account.kind == kind => Ok(account),
            Some(other) => Err(DenialReason::OtherAccountKind(other.kind)),
            None => Err(DenialReason::Absent),
        })
    }

    pub(super) async fn find_login(&self, login: &str) -> Outcome<Option<account::Model>> {
        let login = &login.to_lowercase();
        let find = |reads: Arc<Connection>| async move {
            let by_login = account::COLUMN.login_key.eq(login.as_str());
            account::Entity::find().filter(by_login).one(&*reads).await
        };
        let belongs = |row: &account::Model| vec![Kind::Account.of(row.id)];
        Ok(self.db.resolve(find, belongs).await?)
    }

    pub(super) async fn membership(
        &self,
        organization: i64,
        user: i64,
    ) -> Outcome<Option<membership::Role>> {
        let row = membership::Entity::find_by_id((organization, user))
            .one(self.reading(&[Kind::Account.of(organization)]).await)
            .await?;
        Ok(row.map(|row| row.role))
    }

    /// Whether a caller belongs to an organization: as a member, or as an app that is
    /// installed there. A member's token for another account, or for an app that is not
    /// installed there, does not count.
    pub async fn belongs_to(&self, caller: &Caller, organization: i64) -> Outcome<bool> {
        if caller.scopes().is_none() {
            let granted = self.account_permissions(caller, organization).await?;
            if granted.is_err() {
                return Ok(false);
            }
        }
        match caller.user() {
            Some(user) => Ok(self.membership(organization, user.id).await?.is_some()),
            None => Ok(true),
        }
    }

    /// The grants of a token on the resources of an account, and their installation; or why the
    /// token has nothing to do with that account.
    pub(super) async fn account_permissions(
        &self,
        caller: &Caller,
        account: i64,
    ) -> Outcome<Result<Granted, NoAccess>> {
        let token_grants = |permissions: &Permissions| Granted {
            permissions: permissions.clone(),
            installation: None,
        };
        Ok(match caller {
            Caller::FineGrained {
                owner, permissions, ..
            } if *owner == account => Ok(token_grants(permissions)),
            Caller::FineGrained { .. } => Err(NoAccess::ResourceOwner),
            Caller::Installation {
                account: installed,
                permissions,
                ..
            } if *installed == account => Ok(token_grants(permissions)),
            Caller::Installation { .. } => Err(NoAccess::Account),
            Caller::AppUser { app, .. } => match self.installation_on(*app, account).await? {
                Some(row) if row.suspended_at.is_none() => Ok(Granted {
                    permissions: parsed(&row.permissions)?,
                    installation: Some(row.id),
                }),
                Some(row) => Err(NoAccess::Suspended(row.id)),
                None => Err(NoAccess::NotInstalled),
            },
            Caller::App { .. } => Err(NoAccess::AppItself),
            _ => Err(NoAccess::NoToken),
        })
    }

    /// Spec, Authentication, rules 4 and 7. An insufficient token of a user learns nothing (404); a
    /// token with grants gets the reason (403).
    async fn check_member(
        &self,
        caller: &Caller,
        rule: &Rule,
        organization: i64,
    ) -> Outcome<Result<(), Refusal>> {
        let role = match caller.user() {
            Some(user) => self.membership(organization, user.id).await?,
            None => None,
        };
        let membership = check_membership(rule, role);
        let hidden = |reason: DenialReason| Ok(Err((Problem::NotFound, reason)));
        if let Some(scopes) = caller.scopes() {
            return match membership {
                _ if !has_scope(scopes, rule.scopes) => hidden(DenialReason::Scope(rule.scopes)),
                Err(reason) => hidden(reason),
                Ok(()) => Ok(Ok(())),
            };
        }
        let granted = match self.account_permissions(caller, organization).await? {
            Ok(granted) => granted,
            Err(reason) => return hidden(reason.into()),
        };
        let membership = match caller.user() {
            Some(_) => membership,
            None => Ok(()),
        };
        let reason = match membership {
            Err(reason) if role.is_none() => return hidden(reason),
            _ if !rule.kinds.include(caller) => DenialReason::Kind,
            _ if !rule.is_granted(&granted.permissions) => DenialReason::Permission {
                installation: granted.installation,
                granted: granted.permissions,
            },
            Err(reason) => reason,
            Ok(()) => return Ok(Ok(())),
        };
        let problem = access_denied(caller, "Must be an organization admin");
        Ok(Err((problem, reason)))
    }
}
