//! Empty databases for tests that want one of their own: a SQLite file always,
//! and a PostgreSQL database when TEST_DATABASE_URL names a server.

mod server;

#[allow(unused_imports, reason = "not every suite asks for the server")]
pub use server::OnServer;

/// Runs a check on an empty database of each kind.
pub async fn on_each(check: impl AsyncFn(&str)) {
    let folder = tempfile::tempdir().unwrap();
    check(&format!("sqlite://{}/test.db", folder.path().display())).await;
    if let Some(database) = OnServer::empty().await {
        check(&database.url()).await;
    }
}
