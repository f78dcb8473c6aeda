//! Accounts on behalf of a caller. Everybody may see an account; only a user's token identifies
//! the caller.

use super::denial::DenialReason;
use super::explained::{RefusedResource, refusal};
use super::{Access, access_denied, has_scope, not_suspended};
use contract::call::Call;
use contract::caller::{Caller, Person};
use contract::problem::Problem;
use contract::reply::Outcome;
use storage::entities::{account, membership};

impl Access {
    /// The account with this login, of this kind or of any.
    #[tracing::instrument(level = "debug", name = "access", skip_all)]
    pub async fn account(
        &self,
        call: &Call,
        login: &str,
        kind: Option<account::AccountKind>,
    ) -> Outcome<account::Model> {
        let rule = call.rule()?;
        let refuse = |problem: Problem, reason: DenialReason| {
            let resource = || RefusedResource::of(format!("account {login}"), login);
            refusal(&call.caller, Some(rule), (problem, reason), resource)
        };
        if call.caller.is_anonymous() && !rule.anonymous {
            return Err(refuse(Problem::Unauthenticated, DenialReason::Token));
        }
        not_suspended(&call.caller)?;
        let found = match kind {
            Some(kind) => self.find_account(login, kind).await?,
            None => self.find_login(login).await?.ok_or(DenialReason::Absent),
        };
        found.map_err(|reason| refuse(Problem::NotFound, reason))
    }

    /// The user on whose behalf the call is made.
    pub fn calling_user<'a>(&self, call: &'a Call) -> Outcome<&'a Person> {
        let (caller, rule) = (&*call.caller, call.rule()?);
        match caller.user() {
            Some(user) if rule.kinds.include(caller) => Ok(user),
            _ => {
                let denial = (access_denied(caller, ""), DenialReason::of_kind(caller));
                let resource = || RefusedResource::of("the user of the token", "");
                Err(refusal(caller, Some(rule), denial, resource))
            }
        }
    }

    /// The login of the caller: a user, or the bot of an installed app.
    pub fn login(&self, caller: &Caller) -> Outcome<String> {
        not_suspended(caller)?;
        match caller {
            Caller::Anonymous | Caller::App { .. } => Err(Problem::Unauthenticated),
            Caller::Installation { app_slug, .. } => Ok(format!("{app_slug}[bot]")),
            caller => Ok(caller.name().to_owned()),
        }
    }

    /// Whether the caller sees the settings of an organization: one of its owners, by
    /// a token with `admin:org`.
    pub async fn sees_settings_of(
        &self,
        caller: &Caller,
        organization: &account::Model,
    ) -> Outcome<bool> {
        let (Some(user), Some(scopes)) = (caller.user(), caller.scopes()) else {
            return Ok(false);
        };
        if !has_scope(scopes, &["admin:org"]) {
            return Ok(false);
        }
        let role = self.membership(organization.id, user.id).await?;
        Ok(role == Some(membership::Role::Admin))
    }
}
