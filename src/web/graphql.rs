//! GraphQL, with the part of GitHub's schema that `gh auth status` and similar clients need to
//! learn whose token they have: `viewer { login }`. Every other field gets GitHub's error for an
//! undefined field. It is not part of the documents, which describe a REST API.
//!
//! A query costs its caller a permit, and its limits apply before it is validated: the size of
//! the body, the tokens and their nesting (`answer.rs`), and the selections and the size of the
//! response after fragments are expanded (`cost.rs`).

mod answer;
mod cost;
mod errors;
mod selections;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use poem::{Endpoint, IntoResponse, Request, Response, Result};

use contract::body;
use contract::call::RequestContext;
use contract::control::journal::Check;
use contract::problem::Problem;
use contract::reply::{Outcome, Reply};
use forge::app::App;
use forge::explain;
use storage::heavy;

/// The path of the endpoint.
pub const PATH: &str = "/graphql";

/// The path that clients of an enterprise host use, next to `/api/v3`.
pub const ENTERPRISE_PATH: &str = "/api/graphql";

/// How to do what a refused query does not.
const ADVICE: &str = "This server answers `viewer { login }` and introspection over GraphQL; use \
                      the REST API for everything else.";

/// The largest body in bytes: the query and its variables.
const BODY_LIMIT: usize = 128 * 1024;

/// The endpoint of the authenticated caller.
pub struct GraphQl {
    app: Arc<App>,
}

impl GraphQl {
    pub fn new(app: &Arc<App>) -> Self {
        Self { app: app.clone() }
    }

    async fn query(&self, request: Request) -> Outcome<Response> {
        let (request, mut body) = request.split();
        let unidentified = || Problem::internal("a request reached GraphQL unidentified");
        let context = request.extensions().get::<RequestContext>();
        let caller = &context.ok_or_else(unidentified)?.caller;
        let login = self.app.access.login(caller)?;
        let body = body::object(&request, &mut body, None, BODY_LIMIT).await?;
        let answer = heavy::compute(move || answer::answer(body, &login)).await;
        let answer = answer.map_err(Problem::internal)??;
        if let Some(error) = &answer.error {
            explain::note(|| explain::mistake(Check::Operation, "GraphQL", error, ADVICE));
        }
        let reply = Reply::<200, _>::new(());
        Ok(reply.written(answer.json).into_response())
    }
}

impl Endpoint for GraphQl {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        Ok(self.query(request).await?)
    }
}
