//! A PostgreSQL server that vanishes without closing its connections, is not the primary, or was
//! replaced. On SQLite these tests do nothing.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use forge::app::Settings;
use forge::router;
use migration::aggregates::Aggregate;
use poem::http::Method;
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};
use storage::clock::SystemClock;
use storage::database::{Database, Options};
use storage::entropy::SystemEntropy;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::time_limits::{assert_unavailable, on_postgres, sleep, with_request_timeout};
use super::{counter, migrated, set_counter};
use crate::support::server::Server;
use world::load::WorldSource;

/// Nothing may take longer, on the busiest machine.
const HANG: Duration = Duration::from_secs(60);

/// More than any process takes to give up its dead connections.
const ATTEMPTS: usize = 20;

/// Forwards connections to a server. Those that exist when it vanishes stay open and silent. It
/// can close the connection on which a statement is sent, after the server has answered.
struct Relay {
    url: String,
    vanished: watch::Sender<()>,
    /// The statement whose answer is lost next.
    doubted: Arc<Mutex<Option<&'static str>>>,
}

impl Relay {
    async fn to(url: &str) -> Self {
        let mut address = url::Url::parse(url).unwrap();
        let server = format!(
            "{}:{}",
            address.host_str().unwrap_or("127.0.0.1"),
            address.port().unwrap_or(5432)
        );
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        address.set_host(Some("127.0.0.1")).unwrap();
        address.set_port(Some(port)).unwrap();
        let vanished = watch::Sender::new(());
        let doubted = Arc::new(Mutex::new(None));
        let (signal, statement) = (vanished.clone(), Arc::clone(&doubted));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let mut vanished = signal.subscribe();
                let (server, statement) = (server.clone(), Arc::clone(&statement));
                tokio::spawn(async move {
                    let server = TcpStream::connect(server).await.unwrap();
                    let (mut client, mut server) = (client, server);
                    tokio::select! {
                        _ = forward(&mut client, &mut server, &statement) => {}
                        _ = vanished.changed() => std::future::pending().await,
                    }
                });
            }
        });
        Self {
            url: address.to_string(),
            vanished,
            doubted,
        }
    }

    fn vanish(&self) {
        self.vanished.send_replace(());
    }
}

/// Forwards bytes in both directions until one side closes, or an answer is lost.
async fn forward(
    client: &mut TcpStream,
    server: &mut TcpStream,
    doubted: &Mutex<Option<&'static str>>,
) -> std::io::Result<()> {
    let (mut sent, mut answered) = ([0; 65536], [0; 65536]);
    let mut prepared = false;
    loop {
        tokio::select! {
            count = client.read(&mut sent) => {
                let sent = &sent[..count?];
                if sent.is_empty() {
                    return Ok(());
                }
                server.write_all(sent).await?;
                // A statement with parameters is prepared first, and then executed.
                let is_simple = sent[0] == b'Q';
                let named = contains(sent, *doubted.lock().unwrap());
                if (named && is_simple) || prepared {
                    doubted.lock().unwrap().take();
                    let _received = server.read(&mut answered).await?;
                    return Ok(());
                }
                prepared = named;
            }
            count = server.read(&mut answered) => match count? {
                0 => return Ok(()),
                count => client.write_all(&answered[..count]).await?,
            },
        }
    }
}

fn contains(sent: &[u8], text: Option<&str>) -> bool {
    text.is_some_and(|text| sent.windows(text.len()).any(|part| part == text.as_bytes()))
}

/// How many attempts it takes until the database can be used again.
async fn recovers(db: &Database) {
    for _ in 0..ATTEMPTS {
        let attempt = async {
            db.ping().await?;
            let transaction = db.begin().await?;
            set_counter(&transaction, 1).await?;
            transaction.commit().await
        };
        match timeout(HANG, attempt).await.expect("an attempt hangs") {
            Ok(()) => return,
            Err(error) => assert_unavailable(error),
        }
    }
    panic!("the database cannot be used after {ATTEMPTS} attempts");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn statements_of_a_server_that_vanished_end_and_its_connections_are_replaced() {
    on_postgres(async |url| {
        migrated(url).await;
        let relay = Relay::to(url).await;
        let db = with_request_timeout(&relay.url, 1000).await;
        let mut running = JoinSet::new();
        for _ in 0..Options::default().pool_size() {
            let db = db.clone();
            running.spawn(async move { sleep(db.reads(), 0.5).await });
        }
        let open = db.begin().await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        relay.vanish();
        for ended in timeout(HANG, running.join_all())
            .await
            .expect("a statement hangs")
        {
            assert_unavailable(ended.unwrap_err());
        }
        if let Ok(open) = open {
            let committed = timeout(HANG, open.commit()).await;
            assert_unavailable(committed.expect("a commit hangs").unwrap_err());
        }
        recovers(&db).await;
        // Every connection can be used again.
        let mut again = JoinSet::new();
        for _ in 0..Options::default().pool_size() {
            let db = db.clone();
            again.spawn(async move { sleep(db.reads(), 0.1).await });
        }
        for ended in timeout(HANG, again.join_all())
            .await
            .expect("a statement hangs")
        {
            ended.unwrap();
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rollback_on_a_server_that_vanished_gives_its_connection_up() {
    on_postgres(async |url| {
        migrated(url).await;
        let relay = Relay::to(url).await;
        let db = with_request_timeout(&relay.url, 1000).await;
        for _ in 0..3 {
            let mut open = Vec::new();
            for _ in 0..db.heavy() {
                open.push(db.snapshot().await.unwrap());
            }
            relay.vanish();
            drop(open);
            recovers(&db).await;
        }
    })
    .await;
}

/// Runs SQL that a read-only database allows.
async fn administer(url: &str, sql: &str) {
    let sign = if url.contains('?') { '&' } else { '?' };
    let own = format!("{url}{sign}options=-c%20default_transaction_read_only%3Doff");
    let db = Database::connect(&own, Options::default()).await.unwrap();
    db.reads().execute_unprepared(sql).await.unwrap();
    db.close().await.unwrap();
}

#[tokio::test]
async fn a_process_does_not_use_a_server_that_refuses_writes() {
    on_postgres(async |url| {
        migrated(url).await;
        let name = url.rsplit('/').next().unwrap();
        let db = with_request_timeout(url, 1000).await;
        counter(db.reads()).await.unwrap();
        let turn = |mode: &str| {
            format!(
                "ALTER DATABASE {name} SET default_transaction_read_only = {mode};
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        };
        administer(url, &turn("on")).await;
        for _ in 0..3 {
            assert_unavailable(db.ping().await.unwrap_err());
            assert_unavailable(counter(db.reads()).await.unwrap_err());
            assert!(
                db.versions()
                    .read(vec![Aggregate::EVERYTHING])
                    .await
                    .is_none()
            );
        }
        let options = Options {
            request_timeout: Some(Duration::from_secs(1)),
            ..Options::default()
        };
        let refused = Database::connect(url, options)
            .await
            .unwrap_err()
            .to_string();
        assert!(refused.contains("not the primary"), "{refused}");
        // Commands read from a standby.
        let command = Database::connect(url, Options::default()).await.unwrap();
        counter(command.reads()).await.unwrap();
        administer(url, &turn("off")).await;
        recovers(&db).await;
    })
    .await;
}

#[tokio::test]
async fn every_cached_result_is_outdated_once_another_server_has_the_database() {
    on_postgres(async |url| {
        let db = migrated(url).await;
        let everything = async || db.versions().read(vec![Aggregate::EVERYTHING]).await;
        let before = everything().await.unwrap();
        assert_eq!(everything().await.unwrap(), before);
        // Without the triggers, because this only stands for what a promoted standby finds.
        let moved = "SET session_replication_role = replica;
            UPDATE setting SET value = '1/1' WHERE key = 'database_server'";
        administer(url, moved).await;
        let changed = everything().await.unwrap();
        assert!(changed[0].1 > before[0].1);
        assert_eq!(everything().await.unwrap(), changed);
    })
    .await;
}

/// A client cannot know whether a change was made if the answer to its commit is lost, but it can
/// look, and nothing is made twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_whose_commit_was_not_answered_gets_503_and_is_made_once() {
    on_postgres(async |url| {
        Database::migrate(url).await.unwrap();
        let relay = Relay::to(url).await;
        let db = with_request_timeout(&relay.url, 10_000).await;
        let (clock, entropy) = (Arc::new(SystemClock), Arc::new(SystemEntropy));
        let app = router::app(db, clock, entropy, Settings::default());
        let server = Server::new(app).documented();
        server.load_source(&WorldSource::demo()).await;
        let alice = server.as_("ghp_demo_alice_admin");
        let references = "/repos/acme/gadgets/git/refs";
        let comments = "/repos/acme/gadgets/issues/1/comments";
        let main = alice
            .get("/repos/acme/gadgets/git/ref/heads/main")
            .await
            .expect(200);
        let create = json!({"ref": "refs/heads/doubt", "sha": main.json()["object"]["sha"]});
        let doubted = async |method: Method, path: &str, body: &Value, statement| {
            *relay.doubted.lock().unwrap() = Some(statement);
            let response = alice
                .send(method, path, Some(body.to_string()))
                .await
                .expect(503);
            assert!(response.header("retry-after").is_some());
            assert!(relay.doubted.lock().unwrap().is_none(), "nothing was lost");
        };
        doubted(Method::POST, references, &create, "create_refs").await;
        let found = alice
            .get("/repos/acme/gadgets/git/ref/heads/doubt")
            .await
            .expect(200);
        assert_eq!(found.json()["object"]["sha"], create["sha"]);
        let again = alice.post(references, create).await.expect(422);
        assert_eq!(again.message(), "Reference already exists");
        let comment = json!({"body": "in doubt"});
        doubted(Method::POST, comments, &comment, "INTO issue_comment").await;
        let listed = alice.get(comments).await.expect(200).json();
        let made = listed.as_array().unwrap().iter();
        let made: Vec<&Value> = made.filter(|row| row["body"] == "in doubt").collect();
        assert_eq!(made.len(), 1);
        let path = format!("/repos/acme/gadgets/issues/comments/{}", made[0]["id"]);
        doubted(Method::PATCH, &path, &json!({"body": "no doubt"}), "COMMIT").await;
        let changed = alice.get(&path).await.expect(200).json();
        assert_eq!(changed["body"], "no doubt");
    })
    .await;
}
