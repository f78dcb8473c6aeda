//! What clients get when a fault applies.

use std::time::{Duration, Instant};

use forgewright::web::server::ConnectionLimits;
use forgewright::web::{self, ControlGuard};
use forgewright::worlds::Worlds;
use serde_json::{Value, json};
use storage::limits::Budgets;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::create_fault;
use crate::control::{start, with};
use crate::harness::{Service, WORLD};

#[tokio::test]
async fn an_error_status_has_githubs_body() {
    let service = start().await.undocumented();
    let alice = service.as_("alice-classic");
    let server_error = "{\n  \"message\": \"Server Error\"\n}\n";
    for (status, body) in [
        (500, server_error),
        (502, server_error),
        (
            503,
            "{\"message\":\"No server is currently available to service your request. Sorry about that. Please try resubmitting your request and contact us if the problem persists.\"}",
        ),
        (
            504,
            "{\"message\":\"We couldn't respond to your request in time. Sorry about that. Please try resubmitting your request and contact us if the problem persists.\"}",
        ),
    ] {
        create_fault(
            &service,
            json!({"effect": "status", "status": status, "times": 1}),
        )
        .await;
        let answer = alice.get("/user").await.expect(status);
        assert_eq!(answer.text, body);
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert!(answer.header("x-github-request-id").is_some());
        assert_eq!(answer.header("x-oauth-scopes"), None);
    }
    let body =
        json!({"effect": "status", "status": 404, "message": "Gone", "retry_after": 7, "times": 1});
    create_fault(&service, body).await;
    let answer = alice.get("/user").await.expect(404);
    assert_eq!(answer.message(), "Gone");
    assert_eq!(answer.header("retry-after"), Some("7"));
    assert!(
        answer.json()["documentation_url"]
            .as_str()
            .unwrap()
            .contains("users")
    );
    assert!(answer.header("x-oauth-scopes").is_some());
    alice.get("/user").await.expect(200);
}

#[tokio::test]
async fn rate_limit_faults_look_like_the_limits_of_the_server() {
    let settings = forge::app::Settings {
        budgets: Some(Budgets::default()),
        ..Default::default()
    };
    let service = with(WORLD, settings).await;
    let alice = service.as_("alice-classic");
    create_fault(
        &service,
        json!({"effect": "secondary_limit", "retry_after": 2, "times": 1}),
    )
    .await;
    let answer = alice.get("/user").await.expect(403);
    assert_eq!(answer.header("retry-after"), Some("2"));
    assert!(answer.message().contains("secondary rate limit"));
    create_fault(
        &service,
        json!({"effect": "primary_limit", "reset_after": 5, "times": 1}),
    )
    .await;
    let answer = alice.get("/user").await.expect(403);
    assert_eq!(
        answer.message(),
        "API rate limit exceeded for user ID 1001."
    );
    assert_eq!(answer.header("x-ratelimit-remaining"), Some("0"));
    assert_eq!(answer.header("x-ratelimit-limit"), Some("5000"));
    assert_eq!(answer.header("x-ratelimit-used"), Some("5000"));
    assert_eq!(answer.header("x-ratelimit-reset"), Some("1773135005"));
    assert_eq!(answer.header("retry-after"), None);
    let answer = alice.get("/user").await.expect(200);
    assert_eq!(
        answer.header("x-ratelimit-remaining"),
        Some("4999"),
        "neither counted against the limit"
    );
}

#[tokio::test]
async fn rate_limit_faults_can_have_status_429() {
    let service = start().await.undocumented();
    let alice = service.as_("alice-classic");
    create_fault(
        &service,
        json!({"effect": "secondary_limit", "status": 429, "times": 1}),
    )
    .await;
    let answer = alice.get("/user").await.expect(429);
    assert_eq!(answer.header("retry-after"), Some("60"));
    create_fault(
        &service,
        json!({"effect": "primary_limit", "status": 429, "times": 1}),
    )
    .await;
    let answer = alice.get("/user").await.expect(429);
    assert_eq!(answer.header("x-ratelimit-remaining"), Some("0"));
    assert_eq!(answer.json()["status"], "429");
}

async fn field_count(service: &Service) -> usize {
    let answer = service
        .as_("alice-classic")
        .get("/orgs/acme/issue-fields")
        .await;
    answer.expect(200).json().as_array().unwrap().len()
}

#[tokio::test]
async fn a_failed_request_takes_effect_only_if_the_fault_says_so() {
    let service = start().await.undocumented();
    let before = field_count(&service).await;
    let create = async |name: &str| {
        let body = json!({"name": name, "data_type": "text"});
        let answer = service
            .as_("alice-classic")
            .post("/orgs/acme/issue-fields", body)
            .await;
        answer.expect(502);
    };
    let rule = json!({"effect": "status", "status": 502, "times": 1, "method": "POST"});
    create_fault(&service, rule.clone()).await;
    create("Lost").await;
    assert_eq!(field_count(&service).await, before);
    let mut after = rule;
    after["after"] = json!(true);
    create_fault(&service, after).await;
    create("Kept").await;
    assert_eq!(field_count(&service).await, before + 1);
}

#[tokio::test]
async fn latency_delays_the_usual_answer() {
    let service = start().await;
    create_fault(
        &service,
        json!({"effect": "latency", "latency_ms": 300, "times": 1}),
    )
    .await;
    let started = Instant::now();
    service.as_("alice-classic").get("/user").await.expect(200);
    assert!(started.elapsed() >= Duration::from_millis(300));
}

#[tokio::test]
async fn malformed_answers_are_complete_but_not_json() {
    let service = start().await.undocumented();
    let alice = service
        .as_("alice-classic")
        .header("Accept-Encoding", "gzip");
    let usual = service.as_("alice-classic").get("/user").await.text;
    create_fault(&service, json!({"effect": "malformed", "times": 1})).await;
    let answer = alice.get("/user").await.expect(200);
    assert_eq!(answer.text, usual[..usual.len() / 2]);
    assert!(serde_json::from_str::<Value>(&answer.text).is_err());
}

/// Serves on a socket. Returns its address.
async fn listen(service: &Service) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let site = web::site(
        &Worlds::new(&service.app, web::router),
        ControlGuard::Loopback,
    );
    let limits = ConnectionLimits::for_clients(100, 1.0);
    let forever = std::future::pending();
    let memory = service.app.settings.memory.clone();
    tokio::spawn(web::server::serve(listener, site, limits, memory, forever));
    address
}

/// Everything that the server sends until it closes the connection.
async fn raw_answer(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer alice-classic\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn a_dropped_connection_has_no_answer() {
    let service = start().await;
    let address = listen(&service).await;
    create_fault(&service, json!({"effect": "drop", "times": 2})).await;
    assert_eq!(raw_answer(&address, "/user").await, "");
    let git = "/acme/gadgets.git/info/refs?service=git-upload-pack";
    assert_eq!(raw_answer(&address, git).await, "");
}

#[tokio::test]
async fn a_truncated_answer_is_shorter_than_its_content_length() {
    let service = start().await;
    let address = listen(&service).await;
    create_fault(&service, json!({"effect": "truncate", "times": 1})).await;
    let answer = raw_answer(&address, "/user").await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.unwrap().parse().unwrap();
    assert_eq!(body.len(), length / 2, "{answer}");
}

#[tokio::test]
async fn faults_apply_to_git_clients() {
    let service = start().await.undocumented();
    let path = "/acme/gadgets.git/info/refs?service=git-upload-pack";
    let alice = service.as_("alice-classic");
    create_fault(
        &service,
        json!({"effect": "status", "status": 503, "operation": "git_fetch", "times": 1}),
    )
    .await;
    let answer = alice.get(path).await.expect(503);
    assert!(
        answer.text.starts_with("No server is currently available"),
        "{}",
        answer.text
    );
    assert_eq!(
        answer.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    create_fault(
        &service,
        json!({"effect": "secondary_limit", "path": "/acme/*.git/**", "times": 1}),
    )
    .await;
    let answer = alice.get(path).await.expect(403);
    assert_eq!(answer.header("retry-after"), Some("60"));
    alice.get(path).await.expect(200);
}
