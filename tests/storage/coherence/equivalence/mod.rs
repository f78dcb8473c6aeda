//! A property test: after any change by any writer, servers with a warm cache return exactly the
//! same responses as a server without a cache.
//!
//! Two servers with a cache and one without share a database. A step is a request, a command or
//! plain SQL, drawn at random. After each step all three get the same requests, and their
//! responses must be equal. COHERENCE_STEPS sets the number of steps, and COHERENCE_SEED
//! reproduces a run.

mod changes;
mod comparison;
mod deck;
mod requests;
mod statements;

use std::path::Path;
use std::sync::Arc;

use poem::http::Method;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use storage::clock::{Clock, HeldClock, SystemClock};

use super::command;
use super::raw::Raw;
use super::servers::{caching, caller, uncached};
use crate::support::database::with_database;
use crate::support::server::Server;
use crate::support::setting;
use comparison::Comparison;
use deck::{Deck, Step};
use requests::REQUESTS;

const DEFAULT_STEPS: usize = 40;

const BASE: &str = include_str!("base.yaml");

/// The token for reading object ids.
const ALICE: &str = "alice-classic";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_with_a_warm_cache_respond_like_one_without() {
    let seed = number("COHERENCE_SEED").unwrap_or_else(rand::random);
    let steps = number("COHERENCE_STEPS").map_or(DEFAULT_STEPS, |steps| steps as usize);
    println!("COHERENCE_SEED={seed} COHERENCE_STEPS={steps}");
    with_database(async |url| Run::start(url, seed).await.steps(steps).await).await;
}

fn number(name: &str) -> Option<u64> {
    setting(name).map(|text| text.parse().unwrap())
}

struct Run {
    url: String,
    clock: HeldClock,
    /// Two with a cache and one without.
    servers: [Server; 3],
    raw: Raw,
    random: StdRng,
    deck: Deck,
    /// The placeholders in paths and steps, and their values.
    names: Vec<(&'static str, String)>,
    comparison: Comparison,
}

impl Run {
    async fn start(url: &str, seed: u64) -> Self {
        let clock = HeldClock::at(SystemClock.now());
        let held = || Arc::new(clock.clone());
        let servers = [
            caching(url, held()).await,
            caching(url, held()).await,
            uncached(url, held()).await,
        ];
        servers[2].load("base.yaml", BASE).await;
        let raw = Raw::connect(url).await;
        let is_postgres = matches!(raw, Raw::Postgres(_));
        let mut names = object_ids(&servers[2]).await;
        let truncate = if is_postgres {
            "TRUNCATE"
        } else {
            "DELETE FROM"
        };
        names.push(("{truncate}", truncate.to_owned()));
        let requests = REQUESTS.map(|(token, path)| (token, filled(path, &names)));
        Self {
            url: url.to_owned(),
            clock,
            servers,
            raw,
            random: StdRng::seed_from_u64(seed),
            deck: Deck::new(is_postgres),
            names,
            comparison: Comparison::of(requests.to_vec()),
        }
    }

    async fn steps(mut self, steps: usize) {
        self.compare("nothing yet").await;
        for number in 0..steps {
            let step = self.deck.draw(&mut self.random);
            let day = i64::from(self.random.random_ratio(1, 16)) * 86_400;
            self.clock.advance(day + self.random.random_range(0..3));
            self.comparison.begin(number, &step.text);
            self.execute(step).await;
            self.compare("the step").await;
        }
        self.comparison.assert_effective(steps);
        for server in &self.servers {
            server.stop().await;
        }
    }

    async fn compare(&mut self, after: &str) {
        let conditional = self.random.random_ratio(1, 4);
        self.comparison
            .compare(&self.servers, conditional, after)
            .await;
    }

    async fn execute(&mut self, step: Step) {
        let text = filled(&step.text, &self.names);
        let (word, rest) = text.split_once(' ').unwrap_or((&text, ""));
        match word {
            "POST" | "PATCH" | "PUT" | "DELETE" if !rest.starts_with("FROM ") => {
                let which = self.random.random_range(0..self.servers.len());
                let method = word.parse().unwrap();
                let created = self.request(which, method, rest).await;
                self.deck.created(step.change, created);
            }
            "load" => {
                let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
                    .join("tests/storage/coherence/equivalence");
                let file = folder.join(rest).display().to_string();
                self.command(&["world", "load", &file]).await;
            }
            "revoke" => self.command(&["token", "revoke", rest]).await,
            _ => self.sql(&text).await,
        }
    }

    /// Sends a request to one server while readers fill the caches of both.
    async fn request(&self, which: usize, method: Method, rest: &str) -> Option<i64> {
        let mut parts = rest.splitn(3, ' ');
        let (token, path) = (parts.next().unwrap(), parts.next().unwrap());
        let client = caller(&self.servers[which], token);
        let changing = client.send(method, path, parts.next().map(str::to_owned));
        let (response, ()) = tokio::join!(changing, self.comparison.read(&self.servers[..2]));
        let (status, body) = response.parts();
        assert!(status < 500, "{rest}: {status} {body}");
        body["id"].as_i64()
    }

    async fn command(&self, arguments: &[&str]) {
        let running = command(&self.url, arguments);
        tokio::join!(running, self.comparison.read(&self.servers[..2]));
    }

    /// Runs SQL in a transaction. Sometimes rolls it back first, and sometimes compares the servers
    /// before the commit.
    async fn sql(&mut self, sql: &str) {
        // On PostgreSQL these block readers until the commit.
        let waits = sql.starts_with("TRUNCATE") || sql.starts_with("DROP");
        let kind = if waits {
            0
        } else {
            self.random.random_range(0..8)
        };
        self.raw.run("BEGIN").await;
        if !self.raw.accepts(sql).await {
            return self.raw.run("ROLLBACK").await;
        }
        match kind {
            1 => {
                self.comparison.read(&self.servers[..2]).await;
                self.raw.run("ROLLBACK").await;
                self.compare("its rollback").await;
                self.raw.run(&format!("BEGIN; {sql}; COMMIT")).await;
            }
            2 => {
                self.compare("its uncommitted statement").await;
                self.raw.run("COMMIT").await;
            }
            _ => {
                let committing = self.raw.run("COMMIT");
                tokio::join!(committing, self.comparison.read(&self.servers[..2]));
            }
        }
    }
}

async fn object_ids(server: &Server) -> Vec<(&'static str, String)> {
    let mut names = Vec::new();
    for (name, path) in [
        ("{main}", "heads/main"),
        ("{topic}", "heads/topic"),
        ("{tag}", "tags/v1"),
    ] {
        let path = format!("/repos/acme/widgets/git/ref/{path}");
        let (_, found) = server.get(&path, ALICE).await;
        names.push((name, found["object"]["sha"].as_str().unwrap().to_owned()));
    }
    names
}

fn filled(text: &str, names: &[(&str, String)]) -> String {
    names.iter().fold(text.to_owned(), |text, (name, value)| {
        text.replace(name, value)
    })
}
