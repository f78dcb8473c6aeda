//! References are linearizable: a hundred clients change the same reference at the same time,
//! through several servers on one database, and no update is lost.
//!
//! TEST_RACES sets the number of rounds (2 by default), and TEST_RACES_SEED changes the random
//! choices.

mod history;
mod servers;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use sea_orm::EntityTrait;
use storage::entities::pull;
use tokio::sync::Barrier;

use crate::support::database::with_database;
use crate::support::setting;
use history::{Event, Request, Response, is_linearizable};
use servers::{COMMITS, Servers};

const CLIENTS: usize = 100;

/// The number of requests of each client.
const REQUESTS: usize = COMMITS / CLIENTS;

/// Chooses a request with the given commit.
type Choose = fn(&mut StdRng, usize) -> Request;

/// Starts all clients at once and records their requests and responses. Each request gets a
/// different commit.
async fn race(servers: &Arc<Servers>, seed: u64, choose: Choose) -> Vec<Event> {
    let turn = Arc::new(AtomicU64::new(0));
    let start = Arc::new(Barrier::new(CLIENTS));
    let clients = (0..CLIENTS).map(|client| {
        let (servers, turn, start) = (servers.clone(), turn.clone(), start.clone());
        tokio::spawn(async move {
            let mut random = StdRng::seed_from_u64(seed * 1000 + client as u64);
            let mut events = Vec::new();
            start.wait().await;
            for number in 0..REQUESTS {
                let request = choose(&mut random, number * CLIENTS + client);
                events.push(timed_request(&servers, &turn, client, request).await);
            }
            events
        })
    });
    let clients: Vec<_> = clients.collect();
    let mut events = Vec::new();
    for client in clients {
        events.extend(client.await.unwrap());
    }
    for which in 0..2 {
        events.push(timed_request(servers, &turn, 0, Request::Get(which)).await);
    }
    events
}

/// Sends one request and records its start and end.
async fn timed_request(
    servers: &Servers,
    turn: &AtomicU64,
    client: usize,
    request: Request,
) -> Event {
    let called = turn.fetch_add(1, Ordering::SeqCst);
    let response = servers.execute(client, request).await;
    let returned = turn.fetch_add(1, Ordering::SeqCst);
    Event {
        request,
        response,
        called,
        returned,
    }
}

/// Counts the events of a kind, to check that something happened in a race.
fn count(events: &[Event], of: impl Fn(&Request, &Response) -> bool) -> usize {
    let counted = events
        .iter()
        .filter(|event| of(&event.request, &event.response));
    counted.count()
}

async fn rounds(choose: Choose, check: fn(&[Event])) {
    let rounds: u64 = setting("TEST_RACES").map_or(2, |text| text.parse().unwrap());
    let seed: u64 = setting("TEST_RACES_SEED").map_or(0, |text| text.parse().unwrap());
    with_database(async |url| {
        let servers = Arc::new(Servers::start(url).await);
        for round in 0..rounds {
            servers.delete_branches().await;
            let events = race(&servers, seed + round, choose).await;
            check(&events);
            let changes = servers.changes().await;
            assert!(
                is_linearizable(&events, &changes),
                "{url}, round {round}: {changes:?} do not explain {events:#?}"
            );
        }
        servers.stop().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_requests_of_a_hundred_clients_for_one_reference_are_linearizable() {
    let choose = |random: &mut StdRng, commit: usize| match random.random_range(0..10) {
        0 | 1 => Request::Create(0, commit),
        2 => Request::Push(0, commit),
        3 => Request::Delete(0),
        4..=6 => Request::Update {
            which: 0,
            commit,
            force: random.random(),
        },
        _ => Request::Get(0),
    };
    rounds(choose, |events| {
        let changed = |request: &Request, response: &Response| match request {
            Request::Get(_) => false,
            _ => !matches!(response, Response::Refused(..)),
        };
        let refused = |message: &str| {
            count(
                events,
                |_, response| matches!(response, Response::Refused(_, text) if text == message),
            )
        };
        assert!(count(events, changed) > 20, "{events:#?}");
        assert!(refused("Reference already exists") > 0);
        assert!(refused("reference already exists") > 0);
        assert!(refused("Reference does not exist") > 0);
        assert!(refused("Update is not a fast forward") > 0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_and_a_name_below_it_never_exist_at_the_same_time() {
    let choose = |random: &mut StdRng, commit: usize| {
        let which = random.random_range(0..2);
        match random.random_range(0..8) {
            0 | 1 => Request::Create(which, commit),
            2 | 3 => Request::Push(which, commit),
            4 | 5 => Request::Delete(which),
            _ => Request::Get(which),
        }
    };
    rounds(choose, |events| {
        let clashed = |_: &Request, response: &Response| {
            *response == Response::Refused(422, "Reference update failed".to_owned())
        };
        assert!(count(events, clashed) > 0, "{events:#?}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_has_the_final_head_of_its_branch() {
    with_database(async |url| {
        let servers = Arc::new(Servers::start(url).await);
        servers.delete_branches().await;
        let response = servers.execute(0, Request::Create(0, 0)).await;
        assert_eq!(response, Response::Commit(0));
        let pull = servers.open_pull().await;
        let choose = |_: &mut StdRng, commit: usize| Request::Update {
            which: 0,
            commit,
            force: true,
        };
        let events = race(&servers, 7, choose).await;
        let Some(Response::Commit(last)) = events
            .iter()
            .find(|event| event.request == Request::Get(0))
            .map(|event| event.response.clone())
        else {
            panic!("the branch does not exist: {events:#?}");
        };
        let row = pull::Entity::find_by_id(pull)
            .one(servers.reads())
            .await
            .unwrap()
            .unwrap();
        assert_eq!(row.head_sha, servers.sha(last));
        servers.stop().await;
    })
    .await;
}
