//! On SQLite, writers that wait at the same time share one commit, and each sees the
//! changes of those before it. An answer that rests on such a change must not go out
//! before the commit, because the change could still be lost.

use std::sync::Arc;

use forgewright::clock::SystemClock;
use poem::http::Method;
use serde_json::json;

use super::servers::{Scene, uncached};
use crate::support::database::with_database;
use crate::support::server::Server;

const ROUNDS: usize = 100;

/// Of two writers that create the same reference, one is told that it exists. From
/// then on, everybody must see it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_never_rests_on_an_uncommitted_change() {
    with_database(async |url| {
        let scene = Scene::without_readers(url).await;
        let observer = Arc::new(uncached(url, Arc::new(SystemClock)).await);
        let main = "/repos/acme/widgets/git/ref/heads/main";
        let (_, main) = observer.get(main, "alice").await;
        let sha = main["object"]["sha"].as_str().unwrap();
        for round in 0..ROUNDS {
            let writers: Vec<_> = (0..4)
                .map(|_| {
                    tokio::spawn(create(
                        scene.servers.clone(),
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
        scene.close().await;
        observer.stop().await;
    })
    .await;
}

/// Creates a reference, and looks for it once a success or a conflict says that it
/// exists. Returns how many were created: one or none.
async fn create(
    servers: Arc<[Server; 2]>,
    observer: Arc<Server>,
    round: usize,
    sha: String,
) -> usize {
    let body = json!({"ref": format!("refs/heads/round-{round}"), "sha": sha});
    let refs = "/repos/acme/widgets/git/refs";
    let (status, answer) = servers[0].ask(Method::POST, refs, "alice", body).await;
    assert!(
        [201, 422].contains(&status),
        "round {round}: {status} {answer}"
    );
    let path = format!("/repos/acme/widgets/git/ref/heads/round-{round}");
    let (seen, _) = observer.get(&path, "alice").await;
    assert_eq!(
        seen, 200,
        "round {round}: answered {status} before the commit"
    );
    usize::from(status == 201)
}
