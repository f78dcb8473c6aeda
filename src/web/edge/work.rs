//! The context of an operation: permits for heavy work, and the permission guard for
//! writes.

use poem::Response;

use contract::call::RequestContext;
use contract::problem::Problem;
use forge::access::aggregates_of;
use forge::access::credential::Credential;
use forge::app::App;
use storage::database::guard::{self, PermissionGuard};
use storage::heavy::CallerPermits;
use storage::limits::Subject;

/// The caller's permits for heavy work.
pub fn caller_permits(app: &App, call: &RequestContext) -> CallerPermits {
    let subject = Subject::of(&call.caller, call.address);
    app.permits
        .of(subject.unwrap_or(Subject::Address(call.address)))
}

/// The permission guard of a request that may write.
pub struct GuardedWrite {
    guard: PermissionGuard,
    token: Credential<'static>,
}

impl GuardedWrite {
    /// Call this right after authentication.
    pub fn new(
        app: &App,
        token: Credential<'static>,
        call: &RequestContext,
        expires_at: Option<i64>,
    ) -> Self {
        let caller = aggregates_of(&call.caller);
        Self {
            guard: PermissionGuard::new(app.clock.clone(), expires_at, &caller),
            token,
        }
    }

    /// Runs the operation. If the caller lost its permission meanwhile, returns the reason.
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
