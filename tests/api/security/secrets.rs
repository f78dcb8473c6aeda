//! Tokens do not leak: not into the log, the database or a shared cache.

use std::io::Write;
use std::sync::{Arc, LazyLock, Mutex};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use poem::http::Method;
use serde_json::json;
use storage::database::{Database, Options};

use super::{ALICE, alice, jwt, start};
use crate::support::tables::dump;

/// Everything that was logged since its first use, at every level.
static LOG: LazyLock<Log> = LazyLock::new(|| {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();
    log
});

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

const TOKENS: [&str; 7] = [
    ALICE,
    "ghp_demo_bob_member",
    "ghp_demo_carol",
    "ghp_demo_dave_globex",
    "github_pat_demo_alice",
    "gho_demo_bob",
    "ghu_demo_alice_ci_bot",
];

#[tokio::test]
async fn no_token_is_in_the_log_or_in_the_database() {
    LazyLock::force(&LOG);
    let service = start().await;
    for token in TOKENS {
        for path in ["/user", "/repos/acme/gadgets", "/orgs/acme/issue-fields"] {
            service.as_(token).get(path).await;
        }
    }
    let jwt = jwt();
    let minted = service
        .as_(&jwt)
        .post("/app/installations/7001/access_tokens", json!({}))
        .await
        .expect(201);
    let minted = minted.json()["token"].as_str().unwrap().to_owned();
    let bot = service.as_(&minted);
    bot.get("/installation/repositories").await.expect(200);
    bot.delete("/installation/token").await.expect(204);
    bot.get("/installation/repositories").await.expect(401);
    let wrong = "ghp_wrongwrongwrongwrongwrongwrongwrong";
    service.as_(wrong).get("/user").await.expect(401);
    let bare = service.anonymous().header("Authorization", wrong);
    bare.get("/user").await.expect(401);
    let basic = [format!("alice:{}", TOKENS[0]), format!("{wrong}:")];
    let basic = basic.map(|credentials| STANDARD.encode(credentials));
    for (credentials, status) in basic.iter().zip([200, 401]) {
        let caller = service.anonymous();
        let caller = caller.header("Authorization", format!("Basic {credentials}"));
        caller.get("/user").await.expect(status);
    }
    let forged = format!("{jwt}x");
    service.as_(&forged).get("/app").await.expect(401);

    let (log, rows) = (LOG.text(), dump(&service.app.db).await);
    assert!(log.contains("answered"), "the log was not captured");
    let signature = jwt.rsplit('.').next().unwrap();
    let secrets = TOKENS
        .into_iter()
        .chain([minted.as_str(), wrong, signature])
        .chain(basic.iter().map(String::as_str));
    for secret in secrets {
        assert!(!log.contains(secret), "{secret} is in the log");
        assert!(!rows.contains(secret), "{secret} is in the database");
    }
    assert!(!rows.contains("PRIVATE KEY"));
}

#[tokio::test]
async fn no_input_can_forge_a_log_line() {
    LazyLock::force(&LOG);
    let service = start().await;
    let forged = "%0a2026-03-10T09:30:00Z%20INFO%20FORGED%1b[2J";
    let caller = alice(&service)
        .header("User-Agent", "FORGED-agent")
        .header("X-Request-Id", "FORGED-id")
        .header("Accept", "FORGED/accept");
    for path in [
        format!("/repos/acme/{forged}"),
        format!("/orgs/{forged}/issue-fields"),
        format!("/versions?{forged}={forged}"),
        format!("/{forged}"),
    ] {
        alice(&service).get(&path).await;
        caller.get(&path).await;
    }
    let body = json!({"name": "a\nFORGED-name", "data_type": "FORGED", "FORGED": 1});
    alice(&service)
        .post("/orgs/acme/issue-fields", body)
        .await
        .expect(422);
    let broken = Some("{\"FORGED".to_owned());
    alice(&service)
        .send(Method::POST, "/orgs/acme/issue-fields", broken)
        .await
        .expect(400);
    let log = LOG.text();
    assert!(log.contains("answered"), "the log was not captured");
    let line = log.lines().find(|line| line.contains("FORGED"));
    assert_eq!(line, None);
    assert!(!log.contains('\u{1b}'));
}

/// A value with a newline or an escape sequence stays on one line.
#[test]
fn control_characters_in_a_value_are_escaped_in_the_log() {
    LazyLock::force(&LOG);
    let value = "first\nESCAPED second\u{1b}[2J".to_owned();
    tracing::error!(cause = Some(value.clone()), login = value, "a line");
    let log = LOG.text();
    let lines: Vec<_> = log
        .lines()
        .filter(|line| line.contains("ESCAPED"))
        .collect();
    assert_eq!(lines.len(), 1);
    assert!(lines[0].contains("first\\nESCAPED") && !lines[0].contains('\u{1b}'));
}

#[tokio::test]
async fn no_shared_cache_stores_private_responses() {
    let service = start().await;
    let callers = [
        service.as_(ALICE),
        service.as_("github_pat_demo_alice"),
        service.as_("ghu_demo_alice_ci_bot"),
        service.as_(&jwt()),
    ];
    for caller in callers {
        for path in ["/repos/acme/gadgets", "/user", "/app", "/app/installations"] {
            let answer = caller.get(path).await;
            let cache_control = answer.header("cache-control").unwrap_or("private");
            let vary = answer.header("vary").unwrap_or_default();
            let is_private = cache_control.starts_with("private") || vary.contains("Authorization");
            assert!(is_private, "{path}: {cache_control}, {vary}");
        }
    }
    let minted = service
        .as_(&jwt())
        .post("/app/installations/7001/access_tokens", json!({}))
        .await
        .expect(201);
    let cache_control = minted.header("cache-control").unwrap();
    assert!(cache_control.starts_with("private"), "{cache_control}");
}

#[cfg(unix)]
#[tokio::test]
async fn nobody_else_on_the_machine_can_read_the_database() {
    use std::os::unix::fs::PermissionsExt;
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("new/data");
    let url = format!("sqlite://{}/forgewright.db", folder.display());
    Database::migrate(&url).await.unwrap();
    let open = Database::connect(&url, Options::default()).await.unwrap();
    open.begin().await.unwrap().commit().await.unwrap();
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for file in std::fs::read_dir(&folder).unwrap() {
        let path = file.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}
