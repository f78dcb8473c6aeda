//! The HTTP client for webhooks. Follows no redirects, keeps only the beginning of a
//! response, and takes at most ten seconds in total.

mod headers;

use std::sync::LazyLock;
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use poem::http::{HeaderMap, Request, StatusCode, header};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::time::{Instant, timeout_at};

use super::client::headers::to_json;
use super::signature;
use crate::outbound::Trust;
use crate::outbound::address::{Networks, WebhookTarget};
use storage::entities::app::HookContentType;

/// The time limit of a delivery, from connecting to the response.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The bytes of a response body that are stored.
const STORED_BODY: usize = 64 * 1024;

/// A webhook request.
#[derive(Debug, Clone)]
pub struct Webhook {
    pub url: Option<String>,
    pub secret: Option<String>,
    pub content_type: HookContentType,
    pub insecure_ssl: bool,
    pub app: i64,
    pub event: String,
    pub guid: String,
    pub payload: String,
}

/// The outcome of a webhook request.
#[derive(Debug, Clone, Default)]
pub struct Attempt {
    pub duration_ms: i64,
    pub status_code: i64,
    pub status: String,
    pub request_headers: Option<Value>,
    pub response_headers: Option<Value>,
    pub response_body: Option<String>,
    /// The reason of a failure, for the log.
    pub error: Option<String>,
}

impl Attempt {
    fn unanswered(status_code: i64, status: &str, error: String) -> Self {
        Self {
            status_code,
            status: status.to_owned(),
            error: Some(error),
            ..Self::default()
        }
    }

    fn answered(response: &TruncatedResponse) -> Self {
        let status = response.status;
        let failed = !status.is_success();
        Self {
            status_code: status.as_u16().into(),
            status: match failed {
                false => "OK".to_owned(),
                true => format!("Invalid HTTP Response: {}", status.as_u16()),
            },
            response_headers: Some(to_json(&response.headers)),
            // PostgreSQL cannot store NUL.
            response_body: Some(String::from_utf8_lossy(&response.body).replace('\0', "\u{fffd}")),
            error: failed.then(|| format!("the receiver answered {status}")),
            ..Self::default()
        }
    }
}

impl Webhook {
    /// Sends the request.
    pub async fn send(self, networks: Networks, trust: &Trust) -> Attempt {
        let started = Instant::now();
        let trust = match self.insecure_ssl {
            true => Trust::anybody(),
            false => trust.clone(),
        };
        let (headers, mut attempt) = match self.request() {
            Ok((target, request)) => {
                let headers = to_json(request.headers());
                let until = started + TIMEOUT;
                let attempt = attempt(&target, networks, &trust, request, until).await;
                (Some(headers), attempt)
            }
            Err(reason) => (None, Attempt::unanswered(502, UNREACHABLE, reason)),
        };
        attempt.request_headers = headers;
        attempt.duration_ms = i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX);
        attempt
    }

    fn request(self) -> Result<(WebhookTarget, Request<Full<Bytes>>), String> {
        let url = self.url.ok_or("the app no longer has a webhook")?;
        let target = WebhookTarget::parse(&url)?;
        let (media, body) = match self.content_type {
            HookContentType::Json => ("application/json", self.payload),
            HookContentType::Form => ("application/x-www-form-urlencoded", form(&self.payload)),
        };
        let mut request = Request::post(&target.path)
            .header(header::HOST, target.authority())
            .header(header::USER_AGENT, USER_AGENT.as_str())
            .header(header::ACCEPT, "*/*")
            .header(header::CONTENT_TYPE, media)
            .header("X-GitHub-Event", &self.event)
            .header("X-GitHub-Delivery", &self.guid)
            .header("X-GitHub-Hook-ID", self.app)
            .header("X-GitHub-Hook-Installation-Target-ID", self.app)
            .header("X-GitHub-Hook-Installation-Target-Type", "integration");
        if let Some(secret) = &self.secret {
            for (name, value) in signature::headers(secret, body.as_bytes()) {
                request = request.header(name, value);
            }
        }
        let request = request
            .body(Full::new(Bytes::from(body)))
            .map_err(|error| error.to_string())?;
        Ok((target, request))
    }
}

fn form(payload: &str) -> String {
    url::form_urlencoded::Serializer::new(String::new())
        .append_pair("payload", payload)
        .finish()
}

/// GitHub's message for a receiver that does not respond.
const UNREACHABLE: &str = "failed to connect to host";

async fn attempt(
    target: &WebhookTarget,
    networks: Networks,
    trust: &Trust,
    request: Request<Full<Bytes>>,
    until: Instant,
) -> Attempt {
    let response = exchange(target, networks, trust, request, until);
    match timeout_at(until, response).await {
        Ok(Ok(response)) => Attempt::answered(&response),
        Ok(Err(reason)) => Attempt::unanswered(502, UNREACHABLE, reason),
        Err(_) => {
            let seconds = TIMEOUT.as_secs();
            let reason = format!("the receiver did not answer within {seconds} seconds");
            Attempt::unanswered(504, "timed out", reason)
        }
    }
}

/// Receivers expect this name followed by seven hexadecimal digits. Here they are a hash of the
/// version.
static USER_AGENT: LazyLock<String> = LazyLock::new(|| {
    let version = hex::encode(Sha256::digest(env!("CARGO_PKG_VERSION")));
    format!("GitHub-Hookshot/{}", &version[..7])
});

/// A response whose body may be truncated.
struct TruncatedResponse {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

/// Sends a request to a target, and reads the response until the deadline.
async fn exchange(
    target: &WebhookTarget,
    networks: Networks,
    trust: &Trust,
    request: Request<Full<Bytes>>,
    until: Instant,
) -> Result<TruncatedResponse, String> {
    let mut streaming = target.exchange(networks, trust, request).await?;
    let mut body = Vec::new();
    // The body has an earlier deadline, so that a stalled body does not fail the attempt.
    let until = until.checked_sub(TIMEOUT / 10).unwrap_or(until);
    let _ = timeout_at(until, read(streaming.response.body_mut(), &mut body)).await;
    Ok(TruncatedResponse {
        status: streaming.response.status(),
        headers: std::mem::take(streaming.response.headers_mut()),
        body,
    })
}

/// Reads the beginning of a body.
async fn read(body: &mut Incoming, buffer: &mut Vec<u8>) {
    while buffer.len() < STORED_BODY {
        let Some(Ok(frame)) = body.frame().await else {
            return;
        };
        if let Some(data) = frame.data_ref() {
            let room = STORED_BODY - buffer.len();
            buffer.extend_from_slice(&data[..data.len().min(room)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_holds_the_whole_payload() {
        assert_eq!(
            form("{\"a\": \"ä&\"}"),
            "payload=%7B%22a%22%3A+%22%C3%A4%26%22%7D"
        );
    }
}
