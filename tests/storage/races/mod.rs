//! References are linearizable: a hundred clients change the same reference at the same
//! time, through several servers on one database, and no update is lost.
//!
//! TEST_RACES says how many rounds (2 unless told), TEST_RACES_SEED
//! makes them differ from those of every other run.

mod history;
mod servers;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use forgewright::entities::pull;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use sea_orm::EntityTrait;
use tokio::sync::Barrier;

use crate::support::database::with_database;
use crate::support::setting;
use history::{Ask, Event, Told, is_linearizable};
use servers::{COMMITS, Servers};

const CLIENTS: usize = 100;

/// How often each client asks.
const QUESTIONS: usize = COMMITS / CLIENTS;

/// Chooses a question, for the commit that is given.
type Choose = fn(&mut StdRng, usize) -> Ask;

/// Sends every client off at once and writes down what each was told and when.
/// Each question may use a commit of its own.
async fn race(servers: &Arc<Servers>, seed: u64, choose: Choose) -> Vec<Event> {
    let turn = Arc::new(AtomicU64::new(0));
    let start = Arc::new(Barrier::new(CLIENTS));
    let clients = (0..CLIENTS).map(|client| {
        let (servers, turn, start) = (servers.clone(), turn.clone(), start.clone());
        tokio::spawn(async move {
            let mut random = StdRng::seed_from_u64(seed * 1000 + client as u64);
            let mut events = Vec::new();
            start.wait().await;
            for question in 0..QUESTIONS {
                let ask = choose(&mut random, question * CLIENTS + client);
                events.push(asked(&servers, &turn, client, ask).await);
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
        events.push(asked(servers, &turn, 0, Ask::Get(which)).await);
    }
    events
}

/// Sends one request, and records when it began and ended.
async fn asked(servers: &Servers, turn: &AtomicU64, client: usize, ask: Ask) -> Event {
    let called = turn.fetch_add(1, Ordering::SeqCst);
    let told = servers.ask(client, ask).await;
    let returned = turn.fetch_add(1, Ordering::SeqCst);
    Event {
        ask,
        told,
        called,
        returned,
    }
}

/// How many of the events are of a kind, so that a race in which nothing happened
/// does not pass for a good one.
fn count(events: &[Event], of: impl Fn(&Ask, &Told) -> bool) -> usize {
    let counted = events.iter().filter(|event| of(&event.ask, &event.told));
    counted.count()
}

async fn rounds(choose: Choose, check: fn(&[Event])) {
    let rounds: u64 = setting("TEST_RACES").map_or(2, |text| text.parse().unwrap());
    let seed: u64 = setting("TEST_RACES_SEED").map_or(0, |text| text.parse().unwrap());
    with_database(async |url| {
        let servers = Arc::new(Servers::start(url).await);
        for round in 0..rounds {
            servers.forget().await;
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
async fn a_hundred_clients_on_one_reference_are_served_one_after_the_other() {
    let choose = |random: &mut StdRng, commit: usize| match random.random_range(0..10) {
        0 | 1 => Ask::Create(0, commit),
        2 => Ask::Push(0, commit),
        3 => Ask::Delete(0),
        4..=6 => Ask::Update {
            which: 0,
            commit,
            force: random.random(),
        },
        _ => Ask::Get(0),
    };
    rounds(choose, |events| {
        let done = |ask: &Ask, told: &Told| match ask {
            Ask::Get(_) => false,
            _ => !matches!(told, Told::Refused(..)),
        };
        let refused = |message: &str| {
            count(
                events,
                |_, told| matches!(told, Told::Refused(_, text) if text == message),
            )
        };
        assert!(count(events, done) > 20, "{events:#?}");
        assert!(refused("Reference already exists") > 0);
        assert!(refused("reference already exists") > 0);
        assert!(refused("Reference does not exist") > 0);
        assert!(refused("Update is not a fast forward") > 0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_name_and_a_name_below_it_only_one_is_ever_there() {
    let choose = |random: &mut StdRng, commit: usize| {
        let which = random.random_range(0..2);
        match random.random_range(0..8) {
            0 | 1 => Ask::Create(which, commit),
            2 | 3 => Ask::Push(which, commit),
            4 | 5 => Ask::Delete(which),
            _ => Ask::Get(which),
        }
    };
    rounds(choose, |events| {
        let clashed = |_: &Ask, told: &Told| {
            *told == Told::Refused(422, "Reference update failed".to_owned())
        };
        assert!(count(events, clashed) > 0, "{events:#?}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_ends_at_the_head_at_which_its_branch_ends() {
    with_database(async |url| {
        let servers = Arc::new(Servers::start(url).await);
        servers.forget().await;
        let told = servers.ask(0, Ask::Create(0, 0)).await;
        assert_eq!(told, Told::Commit(0));
        let pull = servers.open_pull().await;
        let choose = |_: &mut StdRng, commit: usize| Ask::Update {
            which: 0,
            commit,
            force: true,
        };
        let events = race(&servers, 7, choose).await;
        let Some(Told::Commit(last)) = events
            .iter()
            .find(|event| event.ask == Ask::Get(0))
            .map(|event| event.told.clone())
        else {
            panic!("the branch is gone: {events:#?}");
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
