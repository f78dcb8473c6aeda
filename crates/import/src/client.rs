//! Requests to the API: one at a time, as GitHub asks of its clients. They are repeated when
//! the server or the network fails, and wait for rate limits. The token goes to one origin only.
//! Note: whatever the server sends is bounded: the bytes of an answer, its time, redirects,
//! repetitions and waits.

mod limits;
mod link;
pub mod pace;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{
    ACCEPT, AUTHORIZATION, ETAG, HeaderMap, HeaderName, IF_NONE_MATCH, LINK, LOCATION,
};
use reqwest::redirect::Policy;
use reqwest::{Response, StatusCode};
use serde::Deserialize;
use tokio_rustls::rustls::crypto::ring;
use url::Url;

use crate::address::ApiRoot;
use crate::progress::Progress;
use crate::token::ApiToken;
use pace::{ATTEMPTS, ClientPace, back_off};

/// The largest answer in bytes. A page of a hundred items of the largest size has less.
pub const MAX_BODY: usize = 32 << 20;

const MAX_REDIRECTS: u32 = 5;

/// How often one request waits for a rate limit.
const MAX_LIMITS: u32 = 5;

/// The longest wait: primary limits are reset every hour.
const MAX_WAIT: Duration = Duration::from_secs(3_700);

const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(180);

/// The answer to a request.
#[derive(Debug)]
pub enum ApiAnswer {
    Whole(AnswerPage),
    /// What the client has is current.
    NotModified,
    /// The server has nothing for this token.
    Refused(RequestRefusal),
}

#[derive(Debug, Clone)]
pub struct AnswerPage {
    pub body: Bytes,
    pub etag: Option<String>,
    pub next: Option<Url>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestRefusal {
    pub status: u16,
    pub message: String,
}

/// A request that the import cannot do without has failed. What is stored already stays.
#[derive(Debug, thiserror::Error)]
#[error("{url}: {reason}")]
pub struct RequestFailed {
    pub url: String,
    pub reason: String,
}

/// Why one attempt did not succeed.
enum FailedAttempt {
    /// Another may.
    Again(String, Option<Duration>),
    Limited(Duration),
    Redirected(Url),
    Failed(String),
}

pub struct ApiClient {
    http: reqwest::Client,
    root: ApiRoot,
    token: Option<ApiToken>,
    pace: Arc<dyn ClientPace>,
    progress: Arc<dyn Progress>,
    /// When the rate limit is reset, if nothing remains of it.
    limited_until: Mutex<Option<i64>>,
}

impl ApiClient {
    pub fn new(
        root: ApiRoot,
        token: Option<ApiToken>,
        pace: Arc<dyn ClientPace>,
        progress: Arc<dyn Progress>,
    ) -> Result<Self, String> {
        // Fails if the process has a provider already.
        let _ = ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .user_agent(concat!("forgewright-import/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::none())
            .referer(false)
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(IDLE_TIMEOUT)
            .timeout(REQUEST_TIMEOUT)
            .build();
        Ok(Self {
            http: http.map_err(|cause| format!("cannot make connections: {cause}"))?,
            root,
            token,
            pace,
            progress,
            limited_until: Mutex::new(None),
        })
    }

    pub fn root(&self) -> &ApiRoot {
        &self.root
    }

    pub fn token(&self) -> Option<&ApiToken> {
        self.token.as_ref()
    }

    pub fn now(&self) -> i64 {
        self.pace.now()
    }

    /// Reads an address, until there is an answer. `is_whole` tells whether a body is what it
    /// should be; a body that is cut off or garbled is asked for again.
    pub async fn get(
        &self,
        url: &Url,
        etag: Option<&str>,
        is_whole: &(dyn Fn(&[u8]) -> Result<(), String> + Sync),
    ) -> Result<ApiAnswer, RequestFailed> {
        let mut target = url.clone();
        let (mut attempts, mut limits, mut redirects) = (0, 0, 0);
        loop {
            let attempt = match self.wait_for_reset().await {
                Ok(()) => self.attempt(&target, etag, is_whole).await,
                Err(reason) => Err(FailedAttempt::Failed(reason)),
            };
            let reason = match attempt {
                Ok(answer) => return Ok(answer),
                Err(FailedAttempt::Failed(reason)) => reason,
                Err(FailedAttempt::Redirected(next)) if redirects < MAX_REDIRECTS => {
                    redirects += 1;
                    target = next;
                    continue;
                }
                Err(FailedAttempt::Redirected(_)) => {
                    format!("the server redirects more than {MAX_REDIRECTS} times")
                }
                Err(FailedAttempt::Limited(wait)) if limits < MAX_LIMITS => {
                    limits += 1;
                    match self.wait_for_limit(wait).await {
                        Ok(()) => continue,
                        Err(reason) => reason,
                    }
                }
                Err(FailedAttempt::Limited(_)) => {
                    format!("the server limits the request even after {MAX_LIMITS} waits")
                }
                Err(FailedAttempt::Again(reason, after)) => {
                    attempts += 1;
                    if attempts < ATTEMPTS {
                        let wait =
                            back_off(attempts, self.pace.chance()).max(after.unwrap_or_default());
                        self.progress.retrying(&reason, wait);
                        self.pace.wait(wait.min(MAX_WAIT)).await;
                        continue;
                    }
                    format!("{reason}, {ATTEMPTS} times")
                }
            };
            return Err(self.failed(url, &reason));
        }
    }

    fn failed(&self, url: &Url, reason: &str) -> RequestFailed {
        RequestFailed {
            url: self.without_token(url.as_str()),
            reason: self.without_token(reason),
        }
    }

    fn without_token(&self, text: &str) -> String {
        self.token
            .as_ref()
            .map_or_else(|| text.to_owned(), |token| token.masked(text))
    }

    async fn wait_for_reset(&self) -> Result<(), String> {
        let until = self
            .limited_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        match until.map(|until| until.saturating_sub(self.pace.now())) {
            Some(seconds) if seconds > 0 => {
                self.wait_for_limit(Duration::from_secs(seconds.unsigned_abs()))
                    .await
            }
            _ => Ok(()),
        }
    }

    async fn wait_for_limit(&self, wait: Duration) -> Result<(), String> {
        if wait > MAX_WAIT {
            return Err(format!(
                "the rate limit is exhausted for {} seconds; run the same command again then",
                wait.as_secs()
            ));
        }
        self.progress.limited(wait);
        self.pace.wait(wait).await;
        Ok(())
    }

    async fn attempt(
        &self,
        url: &Url,
        etag: Option<&str>,
        is_whole: &(dyn Fn(&[u8]) -> Result<(), String> + Sync),
    ) -> Result<ApiAnswer, FailedAttempt> {
        if !self.root.has(url) {
            return Err(FailedAttempt::Failed(format!(
                "the server refers to {}, which the token is not for",
                self.without_token(url.as_str())
            )));
        }
        let response = self.request(url, etag).send().await;
        let response = response.map_err(|cause| FailedAttempt::Again(described(&cause), None))?;
        let (status, headers) = (response.status(), response.headers().clone());
        if let Some(wait) = limits::exhausted(&headers, self.pace.now()) {
            let until = self.pace.now().saturating_add_unsigned(wait.as_secs());
            *self
                .limited_until
                .lock()
                .unwrap_or_else(PoisonError::into_inner) = Some(until);
        }
        if status == StatusCode::NOT_MODIFIED && etag.is_some() {
            return Ok(ApiAnswer::NotModified);
        }
        if status.is_redirection() {
            return Err(redirection(&headers, url));
        }
        let body = body(response).await?;
        if status == StatusCode::OK {
            is_whole(&body).map_err(|reason| FailedAttempt::Again(reason, None))?;
            return page(body, &headers, url).map(ApiAnswer::Whole);
        }
        self.refusal(status, &headers, &body)
    }

    fn request(&self, url: &Url, etag: Option<&str>) -> reqwest::RequestBuilder {
        let mut request = self
            .http
            .get(url.clone())
            .header(ACCEPT, "application/vnd.github+json")
            .header(
                HeaderName::from_static("x-github-api-version"),
                "2022-11-28",
            );
        if let Some(header) = self.token.as_ref().and_then(ApiToken::header) {
            request = request.header(AUTHORIZATION, header);
        }
        match etag {
            Some(etag) => request.header(IF_NONE_MATCH, etag),
            None => request,
        }
    }

    fn refusal(
        &self,
        status: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Result<ApiAnswer, FailedAttempt> {
        #[derive(Deserialize)]
        struct Problem {
            message: String,
        }
        let problem: Option<Problem> = serde_json::from_slice(body).ok();
        let message = problem.map(|problem| problem.message).unwrap_or_default();
        let message = self.without_token(
            &message
                .chars()
                .filter(|c| !c.is_control())
                .take(200)
                .collect::<String>(),
        );
        if let Some(wait) = limits::wait_after(status, headers, &message, self.pace.now()) {
            // The limit of this answer is waited for at once.
            self.limited_until
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take();
            return Err(FailedAttempt::Limited(wait));
        }
        match status.as_u16() {
            401 => Err(FailedAttempt::Failed(
                "the server does not accept the token; check the variable of --token-env"
                    .to_owned(),
            )),
            403 | 404 | 410 | 422 | 451 => Ok(ApiAnswer::Refused(RequestRefusal {
                status: status.as_u16(),
                message,
            })),
            408 | 500..=599 => Err(FailedAttempt::Again(
                format!("the server answers {status}"),
                limits::retry_after(headers),
            )),
            _ => Err(FailedAttempt::Failed(format!(
                "the server answers {status} {message}"
            ))),
        }
    }
}

fn page(body: Bytes, headers: &HeaderMap, url: &Url) -> Result<AnswerPage, FailedAttempt> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let next = match text(LINK).and_then(|header| link::next(header, url)) {
        None => None,
        Some(Ok(next)) => Some(next),
        Some(Err(_)) => {
            let reason = "the address of the next page is not valid";
            return Err(FailedAttempt::Failed(reason.to_owned()));
        }
    };
    Ok(AnswerPage {
        body,
        etag: text(ETAG).map(str::to_owned),
        next,
    })
}

fn redirection(headers: &HeaderMap, url: &Url) -> FailedAttempt {
    let location = headers.get(LOCATION).and_then(|value| value.to_str().ok());
    match location.map(|location| url.join(location)) {
        Some(Ok(target)) => FailedAttempt::Redirected(target),
        _ => FailedAttempt::Failed("the server redirects to nowhere".to_owned()),
    }
}

async fn body(mut response: Response) -> Result<Bytes, FailedAttempt> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(None) => return Ok(body.into()),
            Ok(Some(chunk)) if body.len() + chunk.len() <= MAX_BODY => {
                body.extend_from_slice(&chunk);
            }
            Ok(Some(_)) => {
                return Err(FailedAttempt::Failed(format!(
                    "the answer is larger than {} MiB",
                    MAX_BODY >> 20
                )));
            }
            Err(cause) => return Err(FailedAttempt::Again(described(&cause), None)),
        }
    }
}

/// An error of the network without the address, which the caller adds.
fn described(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    match error {
        error if error.is_timeout() => "the server does not answer in time".to_owned(),
        error if error.is_connect() => format!("cannot connect: {cause}"),
        _ => format!("the connection broke: {cause}"),
    }
}
