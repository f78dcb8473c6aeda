//! Statement and idle timeouts on PostgreSQL. On SQLite these tests do nothing.

use std::sync::Arc;
use std::time::Duration;

use contract::problem::Problem;
use forge::app::Settings;
use forge::router;
use sea_orm::{ConnectionTrait, DbErr};
use storage::clock::SystemClock;
use storage::database::{Connection, Database, Options, without_time_limits};
use storage::entropy::SystemEntropy;
use world::load::WorldSource;

use super::{migrated, set_counter, with_database};
use crate::support::server::Server;

pub async fn on_postgres(check: impl AsyncFn(&str)) {
    with_database(async |url| {
        if url.starts_with("postgres") {
            check(url).await;
        }
    })
    .await;
}

pub async fn with_request_timeout(url: &str, millis: u64) -> Database {
    let options = Options {
        request_timeout: Some(Duration::from_millis(millis)),
        ..Options::default()
    };
    Database::connect(url, options).await.unwrap()
}

pub async fn sleep(connection: &Connection, seconds: f64) -> Result<(), DbErr> {
    let sql = format!("SELECT pg_sleep({seconds})");
    connection.execute_unprepared(&sql).await.map(|_| ())
}

#[track_caller]
pub fn assert_unavailable(error: DbErr) {
    let text = error.to_string();
    let problem = Problem::from(error);
    assert_eq!(problem.status().as_u16(), 503, "{text}");
    assert!(problem.retry_after().is_some(), "{text}");
}

#[tokio::test]
async fn a_statement_that_takes_too_long_is_cancelled_and_its_connection_stays_usable() {
    on_postgres(async |url| {
        migrated(url).await;
        let db = with_request_timeout(url, 1000).await;
        assert_unavailable(sleep(db.reads(), 60.0).await.unwrap_err());
        db.ping().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_request_whose_statement_is_cancelled_gets_503_with_the_standard_body() {
    on_postgres(async |url| {
        let db = with_request_timeout(url, 1000).await;
        let app = router::app(
            db,
            Arc::new(SystemClock),
            Arc::new(SystemEntropy),
            Settings::default(),
        );
        let server = Server::new(app).documented();
        server.load_source(&WorldSource::demo()).await;
        let other = Database::connect(url, Options::default()).await.unwrap();
        let blocker = other.begin().await.unwrap();
        let lock = "LOCK TABLE repository IN ACCESS EXCLUSIVE MODE";
        blocker.execute_unprepared(lock).await.unwrap();
        let repository = "/repos/acme/gadgets";
        let response = server.anonymous().get(repository).await.expect(503);
        assert!(response.header("retry-after").is_some());
        assert_eq!(response.message(), "The service is temporarily unavailable");
        blocker.rollback().await.unwrap();
        server.anonymous().get(repository).await.expect(200);
    })
    .await;
}

#[tokio::test]
async fn loading_and_migrating_have_no_time_limit() {
    on_postgres(async |url| {
        migrated(url).await;
        let db = with_request_timeout(url, 500).await;
        let transaction = db.begin().await.unwrap();
        without_time_limits(&transaction).await.unwrap();
        sleep(&transaction, 1.5).await.unwrap();
        tokio::time::sleep(Duration::from_millis(1500)).await;
        set_counter(&transaction, 7).await.unwrap();
        transaction.commit().await.unwrap();
        let transaction = db.begin().await.unwrap();
        assert_unavailable(sleep(&transaction, 60.0).await.unwrap_err());
        let unlimited = Database::connect(url, Options::default()).await.unwrap();
        sleep(unlimited.reads(), 1.5).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_transaction_that_is_idle_too_long_releases_its_locks() {
    on_postgres(async |url| {
        let db = migrated(url).await;
        let limited = with_request_timeout(url, 500).await;
        let frozen = limited.begin().await.unwrap();
        set_counter(&frozen, 1).await.unwrap();
        let next = db.begin().await.unwrap();
        set_counter(&next, 2).await.unwrap();
        next.commit().await.unwrap();
        assert_unavailable(set_counter(&frozen, 3).await.unwrap_err());
    })
    .await;
}

#[tokio::test]
async fn time_limits_in_the_url_take_precedence() {
    on_postgres(async |url| {
        migrated(url).await;
        let sign = if url.contains('?') { '&' } else { '?' };
        let own = format!("{url}{sign}options=-c%20statement_timeout%3D0");
        let db = with_request_timeout(&own, 500).await;
        sleep(db.reads(), 1.5).await.unwrap();
    })
    .await;
}
