//! The pipeline of requests of Git clients: like that of the API, with the statuses, words
//! and time limits that Git clients expect.

mod refusal;
mod route;
mod upload;

use std::sync::Arc;
use std::time::{Duration, Instant};

use poem::http::{HeaderValue, StatusCode, header};
use poem::{Body, Endpoint, Request, Response};
use tracing::Instrument;
use tracing::field::Empty;

use super::journaling::JournaledRequest;
use super::work::{self, GuardedWrite};
use super::{Edge, budget, messages};
use crate::telemetry;
use crate::web::address::RequestUrl;
use crate::web::headers::Facts;
use crate::web::request_id;
use crate::web::server::LongRequests;
use contract::call::{Call, RequestContext};
use contract::caller::Caller;
use contract::media::Media;
use contract::problem::Problem;
use contract::version::ApiVersion;
use forge::access::credential::{Credential, Identity};
use forge::explain;
use forge::git_transport::{GitReply, Service};
use git::transport::Version;
pub use route::GitRoute;
use route::Step;
use storage::database::dependencies;
use storage::heavy;
use upload::Upload;

/// How long a fetch may take until its pack begins, and a push as a whole.
const FETCH_TIMEOUT: Duration = Duration::from_secs(5 * 60);
const PUSH_TIMEOUT: Duration = Duration::from_secs(30 * 60);

/// The largest request of a client that fetches: about 300,000 names of objects.
const FETCH_BYTES: usize = 16 * 1024 * 1024;

impl<E: Endpoint> Edge<E> {
    pub(super) async fn serve_git(&self, route: &GitRoute, mut request: Request) -> Response {
        let started = Instant::now();
        let mut watched = JournaledRequest::begin(&self.app, &request);
        if let Some(watched) = &mut watched {
            watched.count_body(&mut request);
        }
        let recorder = watched.as_ref().map(JournaledRequest::recorder);
        let method = request.method().clone();
        let mut facts = Facts {
            request_id: request_id::next(self.app.clock.now()),
            operation: Some(route.operation()),
            ..Facts::default()
        };
        let span = tracing::debug_span!(
            "request",
            method = method.as_str(),
            request_id = facts.request_id,
            operation = route.operation().id,
            status = Empty
        );
        telemetry::continue_trace(&span, request.headers());
        let answer = self.answer_git_or_fail(route, request, &mut facts);
        let answer = explain::recording(recorder, answer.instrument(span.clone()));
        let (mut response, problem) = answer.await;
        span.record("status", response.status().as_u16());
        if let Ok(id) = HeaderValue::from_str(&facts.request_id) {
            response.headers_mut().insert("x-github-request-id", id);
        }
        if let Some(watched) = watched {
            let end = watched.end_git(&self.app, &facts, &mut response, problem.as_ref());
            end.await;
        }
        self.record(&method, &facts, response.status(), started.elapsed());
        response
    }

    pub(super) async fn respond_git(
        &self,
        route: &GitRoute,
        request: Request,
        facts: &mut Facts,
    ) -> (Response, Option<Problem>) {
        match self.git_in_time(route, request, facts).await {
            Ok(response) => (response, None),
            Err(problem) => {
                log_failure(&problem, facts);
                (route.refuse(&problem, facts), Some(problem))
            }
        }
    }

    /// Answers within the time limit. The connection may be silent until then.
    async fn git_in_time(
        &self,
        route: &GitRoute,
        request: Request,
        facts: &mut Facts,
    ) -> Result<Response, Problem> {
        let _long_request = request
            .extensions()
            .get::<LongRequests>()
            .map(LongRequests::begin);
        let time_limit = match route.pushes() {
            true => PUSH_TIMEOUT,
            false => FETCH_TIMEOUT,
        };
        let answer = dependencies::request(Box::pin(self.git_durably(route, request, facts)));
        let answer = tokio::time::timeout(time_limit, answer).await;
        answer.unwrap_or_else(|elapsed| Err(Problem::Unavailable(elapsed.into())))
    }

    /// Answers only after every change that the response depends on is durable.
    async fn git_durably(
        &self,
        route: &GitRoute,
        request: Request,
        facts: &mut Facts,
    ) -> Result<Response, Problem> {
        let answer = self.answer_git(route, request, facts).await;
        self.app.db.wait_for_group_commit().await?;
        answer
    }

    async fn answer_git(
        &self,
        route: &GitRoute,
        mut request: Request,
        facts: &mut Facts,
    ) -> Result<Response, Problem> {
        messages::reject_two_credentials(request.headers())?;
        let authorization = request.headers().get(header::AUTHORIZATION).cloned();
        let credential = Credential::of(authorization.as_ref().map(HeaderValue::as_bytes));
        let identity = self.git_caller(route, &credential, &request, facts).await?;
        let context = self.git_context(&request, identity.caller);
        budget::count(&self.app, &context, facts).await?;
        let permits = work::caller_permits(&self.app, &context);
        let token = match &credential {
            Ok(Credential::Token(hash)) => Credential::Token(hash.clone()),
            _ => Credential::None,
        };
        let writer = GuardedWrite::new(&self.app, token, &context, identity.expires_at);
        let version = request.headers().get("git-protocol");
        let version = Version::of(version.and_then(|value| value.to_str().ok()));
        let upload = Upload::of(&mut request)?;
        let call = Call::new(context, route.operation());
        let answer = self.git_reply(route, call, version, upload);
        let answer = Box::pin(heavy::request(permits, answer));
        match route.pushes() {
            true => writer.write(&self.app, answer).await,
            false => answer.await,
        }
    }

    async fn git_caller(
        &self,
        route: &GitRoute,
        credential: &Result<Credential<'_>, Problem>,
        request: &Request,
        facts: &mut Facts,
    ) -> Result<Identity, Problem> {
        let identified = match credential {
            Ok(credential) if route.pushes() => self.app.access.identify_writer(credential).await,
            Ok(credential) => self.app.access.identify(credential).await,
            Err(_) => Err(Problem::BAD_CREDENTIALS),
        };
        match identified {
            Err(problem @ Problem::BadCredentials(_)) => {
                let address = messages::remote_address(request);
                Err(budget::count_failed_login(&self.app, problem, address, facts).await)
            }
            Ok(identity) => {
                facts.caller = Some(identity.caller.clone());
                Ok(identity)
            }
            Err(problem) => Err(problem),
        }
    }

    fn git_context(&self, request: &Request, caller: Arc<Caller>) -> RequestContext {
        let url = RequestUrl::of(
            request,
            self.app.settings.base_url.as_deref(),
            &self.app.settings.mount,
        );
        RequestContext {
            caller,
            address: messages::remote_address(request),
            media: Media::default(),
            form: None,
            version: ApiVersion::V2022_11_28,
            origin: url.origin.as_str().into(),
            prefix: "",
            path: request.uri().path().to_owned(),
            query: url.query,
        }
    }

    async fn git_reply(
        &self,
        route: &GitRoute,
        call: Call,
        version: Version,
        upload: Upload,
    ) -> Result<Response, Problem> {
        let at = &route.at;
        let reply = match route.step {
            Step::Advertise(service) => self.git.advertise(&call, at, service, version).await?,
            Step::Serve(Service::UploadPack) => {
                let body = upload.whole(FETCH_BYTES);
                self.git.upload_pack(&call, at, version, body).await?
            }
            Step::Serve(Service::ReceivePack) => {
                GitReply::Whole(self.git.receive_pack(&call, at, upload).await?)
            }
            Step::Unsupported => return Err(refusal::dumb()),
        };
        Ok(respond(route, reply))
    }
}

fn log_failure(problem: &Problem, facts: &Facts) {
    if problem.status().is_server_error() {
        let cause = std::error::Error::source(problem).map(ToString::to_string);
        tracing::error!(request_id = facts.request_id, cause, "{problem}");
    }
}

fn respond(route: &GitRoute, reply: GitReply) -> Response {
    let body = match reply {
        GitReply::Whole(bytes) => Body::from_vec(bytes),
        GitReply::Streamed(body) => Body::from(body),
    };
    Response::builder()
        .status(StatusCode::OK)
        .header(header::CONTENT_TYPE, route.content_type())
        .header(
            header::CACHE_CONTROL,
            "no-cache, max-age=0, must-revalidate",
        )
        .header(header::EXPIRES, "Fri, 01 Jan 1980 00:00:00 GMT")
        .header(header::PRAGMA, "no-cache")
        .header(header::VARY, "Accept-Encoding")
        .body(body)
}
