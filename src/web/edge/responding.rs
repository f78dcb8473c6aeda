//! Produces a response: from the cache, or from the operation.

use poem::{Endpoint, IntoResponse, Request, Response};
use poem_openapi::OperationId;

use super::Edge;
use crate::web::address::RequestUrl;
use crate::web::answers::Answer;
use crate::web::compression::compress;
use crate::web::headers::{self, Facts};
use crate::web::indentation::indent;
use crate::web::{conditional, failures};
use contract::call::RequestContext;
use contract::problem::Problem;
use forge::access::aggregates_of;
use storage::cache::Key;

impl<E: Endpoint> Edge<E> {
    /// Answers a request that the cache could not answer.
    pub(super) async fn fresh(
        &self,
        key: Option<Key>,
        request: Request,
        call: RequestContext,
        address: &RequestUrl,
        facts: &mut Facts,
    ) -> Result<Response, Problem> {
        match key {
            Some(key) => self.cached(key, request, call, address, facts).await,
            None => self.computed(request, call, address, facts).await,
        }
    }

    /// Answers from the cache, or computes the response and caches it.
    async fn cached(
        &self,
        key: Key,
        request: Request,
        call: RequestContext,
        address: &RequestUrl,
        facts: &mut Facts,
    ) -> Result<Response, Problem> {
        let mut hit = true;
        let compute = || async {
            hit = false;
            self.app.db.reading(&aggregates_of(&call.caller)).await;
            let mut response = self.computed(request, call, address, facts).await?;
            let body = response.take_body().into_bytes().await;
            let body = body.map_err(Problem::internal)?;
            Ok::<_, Problem>(Answer::of(&response, body))
        };
        let answer = self.app.cache.get_or_compute(key, compute).await?;
        Ok(from_cache(&answer, if hit { "hit" } else { "miss" }, facts))
    }

    /// Runs the operation, and adds the validator and the common headers.
    async fn computed(
        &self,
        mut request: Request,
        call: RequestContext,
        address: &RequestUrl,
        facts: &mut Facts,
    ) -> Result<Response, Problem> {
        *request.uri_mut() = address.routed().ok_or(Problem::NotFound)?;
        request.extensions_mut().insert(call);
        let mut response = self.operate(request, facts).await?;
        if facts.indented {
            indent(&mut response).await?;
        }
        conditional::tag(&mut response).await?;
        compress(&mut response, facts.encoding).await?;
        headers::add_shared(facts, &mut response);
        Ok(response)
    }

    async fn operate(&self, request: Request, facts: &mut Facts) -> Result<Response, Problem> {
        match self.operations.call(request).await {
            Ok(answer) => {
                let response = answer.into_response();
                let id = response.data::<OperationId>();
                facts.operation = id.and_then(|id| contract::operation(id.0));
                Ok(response)
            }
            Err(mut error) => {
                let (problem, operation) = failures::take_problem(&mut error);
                facts.operation = operation;
                Err(problem)
            }
        }
    }
}

pub(super) fn from_cache(answer: &Answer, outcome: &'static str, facts: &mut Facts) -> Response {
    facts.operation = answer.operation;
    facts.cache = Some(outcome);
    answer.response()
}
