//! Accounts on behalf of a caller: who somebody is, everybody may know; who the
//! caller is, only a user's token says.

use super::policy::{Operation, rule};
use super::{Access, not_suspended, refused};
use crate::contract::call::Call;
use crate::contract::caller::Person;
use crate::contract::problem::Problem;
use crate::contract::reply::Outcome;
use crate::entities::account;

impl Access {
    /// The account with this login, of this kind or of any.
    #[tracing::instrument(level = "debug", name = "access", skip_all)]
    pub async fn account(
        &self,
        call: &Call,
        operation: Operation,
        login: &str,
        kind: Option<account::Kind>,
    ) -> Outcome<account::Model> {
        if call.caller.is_anonymous() && !rule(operation).anonymous {
            return Err(Problem::Unauthenticated);
        }
        not_suspended(&call.caller)?;
        let found = self.find_login(login).await?;
        found
            .filter(|account| kind.is_none_or(|kind| account.kind == kind))
            .ok_or(Problem::NotFound)
    }

    /// The user on whose behalf the call is made.
    pub fn calling_user<'a>(&self, call: &'a Call, operation: Operation) -> Outcome<&'a Person> {
        let caller = &*call.caller;
        match caller.user() {
            Some(user) if rule(operation).kinds.include(caller) => Ok(user),
            _ => Err(refused(caller, "")),
        }
    }
}
