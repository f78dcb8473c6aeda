//! The origin of a change: who makes it, where and when, for its events.

use std::sync::Arc;

use crate::access::RepositoryGrant;
use crate::app::App;
use crate::notify::Audience;
use crate::urls::Urls;
use contract::call::Call;
use storage::entities::{account, repository};

/// The origin of a change in a repository.
pub struct Origin<'a> {
    pub app: &'a App,
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
    pub fn of(app: &'a App, call: &Call, grant: &'a RepositoryGrant) -> Self {
        Self {
            app,
            repository: &grant.repository,
            owner: &grant.owner,
            sender: call.caller.author(),
            urls: Urls::of(call),
            now: app.clock.now().0,
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
