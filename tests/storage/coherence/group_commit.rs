//! SQLite uses group commit: the writers in a batch see each other's uncommitted changes. The
//! server must not send a response that depends on such a change before the commit, because the
//! change could still be lost.

use std::sync::Arc;

use poem::http::Method;
use serde_json::json;
use storage::clock::SystemClock;

use super::servers::{ServerPair, uncached};
use crate::support::database::with_database;
use crate::support::server::Server;

const ROUNDS: usize = 100;

/// If several writers create the same reference, all but one get the error that it exists. From
/// then on, every client must see it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_response_never_depends_on_an_uncommitted_change() {
    with_database(async |url| {
        let pair = ServerPair::without_readers(url).await;
        let observer = Arc::new(uncached(url, Arc::new(SystemClock)).await);
        let main = "/repos/acme/widgets/git/ref/heads/main";
        let (_, main) = observer.get(main, "alice").await;
        let sha = main["object"]["sha"].as_str().unwrap();
        for round in 0..ROUNDS {
            let writers: Vec<_> = (0..4)
                .map(|_| {
                    tokio::spawn(create(
                        pair.servers.clone(),
                        observer.clone(),
                        round,
                        sha.to_owned(),
                    ))
                })
                .collect();
            let mut created = 0;
            for writer in writers {
                created += writer.await.unwrap();
            }
            assert_eq!(created, 1, "round {round}");
        }
        pair.close().await;
        observer.stop().await;
    })
    .await;
}

/// Creates a reference, and reads it after a success or a conflict. Returns how many references
/// it created: one or none.
async fn create(
    servers: Arc<[Server; 2]>,
    observer: Arc<Server>,
    round: usize,
    sha: String,
) -> usize {
    let body = json!({"ref": format!("refs/heads/round-{round}"), "sha": sha});
    let refs = "/repos/acme/widgets/git/refs";
    let (status, body) = servers[0].send(Method::POST, refs, "alice", body).await;
    assert!(
        [201, 422].contains(&status),
        "round {round}: {status} {body}"
    );
    let path = format!("/repos/acme/widgets/git/ref/heads/round-{round}");
    let (seen, _) = observer.get(&path, "alice").await;
    assert_eq!(
        seen, 200,
        "round {round}: responded with {status} before the commit"
    );
    usize::from(status == 201)
}
