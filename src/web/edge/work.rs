//! What surrounds the work of an operation: where it waits when it is heavy, and who
//! may still change something when it does.

use poem::Response;

use crate::access::aggregates_of;
use crate::access::credential::Credential;
use crate::app::App;
use crate::contract::call::RequestContext;
use crate::contract::problem::Problem;
use crate::database::guard::{self, Guard};
use crate::heavy::Waiter;
use crate::limits::Subject;

/// Where a request waits when it has heavy work to do.
pub fn waiter(app: &App, call: &RequestContext) -> Waiter {
    let subject = Subject::of(&call.caller, call.address);
    app.turns
        .of(subject.unwrap_or(Subject::Address(call.address)))
}

/// Whoever may change something.
pub struct Writer {
    guard: Guard,
    token: Credential<'static>,
}

impl Writer {
    /// Call it when the caller was just recognised.
    pub fn new(
        app: &App,
        token: Credential<'static>,
        call: &RequestContext,
        expires_at: Option<i64>,
    ) -> Self {
        let caller = aggregates_of(&call.caller);
        Self {
            guard: Guard::new(app.clock.clone(), expires_at, &caller),
            token,
        }
    }

    /// Lets nobody change what they may no longer change, and says why.
    pub async fn write(
        self,
        app: &App,
        answer: impl Future<Output = Result<Response, Problem>>,
    ) -> Result<Response, Problem> {
        let (answer, lost) = guard::guarded(self.guard, answer).await;
        if lost {
            app.access.identify(&self.token).await?;
        }
        answer
    }
}
