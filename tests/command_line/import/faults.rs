//! A server that fails at any request of an import. The import runs inside the test, so that it
//! need not wait.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use import::client::ApiClient;
use import::client::pace::ClientPace;
use import::progress::Progress;
use import::token::ApiToken;
use import::{AnswerStore, Api, Import, ImportError, ImportLimits, WorldWriter};
use serde_json::{Value, json};

use super::{ALICE, origin, send};
use crate::support::process::ServerProcess;

/// Time that passes at once; counts the waits.
#[derive(Default)]
struct NoWaiting(AtomicUsize);

#[async_trait]
impl ClientPace for NoWaiting {
    fn now(&self) -> i64 {
        0
    }

    async fn wait(&self, _: Duration) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    fn chance(&self) -> f64 {
        0.5
    }
}

struct Silent;

impl Progress for Silent {
    fn step(&self, _: &str) {}

    fn done(&self, _: usize, _: Option<usize>) {}

    fn retrying(&self, _: &str, _: Duration) {}

    fn limited(&self, _: Duration) {}
}

#[derive(Default)]
struct Items(Vec<Value>);

impl WorldWriter for Items {
    fn open(&mut self, _: &'static str) {}

    fn item(&mut self, item: &Value) -> Result<(), String> {
        self.0.push(item.clone());
        Ok(())
    }

    fn close(&mut self) {}
}

/// Imports inside this process. Returns the items, and how often it waited.
async fn run_inside(
    folder: &Path,
    server: &ServerProcess,
) -> Result<(Vec<Value>, usize), ImportError> {
    let origin = format!("http://{}", server.address);
    let pace = Arc::new(NoWaiting::default());
    let token = Some(ApiToken::new(ALICE).unwrap());
    let client = ApiClient::new(
        origin.parse().unwrap(),
        token,
        pace.clone(),
        Arc::new(Silent),
    )
    .unwrap();
    let store = AnswerStore::open(folder, &origin)?;
    let generation = store.generation();
    let api = Api { client, store };
    let import = Import {
        api: &api,
        folder,
        generation,
        limits: ImportLimits::default(),
        progress: &Silent,
    };
    let mut items = Items::default();
    let names = ["acme/gadgets".parse().unwrap()];
    import
        .run(&names, &[("acme".to_owned(), 1)], &mut items)
        .await?;
    Ok((items.0, pace.0.load(Ordering::SeqCst)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_fault_at_any_request_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let server = origin(folder.path());
    let (expected, waits) = run_inside(&folder.path().join("expected"), &server)
        .await
        .unwrap();
    assert_eq!(waits, 0);
    let faults = "/_forgewright/worlds/main/faults";
    let effects = [
        json!({"effect": "status", "status": 502}),
        json!({"effect": "secondary_limit", "status": 429}),
        json!({"effect": "drop"}),
        json!({"effect": "truncate"}),
        json!({"effect": "malformed"}),
    ];
    for skip in 0..24 {
        let mut fault = effects[skip % effects.len()].clone();
        fault["path"] = "/repos/**".into();
        fault["skip"] = skip.into();
        fault["times"] = 2.into();
        send(&server, "DELETE", faults, &json!({}));
        let created = send(&server, "POST", faults, &fault);
        assert!(created.starts_with("HTTP/1.1 201"), "{created}");
        let at = folder.path().join(format!("with-{skip}"));
        let (items, waits) = run_inside(&at, &server).await.unwrap();
        assert_eq!(waits, 2, "{fault}");
        assert_eq!(items, expected, "{fault}");
    }
}
