//! How often a request goes to PostgreSQL and back. Counted is what the database
//! says when it is ready for more (`ReadyForQuery`), by a relay between the two.
//!
//! Other tests commit on the same server, and each commit makes the next request
//! ask again; so a request is made until it was alone with the database once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::private_database::OnServer;
use super::{COMMENTS, REPOSITORY, Scene};

/// Until the last time, the other tests are over.
const TIMES: usize = 600;
const PAUSE: Duration = Duration::from_millis(200);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_known_takes_one_round_trip() {
    let Some(database) = OnServer::empty().await else {
        return;
    };
    let relay = Relay::to(&database.url()).await;
    let scene = Scene::without_readers(&relay.url).await;
    let main = "/repos/acme/widgets/git/ref/heads/main";
    for path in [main, COMMENTS, REPOSITORY] {
        let asking = async || {
            let (status, _) = scene.servers[0].get(path, "alice").await;
            assert_eq!(status, 200);
        };
        relay.takes(1, path, asking).await;
    }
    scene.close().await;
}

/// Requests that come while one is being answered wait for the same look.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn those_who_ask_at_the_same_time_share_a_round_trip() {
    let Some(database) = OnServer::empty().await else {
        return;
    };
    let relay = Relay::to(&database.url()).await;
    let scene = Scene::without_readers(&relay.url).await;
    let asking = async || {
        let mut asking = JoinSet::new();
        for _ in 0..50 {
            let servers = scene.servers.clone();
            asking.spawn(async move { servers[0].get(REPOSITORY, "alice").await });
        }
        for (status, _) in asking.join_all().await {
            assert_eq!(status, 200);
        }
    };
    relay.takes(10, "fifty requests", asking).await;
    scene.close().await;
}

/// Passes on what is said to a PostgreSQL server and by it.
struct Relay {
    url: String,
    trips: Arc<AtomicU64>,
}

impl Relay {
    async fn to(url: &str) -> Self {
        let (scheme, rest) = url.split_once("://").unwrap();
        let (authority, database) = rest.split_once('/').unwrap();
        let (user, server) = authority.rsplit_once('@').unwrap();
        let server = server.to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let trips = Arc::new(AtomicU64::new(0));
        let counted = trips.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let database = TcpStream::connect(&server).await.unwrap();
                for end in [&client, &database] {
                    end.set_nodelay(true).unwrap();
                }
                pass_on(client, database, counted.clone());
            }
        });
        // Encrypted, it could not be counted.
        let url = format!("{scheme}://{user}@{address}/{database}?sslmode=disable");
        Self { url, trips }
    }

    /// Does something until it takes at most so many round trips.
    async fn takes(&self, most: u64, what: &str, work: impl AsyncFn()) {
        let mut fewest = u64::MAX;
        for time in 0..TIMES {
            let before = self.trips.load(Ordering::SeqCst);
            work().await;
            let trips = self.trips.load(Ordering::SeqCst) - before;
            assert!(trips > 0, "{what}: nobody asked whether it still holds");
            fewest = fewest.min(trips);
            if fewest <= most {
                return;
            }
            // Twice in a row, what was just found out is still known.
            if time % 2 == 1 {
                tokio::time::sleep(PAUSE).await;
            }
        }
        panic!("{what}: {fewest} round trips");
    }
}

fn pass_on(client: TcpStream, database: TcpStream, trips: Arc<AtomicU64>) {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_database, mut to_database) = database.into_split();
    tokio::spawn(async move { tokio::io::copy(&mut from_client, &mut to_database).await });
    // Each message is a letter, its length with the four bytes that tell it, and the rest.
    tokio::spawn(async move {
        let mut head = [0; 5];
        while from_database.read_exact(&mut head).await.is_ok() {
            let [letter, length @ ..] = head;
            let mut rest = vec![0; u32::from_be_bytes(length) as usize - 4];
            from_database.read_exact(&mut rest).await.unwrap();
            if letter == b'Z' {
                trips.fetch_add(1, Ordering::SeqCst);
            }
            let message = [&head[..], &rest].concat();
            if to_client.write_all(&message).await.is_err() {
                return;
            }
        }
    });
}
