//! An organization on behalf of a caller. What belongs to its members alone
//! looks absent to everybody else.

use std::sync::Arc;

use migration::aggregates::Kind;
use sea_orm::{EntityTrait, QueryFilter};

use super::credential::parsed;
use super::{Access, has_scope, not_suspended, refused};
use crate::contract::call::Call;
use crate::contract::caller::{Caller, Permissions};
use crate::contract::operation::{Rule, Standing};
use crate::contract::problem::Problem;
use crate::contract::reply::Outcome;
use crate::database::Reads;
use crate::entities::{account, installation, membership};

/// An organization that the caller may use for the operation it asked for.
#[derive(Debug, Clone)]
pub struct OrganizationGrant {
    pub organization: account::Model,
    pub caller: Arc<Caller>,
}

impl Access {
    /// The organization that a path names, for one operation.
    #[tracing::instrument(level = "debug", name = "access", skip_all)]
    pub async fn organization(&self, call: &Call, login: &str) -> Outcome<OrganizationGrant> {
        let rule = call.rule()?;
        if call.caller.is_anonymous() && !rule.anonymous {
            return Err(Problem::Unauthenticated);
        }
        not_suspended(&call.caller)?;
        let organization = self
            .find_account(login, account::Kind::Organization)
            .await?
            .ok_or(Problem::NotFound)?;
        self.check_member(&call.caller, rule, organization.id)
            .await?;
        Ok(OrganizationGrant {
            organization,
            caller: call.caller.clone(),
        })
    }

    pub(super) async fn find_account(
        &self,
        login: &str,
        kind: account::Kind,
    ) -> Outcome<Option<account::Model>> {
        let found = self.find_login(login).await?;
        Ok(found.filter(|account| account.kind == kind))
    }

    pub(super) async fn find_login(&self, login: &str) -> Outcome<Option<account::Model>> {
        let login = &login.to_lowercase();
        let find = |reads: Reads| async move {
            let by_login = account::COLUMN.login_key.eq(login.as_str());
            account::Entity::find().filter(by_login).one(&reads).await
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

    /// What a token was granted on the things of an account; `None` when it has
    /// nothing to do with that account.
    pub(super) async fn account_permissions(
        &self,
        caller: &Caller,
        account: i64,
    ) -> Outcome<Option<Permissions>> {
        Ok(match caller {
            Caller::FineGrained {
                owner, permissions, ..
            } if *owner == account => Some(permissions.clone()),
            Caller::Installation {
                account: installed,
                permissions,
                ..
            } if *installed == account => Some(permissions.clone()),
            Caller::AppUser { app, .. } => {
                let row = installation::Entity::find()
                    .filter(installation::COLUMN.app_id.eq(*app))
                    .filter(installation::COLUMN.account_id.eq(account))
                    .one(
                        self.reading(&[Kind::AccountInstallations.of(account)])
                            .await,
                    )
                    .await?
                    .filter(|row| row.suspended_at.is_none());
                match row {
                    Some(row) => Some(parsed(&row.permissions)?),
                    None => None,
                }
            }
            _ => None,
        })
    }

    /// Spec, Authentication, rules 4 and 7. A user's own token that falls short
    /// learns nothing (404); a token with grants is told what it lacks (403).
    async fn check_member(&self, caller: &Caller, rule: &Rule, organization: i64) -> Outcome<()> {
        let role = match caller.user() {
            Some(user) => self.membership(organization, user.id).await?,
            None => None,
        };
        let suffices = match rule.standing {
            Standing::Administrator => role == Some(membership::Role::Admin),
            Standing::Reader | Standing::Writer => role.is_some(),
        };
        if let Some(scopes) = caller.scopes() {
            let scoped = has_scope(scopes, rule.scopes);
            return if scoped && suffices {
                Ok(())
            } else {
                Err(Problem::NotFound)
            };
        }
        let granted = self.account_permissions(caller, organization).await?;
        let granted = granted.ok_or(Problem::NotFound)?;
        if caller.user().is_some() && role.is_none() {
            return Err(Problem::NotFound);
        }
        let trusted = rule.is_granted(&granted);
        let entitled = caller.user().is_none() || suffices;
        if trusted && entitled && rule.kinds.include(caller) {
            return Ok(());
        }
        Err(refused(caller, "Must be an organization admin"))
    }
}
