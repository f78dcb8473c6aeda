//! The client of the control API, for commands that use a running server.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use poem::http::{Method, Request, StatusCode, header};
use serde_json::Value;
use tokio::net::TcpStream;
use url::{Position, Url};

use super::Failure;
use contract::control::CONTROL_PATH;
use forge::outbound::{self, Trust};

/// The time limit of a request.
const TIMEOUT: Duration = Duration::from_secs(90);

/// The largest response in bytes.
const LARGEST: usize = 64 * 1024 * 1024;

/// The running server. The argument ids differ from those of `serve`, whose flags are also
/// accepted without a command.
#[derive(Debug, Args)]
pub struct ServerConfig {
    /// The address of the running server
    #[arg(
        id = "asked_server",
        long = "server",
        global = true,
        env = "FORGEWRIGHT_SERVER",
        value_name = "URL",
        default_value = "http://127.0.0.1:8080",
        value_parser = address
    )]
    server: Url,

    /// A PEM file of certificate authorities to trust in addition to the public ones, such as that
    /// of `--tls-dev`
    #[arg(
        id = "asked_authority",
        long = "ca-file",
        global = true,
        env = "SSL_CERT_FILE",
        value_name = "FILE"
    )]
    ca_file: Option<PathBuf>,

    /// The token of its control API, if it requires one
    #[arg(
        id = "asked_token",
        long = "control-token",
        global = true,
        env = "FORGEWRIGHT_CONTROL_TOKEN",
        value_name = "TOKEN",
        hide_env_values = true
    )]
    control_token: Option<String>,

    /// The name of the world
    #[arg(
        id = "asked_world",
        long = "world",
        global = true,
        value_name = "NAME",
        default_value = "main"
    )]
    world: String,
}

fn address(text: &str) -> Result<Url, String> {
    let web = |text: &str| {
        let url = Url::parse(text).ok()?;
        let web = matches!(url.scheme(), "http" | "https") && url.has_host();
        web.then_some(url)
    };
    web(text).ok_or_else(|| {
        let complete = format!("http://{text}");
        match web(&complete) {
            Some(_) if !text.contains("://") => {
                format!("the URL has no scheme; did you mean {complete}?")
            }
            _ => "expected a URL such as http://127.0.0.1:8080".to_owned(),
        }
    })
}

impl ServerConfig {
    pub fn world(&self) -> &str {
        &self.world
    }

    /// Sends a request about the world: a method, and a path below it, with its query.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, Failure> {
        let mut url = self.server.clone();
        let (path, query) = match path.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (path, None),
        };
        url.set_query(query);
        if let Ok(mut segments) = url.path_segments_mut() {
            let below = CONTROL_PATH.trim_start_matches('/');
            segments
                .pop_if_empty()
                .extend([below, "worlds", &self.world]);
            segments.extend(path.split('/').filter(|part| !part.is_empty()));
        }
        let outcome = tokio::time::timeout(TIMEOUT, self.exchange(&url, method, body)).await;
        let outcome = outcome.unwrap_or_else(|_| {
            let seconds = TIMEOUT.as_secs();
            Err(format!("it did not answer within {seconds} seconds"))
        });
        let (status, bytes) = outcome.map_err(|reason| {
            let server = self.server.as_str().trim_end_matches('/');
            Failure::Other(format!(
                "no server answers at {server}: {reason}; start one with `forgewright serve`, or \
                 name another with --server"
            ))
        })?;
        self.read(status, &bytes)
    }

    fn read(&self, status: StatusCode, bytes: &[u8]) -> Result<Value, Failure> {
        let value: Value = serde_json::from_slice(bytes).unwrap_or_default();
        if status.is_success() {
            return Ok(value);
        }
        let message = value["message"].as_str().unwrap_or_default();
        let server = self.server.as_str().trim_end_matches('/');
        Err(Failure::Other(match status {
            StatusCode::UNAUTHORIZED => format!(
                "the control API of {server} requires its token: pass --control-token or set \
                 FORGEWRIGHT_CONTROL_TOKEN"
            ),
            StatusCode::NOT_FOUND if ["Not Found", ""].contains(&message) => {
                format!("{server} does not serve the control API; start it with `--control on`")
            }
            _ if message.is_empty() => format!("{server} answered {status}"),
            _ => reasons(message, &value),
        }))
    }

    /// The authorities to trust. The file is read only for a server with TLS.
    fn trust(&self, url: &Url) -> Result<Trust, String> {
        match &self.ca_file {
            Some(file) if url.scheme() == "https" => Trust::with_file(file)
                .map_err(|cause| format!("the authorities in {}: {cause}", file.display())),
            _ => Ok(Trust::default()),
        }
    }

    async fn exchange(
        &self,
        url: &Url,
        method: Method,
        body: Option<&Value>,
    ) -> Result<(StatusCode, Bytes), String> {
        let host = url.host_str().unwrap_or_default();
        let port = url.port_or_known_default().unwrap_or(80);
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let mut request = Request::builder()
            .method(method)
            .uri(&url[Position::BeforePath..Position::AfterQuery])
            .header(header::HOST, url.authority())
            .header(header::CONTENT_TYPE, "application/json");
        if let Some(token) = &self.control_token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let body = body.map(Value::to_string).unwrap_or_default();
        let request = request.body(Full::new(Bytes::from(body)));
        let request = request.map_err(|cause| cause.to_string())?;
        let trust = self.trust(url)?;
        let tls = (url.scheme() == "https").then_some((&trust, bare));
        let stream = TcpStream::connect((bare, port))
            .await
            .map_err(|cause| cause.to_string())?;
        let answer = outbound::exchange(stream, tls, request).await?;
        let status = answer.response.status();
        let body = Limited::new(answer.response.into_body(), LARGEST).collect();
        let body = body.await.map_err(|cause| cause.to_string())?;
        Ok((status, body.to_bytes()))
    }
}

/// The message of an error response, and its reasons.
fn reasons(message: &str, value: &Value) -> String {
    let errors = value["errors"].as_array().into_iter().flatten();
    let reasons: Vec<&str> = errors
        .filter_map(|error| error["message"].as_str())
        .collect();
    match reasons.is_empty() {
        true => message.to_owned(),
        false => format!("{message}: {}", reasons.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn config() -> ServerConfig {
        ServerConfig {
            server: address("http://127.0.0.1:8080").unwrap(),
            ca_file: None,
            control_token: None,
            world: "main".to_owned(),
        }
    }

    #[test]
    fn a_refusal_says_what_to_do() {
        let outcome = |status: u16, body: Value| {
            let status = StatusCode::from_u16(status).unwrap();
            let result = config().read(status, body.to_string().as_bytes());
            result.map_err(|failure| failure.to_string())
        };
        assert_eq!(outcome(200, json!({"now": 1})), Ok(json!({"now": 1})));
        let off = outcome(404, json!({"message": "Not Found"})).unwrap_err();
        assert!(off.ends_with("start it with `--control on`"), "{off}");
        let unknown = outcome(404, json!({"message": "There is no world named 'x'"}));
        assert_eq!(unknown, Err("There is no world named 'x'".to_owned()));
        let closed = outcome(401, json!({"message": "Bad credentials"})).unwrap_err();
        assert!(closed.contains("--control-token"), "{closed}");
        let invalid = json!({"message": "Validation Failed", "errors": [{"message": "Too late"}]});
        assert_eq!(
            outcome(422, invalid),
            Err("Validation Failed: Too late".to_owned())
        );
    }

    #[test]
    fn an_address_is_one_of_http() {
        assert!(address("http://localhost:1").is_ok());
        assert!(address("https://forge.example").is_ok());
        for (invalid, words) in [
            ("localhost:8080", "did you mean http://localhost:8080?"),
            ("127.0.0.1:8080", "did you mean http://127.0.0.1:8080?"),
            ("ftp://x", "expected a URL"),
            ("http://", "expected a URL"),
            ("", "expected a URL"),
        ] {
            let error = address(invalid).unwrap_err();
            assert!(error.contains(words), "{invalid}: {error}");
        }
    }
}
