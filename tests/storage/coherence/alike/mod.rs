//! A property test: whatever changes, and whoever changes it, servers with a warm
//! cache answer exactly as a server without one.
//!
//! Two caching servers and one that does not cache share a database. A step is a
//! request, a command or plain SQL, drawn at random; after each step all three answer
//! the same requests, and the answers must be alike. COHERENCE_STEPS makes a run
//! longer, and COHERENCE_SEED repeats one.

mod changes;
mod comparison;
mod deck;
mod requests;
mod statements;

use std::path::Path;
use std::sync::Arc;

use forgewright::clock::{Clock, HeldClock, SystemClock};
use poem::http::Method;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

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

/// The user of the token that finds out the ids of objects.
const ALICE: &str = "alice-classic";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn warm_servers_answer_like_one_without_a_cache() {
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
    /// Two that cache and one that does not.
    servers: [Server; 3],
    raw: Raw,
    random: StdRng,
    deck: Deck,
    /// What stands in braces in paths and steps, and what it stands for.
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
            self.take(step).await;
            self.compare("the step").await;
        }
        self.comparison.judge(steps);
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

    async fn take(&mut self, step: Step) {
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
                let file =
                    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/storage/coherence/alike");
                let file = file.join(rest).display().to_string();
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
        let speaker = caller(&self.servers[which], token);
        let changing = speaker.send(method, path, parts.next().map(str::to_owned));
        let (answer, ()) = tokio::join!(changing, self.comparison.read(&self.servers[..2]));
        let (status, body) = answer.parts();
        assert!(status < 500, "{rest}: {status} {body}");
        body["id"].as_i64()
    }

    async fn command(&self, arguments: &[&str]) {
        let running = command(&self.url, arguments);
        tokio::join!(running, self.comparison.read(&self.servers[..2]));
    }

    /// Runs SQL in a transaction. Sometimes it is rolled back first, and sometimes the
    /// servers are compared before it is committed.
    async fn sql(&mut self, sql: &str) {
        // These would make readers on PostgreSQL wait for the commit.
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
                self.compare("its first half").await;
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
