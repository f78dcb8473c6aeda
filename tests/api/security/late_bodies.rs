//! Permissions revoked while a slow body arrives: the request changes nothing.

use std::sync::Arc;
use std::time::Duration;

use contract::values::Timestamp;
use forge::app::Settings;
use forge::tokens;
use forge::tokens::Which;
use poem::Body;
use poem::http::{Method, StatusCode};
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};
use storage::cache::CacheSize;
use tokio::io::AsyncWriteExt;

use super::{ALICE, DEMO, start};
use crate::harness::Service;
use crate::support::tables::dump;

const CI_BOT: &str = "ghs_demo_ci_bot_acme";

/// What takes away the access of the installation of `ci-bot`.
const LOSSES: [&str; 3] = [
    "UPDATE installation SET permissions = '{\"metadata\":\"read\"}' WHERE id = 7001",
    "UPDATE installation SET suspended_at = 1 WHERE id = 7001",
    "DELETE FROM installation_repository WHERE installation_id = 7001",
];

/// A file that the tests create.
const FILE: &str = "/repos/acme/widgets/contents/late";

/// More bytes than the server reads before it authorizes a request.
const LONG: usize = 100_000;

/// One change of each area. All of them write the word `late`.
async fn changes(service: &Service) -> Vec<(Method, String, Value)> {
    let gadgets = "/repos/acme/gadgets";
    let alice = service.as_(ALICE);
    let head = alice
        .get(&format!("{gadgets}/pulls/1"))
        .await
        .expect(200)
        .json();
    let head = head["head"]["sha"].clone();
    let comments = format!("{gadgets}/pulls/1/comments");
    let first = alice.get(&comments).await.expect(200).json()[0]["id"].clone();
    let change = |method: Method, path: &str, body: Value| (method, path.to_owned(), body);
    vec![
        change(
            Method::POST,
            &format!("{gadgets}/git/refs"),
            json!({"ref": "refs/heads/late", "sha": head}),
        ),
        change(
            Method::POST,
            &comments,
            json!({"body": "late", "path": "README.md", "commit_id": head, "subject_type": "file"}),
        ),
        change(
            Method::POST,
            &format!("{comments}/{first}/replies"),
            json!({"body": "late"}),
        ),
        change(
            Method::PATCH,
            &format!("{gadgets}/pulls/comments/{first}"),
            json!({"body": "late"}),
        ),
        change(
            Method::POST,
            "/orgs/acme/issue-fields",
            json!({"name": "late", "data_type": "text"}),
        ),
        change(
            Method::POST,
            "/orgs/acme/projectsV2/1/fields",
            json!({"name": "late", "data_type": "text"}),
        ),
    ]
}

/// Sends the beginning of a change, awaits `meanwhile`, and then sends the end.
async fn send_slowly<Meanwhile>(
    service: &Arc<Service>,
    token: &str,
    (method, path, body): (Method, String, Value),
    meanwhile: impl FnOnce(Arc<Service>) -> Meanwhile,
) -> StatusCode
where
    Meanwhile: Future<Output = ()> + Send + 'static,
{
    let text = body.to_string();
    let (begin, end) = text.split_at(text.len() - 1);
    let begin = format!("{begin}{}", " ".repeat(LONG));
    let end = end.to_owned();
    let (mut writer, reader) = tokio::io::duplex(2 * LONG);
    let meanwhile = meanwhile(service.clone());
    let sending = tokio::spawn(async move {
        writer.write_all(begin.as_bytes()).await.unwrap();
        tokio::time::sleep(Duration::from_millis(300)).await;
        meanwhile.await;
        // A request that is rejected early does not read the rest of its body.
        let _ = writer.write_all(end.as_bytes()).await;
    });
    let body = Body::from_async_read(reader);
    let answer = service.as_(token).send_body(method, &path, body).await;
    sending.await.unwrap();
    answer.status
}

/// Without an interruption, every change is made.
#[tokio::test]
async fn a_slow_body_is_accepted() {
    let service = Arc::new(start().await);
    for change in changes(&service).await {
        let path = change.1.clone();
        let status = send_slowly(&service, ALICE, change, |_| async {}).await;
        assert!(status.is_success(), "{path}: {status}");
    }
}

#[tokio::test]
async fn a_token_revoked_during_a_request_writes_nothing() {
    let service = Arc::new(start().await);
    for change in changes(&service).await {
        let issued = tokens::NewToken::Classic {
            user: "alice".to_owned(),
            scopes: ["repo", "admin:org", "project"].map(str::to_owned).into(),
        };
        let issued = tokens::issue(&service.app, issued, tokens::Terms::default());
        let token = issued.await.unwrap().value;
        let path = change.1.clone();
        let value = token.clone();
        let status = send_slowly(&service, &token, change, |service| async move {
            let revoked = tokens::revoke(&service.app, Which::Value(&value)).await;
            assert!(revoked.unwrap());
        });
        assert_eq!(status.await, 401, "{path}");
    }
    assert_nothing_written(&service).await;
}

#[tokio::test]
async fn a_token_that_expires_during_a_request_writes_nothing() {
    for number in 0..6 {
        let service = Arc::new(start().await);
        let change = changes(&service).await.remove(number);
        let issued = tokens::NewToken::Classic {
            user: "alice".to_owned(),
            scopes: ["repo", "admin:org", "project"].map(str::to_owned).into(),
        };
        let terms = tokens::Terms {
            expires_at: Some(Timestamp(service.app.clock.now().0 + 60)),
            ..tokens::Terms::default()
        };
        let token = tokens::issue(&service.app, issued, terms)
            .await
            .unwrap()
            .value;
        let path = change.1.clone();
        let status = send_slowly(&service, &token, change, |service| async move {
            service.clock.advance(61);
        });
        assert_eq!(status.await, 401, "{path}");
        assert_nothing_written(&service).await;
    }
}

#[tokio::test]
async fn an_installation_that_loses_a_permission_during_a_request_writes_nothing() {
    for (number, sql) in LOSSES.into_iter().enumerate() {
        let service = Arc::new(start().await);
        let change = changes(&service).await.remove(number);
        let status = send_slowly(&service, CI_BOT, change, |service| async move {
            let transaction = service.app.db.begin().await.unwrap();
            transaction.execute_unprepared(sql).await.unwrap();
            transaction.commit().await.unwrap();
        });
        let status = status.await;
        assert!(!status.is_success(), "{sql}: {status}");
        assert_nothing_written(&service).await;
    }
}

/// The part of a body that has arrived counts, and no longer than its request lasts.
#[tokio::test]
async fn a_body_counts_in_the_memory_of_requests() {
    let service = Arc::new(start().await);
    let memory = service.app.settings.memory.clone();
    for change in changes(&service).await.into_iter().chain([new_file()]) {
        let meanwhile = memory.clone();
        let status = send_slowly(&service, ALICE, change, |_| async move {
            let held = meanwhile.figures().held;
            assert!((LONG..2 * LONG).contains(&held), "{held} bytes are held");
        });
        let status = status.await;
        assert!(status.is_success(), "{status}");
        assert_eq!(memory.figures().held, 0);
    }
}

/// A change whose caller is authorized before its body is read.
fn new_file() -> (Method, String, Value) {
    let body = json!({"message": "late", "content": "bGF0ZQ=="});
    (Method::PUT, FILE.to_owned(), body)
}

#[tokio::test]
async fn an_app_user_whose_installation_loses_access_during_a_request_writes_nothing() {
    for sql in LOSSES {
        let service = Arc::new(start().await);
        let token = "ghu_demo_alice_ci_bot";
        let status = send_slowly(&service, token, new_file(), |service| async move {
            service.execute(sql).await;
        });
        let status = status.await;
        assert!(!status.is_success(), "{sql}: {status}");
        service.as_(ALICE).get(FILE).await.expect(404);
    }
}

#[tokio::test]
async fn another_installation_may_change_during_a_request_of_an_app_user() {
    let service = Arc::new(crate::access::start_with(Settings::default()).await);
    let token = "app-user-administrator-write";
    let status = send_slowly(&service, token, new_file(), |service| async move {
        let sql = "UPDATE installation SET suspended_at = 1 WHERE id = 7002";
        service.execute(sql).await;
    });
    assert_eq!(status.await, 201);
}

#[tokio::test]
async fn a_role_lost_during_a_request_writes_nothing_without_a_cache_either() {
    for cache in [CacheSize::default(), CacheSize(0)] {
        let settings = Settings {
            cache,
            ..Settings::default()
        };
        let service = Arc::new(Service::with(DEMO, settings).await);
        let base = |role: &str| {
            format!("UPDATE account SET base_permission = '{role}' WHERE login = 'acme'")
        };
        service.execute(&base("write")).await;
        let less = base("read");
        let token = "ghp_demo_bob_member";
        let status = send_slowly(&service, token, new_file(), |service| async move {
            service.execute(&less).await;
        });
        let status = status.await;
        assert!(!status.is_success(), "{cache:?}: {status}");
        service.as_(ALICE).get(FILE).await.expect(404);
    }
}

#[tokio::test]
async fn a_member_removed_during_a_request_writes_nothing() {
    for number in [0, 1] {
        let service = Arc::new(start().await);
        let change = changes(&service).await.remove(number);
        let path = change.1.clone();
        let status = send_slowly(
            &service,
            "ghp_demo_alice_admin",
            change,
            |service| async move {
                let transaction = service.app.db.begin().await.unwrap();
                let sql = "DELETE FROM membership";
                transaction.execute_unprepared(sql).await.unwrap();
                transaction.commit().await.unwrap();
            },
        );
        let status = status.await;
        assert!(!status.is_success(), "{path}: {status}");
        assert_nothing_written(&service).await;
    }
}

async fn assert_nothing_written(service: &Service) {
    let rows = dump(&service.app.db).await;
    let markers = ["/late", "'late'", "\"late\""];
    let is_late = |row: &&str| markers.iter().any(|marker| row.contains(marker));
    let late = rows.lines().find(is_late);
    assert_eq!(late, None, "something was written");
}
