//! The origin of a change: who makes it, where and when, for its events.

use std::sync::Arc;

use super::{Audience, Outbox};
use crate::access::RepositoryGrant;
use crate::urls::Urls;
use contract::call::Call;
use storage::entities::{account, repository};

/// The origin of a change in a repository.
pub struct Origin<'a> {
    pub outbox: &'a Outbox,
    pub repository: &'a repository::Model,
    pub owner: &'a account::Model,
    /// The account that makes the change.
    pub sender: Option<i64>,
    /// Builds URLs with the host that the sender used.
    pub urls: Urls,
    pub now: i64,
    /// The audience of the change, if it is known; otherwise its transaction determines it.
    pub audience: Option<Arc<Audience>>,
}

impl<'a> Origin<'a> {
    pub fn of(outbox: &'a Outbox, call: &Call, grant: &'a RepositoryGrant, now: i64) -> Self {
        Self {
            outbox,
            repository: &grant.repository,
            owner: &grant.owner,
            sender: call.caller.author(),
            urls: Urls::of(call),
            now,
            audience: None,
        }
    }

    /// `acme/gadgets`, in the case in which it was created.
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.owner.login, self.repository.name)
    }

    /// Sets an audience that is already known.
    pub fn before(mut self, audience: Arc<Audience>) -> Self {
        self.audience = Some(audience);
        self
    }
}
