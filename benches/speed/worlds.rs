//! The cost of a world per test: creating and resetting one, the memory of 200 worlds, a reset
//! of a 100 MB database, and the overhead of the journal.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::http::{self, Request};
use super::load::{Load, median};
use super::options::Options;
use super::server::Program;

const ALICE: &str = "ghp_demo_alice_admin";

const WORLDS: usize = 200;

/// The files of the large world. Their content is random, so that it does not compress.
const FILES: usize = 100;
const FILE_BYTES: usize = 700_000;

pub fn run(options: &Options) {
    let folder = tempfile::tempdir().unwrap();
    let file = format!("sqlite://{}/main.db", folder.path().display());
    let url = options.database_url.clone().unwrap_or(file);
    let server = Program::forgewright(options, folder.path(), &url);
    println!("what, median, slowest");
    many(&server);
    let resets = (0..20).map(|_| {
        write(&server, "");
        reset(&server, "main")
    });
    report("reset main", resets.collect());
    large(&server);
    drop(server);
    journal(options, folder.path(), &url);
}

/// Compares the request rate with the control API, which keeps a journal, with the rate
/// without it.
fn journal(options: &Options, folder: &Path, url: &str) {
    let servers = ["off", "on"].map(|control| {
        let options = Options {
            server_options: format!("{} --control {control}", options.server_options),
            ..options.clone()
        };
        Program::forgewright(&options, folder, url)
    });
    let mut rates = [(); 2].map(|()| Vec::new());
    for _ in 0..options.rounds {
        for (server, rates) in servers.iter().zip(&mut rates) {
            let load = Load {
                address: &server.address,
                path: "/repos/acme/gadgets/git/ref/heads/main",
                headers: vec![format!("Authorization: Bearer {ALICE}")],
                script: None,
            };
            rates.push(load.run(options, options.seconds).rate);
        }
    }
    let [without, with] = rates.map(median);
    println!(
        "GET ref with a journal, {:.3} of the rate without",
        with / without
    );
}

/// Creates, writes to, resets and deletes 200 worlds.
fn many(server: &Program) {
    let before = server.resident();
    create(server, "warm");
    let created = (0..WORLDS).map(|number| create(server, &format!("w{number}")));
    report("create a world from the demo", created.collect());
    let memory = server.resident() - before;
    println!("memory of {WORLDS} worlds, {memory:.0} MB");
    let first = (0..WORLDS).map(|number| write(server, &format!("/_worlds/w{number}")));
    report("first write in a world", first.collect());
    let all = server.resident();
    println!("memory of the server with a write in each, {all:.0} MB");
    let resets = (0..WORLDS).map(|number| reset(server, &format!("w{number}")));
    report("reset a created world", resets.collect());
    let deleted = (0..WORLDS).map(|number| {
        let path = format!("/_forgewright/worlds/w{number}");
        timed(server, "DELETE", &path, None)
    });
    report("delete a world", deleted.collect());
}

/// Snapshots, restores and resets a 100 MB database.
fn large(server: &Program) {
    grow(server);
    let path = "/_forgewright/worlds/main/snapshots/large";
    report("snapshot 100 MB", vec![timed(server, "PUT", path, None)]);
    let path = format!("{path}/restore");
    let restored = (0..5).map(|_| {
        write(server, "");
        timed(server, "POST", &path, None)
    });
    report("restore 100 MB", restored.collect());
    report("reset from 100 MB", vec![reset(server, "main")]);
}

fn create(server: &Program, name: &str) -> Duration {
    let body = json!({"name": name});
    timed(server, "POST", "/_forgewright/worlds", Some(body))
}

fn reset(server: &Program, name: &str) -> Duration {
    let path = format!("/_forgewright/worlds/{name}/reset");
    timed(server, "POST", &path, None)
}

/// Creates a branch. `base` is the path of the world.
fn write(server: &Program, base: &str) -> Duration {
    let path = format!("{base}/repos/acme/gadgets/git/ref/heads/main");
    let found = http::record(&server.address, &Request::get(&path, ALICE));
    let found: Value = serde_json::from_str(&found.body).unwrap();
    let body = json!({"ref": "refs/heads/measured", "sha": found["object"]["sha"]});
    let path = format!("{base}/repos/acme/gadgets/git/refs");
    timed(server, "POST", &path, Some(body))
}

fn grow(server: &Program) {
    let mut state: u64 = 7;
    for _ in 0..FILES {
        let digits = (0..FILE_BYTES).map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            char::from(b'!' + u8::try_from((state >> 33) % 90).unwrap()).to_string()
        });
        let body = json!({"content": digits.collect::<String>()});
        timed(server, "POST", "/repos/acme/gadgets/git/blobs", Some(body));
    }
}

fn timed(server: &Program, method: &'static str, path: &str, body: Option<Value>) -> Duration {
    let request = Request {
        method,
        path: path.to_owned(),
        token: ALICE.to_owned(),
        body: body.map(|body| body.to_string()),
    };
    let started = Instant::now();
    http::record(&server.address, &request);
    started.elapsed()
}

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let shown = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
    let (median, slowest) = (times[times.len() / 2], times[times.len() - 1]);
    println!("{what}, {}, {}", shown(median), shown(slowest));
}
