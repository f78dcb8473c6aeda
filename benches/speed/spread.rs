//! Reads and writes spread over 200 repositories. One request in ten creates a reference or a
//! comment; the others read one of 2,000 resources. So a write invalidates few cached
//! responses.
//!
//! On PostgreSQL three processes share the load, as behind a load balancer.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::http::{Request, record, send};
use super::load::{Load, Round, lua, median};
use super::many::{self, KEYS, REPOSITORIES};
use super::options::Options;
use super::report::Report;
use super::server::Program;
use super::world::CLASSIC;

pub const NAME: &str = "spread";

/// Names for the bare server, and paths below a repository.
const PATHS: [(&str, &str); 4] = [
    ("ref", "/git/ref/heads/key-"),
    ("comments", "/pulls/1/comments"),
    ("post-ref", "/git/refs"),
    ("post-comment", "/pulls/2/comments"),
];

/// Request bodies. `UNIQUE` is a placeholder for a different word in every request.
const NEW_REF: &str = r#"{"ref":"refs/heads/UNIQUE","sha":"MAIN"}"#;
const NEW_COMMENT: &str =
    r#"{"body":"Comment UNIQUE","commit_id":"TOPIC","path":"a.txt","line":1,"side":"RIGHT"}"#;

pub fn run(options: &Options, report: &mut Report, folder: &Path, url: &str, processes: usize) {
    let servers = many::processes(options, folder, url, processes);
    let bodies = bodies(&servers[0]);
    let ceiling = Program::ceiling(&recorded(&servers[0], &bodies, folder));
    let addresses = servers.iter().map(|server| &*server.address).collect();
    let sides = [
        (request(&bodies, false), addresses),
        (request(&bodies, true), vec![&*ceiling.address; processes]),
    ];
    let mut rounds = [Vec::new(), Vec::new()];
    let mut before = Vec::new();
    for round in 0..=options.rounds {
        // The first round is a short warm-up. Counting begins after it.
        let seconds = if round == 0 { 1 } else { options.seconds };
        if round == 1 {
            before = servers.iter().map(Lookups::of).collect();
        }
        for ((request, addresses), rounds) in sides.iter().zip(&mut rounds) {
            let outcome = together(options, folder, addresses, request, seconds);
            if round > 0 {
                rounds.push(outcome);
            }
        }
    }
    let [ours, ceiling] = rounds.map(|rounds| {
        let p99 = median(rounds.iter().map(|round| round.p99).collect());
        let rate = median(rounds.iter().map(|round| round.rate).collect());
        let requests = rounds.iter().map(|round| round.requests).sum();
        Round {
            rate,
            requests,
            p99,
        }
    });
    let figures = vec![
        ("per second", ours.rate),
        ("p99 ms", ours.p99),
        ("ceiling", ceiling.rate),
        ("of ceiling", ours.rate / ceiling.rate),
    ];
    report.row(many::title(url, NAME), figures);
    add_hit_rates(report, url, &servers, &before);
}

/// Adds the cache hit rate of each process since `before`.
fn add_hit_rates(report: &mut Report, url: &str, servers: &[Program], before: &[Lookups]) {
    for (number, (server, before)) in servers.iter().zip(before).enumerate() {
        let name = format!("{NAME}: process {}", number + 1);
        let hits = Lookups::of(server).hit_rate_since(before);
        report.row(many::title(url, &name), vec![("cache hits", hits)]);
    }
}

fn bodies(server: &Program) -> [String; 2] {
    let [main, topic] = ["main", "topic"].map(|branch| many::commit(server, branch));
    [
        NEW_REF.replace("MAIN", &main),
        NEW_COMMENT.replace("TOPIC", &topic),
    ]
}

/// Lua for one request. The paths of the bare server are the names of recorded responses.
fn request([new_ref, new_comment]: &[String; 2], bare: bool) -> String {
    let path = |(name, path): (&str, &str)| {
        if bare {
            format!("\"/{name}\"")
        } else {
            format!("repository .. {path:?}")
        }
    };
    let [one_ref, comments, refs, written] = PATHS.map(path);
    let key = if bare { "\"\"" } else { "random(KEYS)" };
    format!(
        r#"
  turn = (turn or 0) + 1
  local repository = "/repos/acme/many-" .. random({REPOSITORIES})
  local function post(path, body) return wrk.format("POST", path, nil, (body:gsub("UNIQUE", unique()))) end
  if turn % 20 == 0 then return post({refs}, [==[{new_ref}]==]) end
  if turn % 20 == 10 then return post({written}, [==[{new_comment}]==]) end
  if random({KEYS} + 1) == 1 then return wrk.format("GET", {comments}) end
  return wrk.format("GET", {one_ref} .. {key})
"#
    )
    .replace("KEYS", &KEYS.to_string())
}

/// Sends each request once and saves the responses for the bare server.
fn recorded(server: &Program, bodies: &[String; 2], folder: &Path) -> PathBuf {
    let [new_ref, new_comment] = bodies
        .each_ref()
        .map(|body| body.replace("UNIQUE", "recorded"));
    let bodies = [None, None, Some(new_ref), Some(new_comment)];
    let responses: BTreeMap<_, _> = PATHS
        .into_iter()
        .zip(bodies)
        .map(|((name, path), body)| {
            let key = if name == "ref" { "1" } else { "" };
            let request = Request {
                method: if body.is_some() { "POST" } else { "GET" },
                body,
                ..Request::get(&format!("/repos/acme/many-1{path}{key}"), CLASSIC)
            };
            (name, record(&server.address, &request))
        })
        .collect();
    let path = folder.join("spread.json");
    std::fs::write(&path, serde_json::to_string(&responses).unwrap()).unwrap();
    path
}

/// Loads all addresses at the same time, each with a share of the connections. Returns the sum
/// of the rates and the worst latency.
fn together(
    options: &Options,
    folder: &Path,
    addresses: &[&str],
    request: &str,
    seconds: u64,
) -> Round {
    let options = &Options {
        connections: (options.connections / addresses.len()).max(2),
        ..options.clone()
    };
    let start = |number: usize| {
        let script = folder.join(format!("spread-{number}.lua"));
        std::fs::write(&script, lua(request, &format!("p{number}"))).unwrap();
        let load = Load {
            address: addresses[number],
            path: "/",
            headers: vec![format!("Authorization: Bearer {CLASSIC}")],
            script: Some(&script),
        };
        load.run(options, seconds)
    };
    let rounds: Vec<Round> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..addresses.len())
            .map(|number| scope.spawn(move || start(number)))
            .collect();
        running.into_iter().map(|one| one.join().unwrap()).collect()
    });
    Round {
        rate: rounds.iter().map(|round| round.rate).sum(),
        requests: rounds.iter().map(|round| round.requests).sum(),
        p99: rounds.iter().map(|round| round.p99).fold(0.0, f64::max),
    }
}

/// The cache hits and misses of a process; None if the server does not count them.
struct Lookups(Option<[f64; 2]>);

impl Lookups {
    fn of(server: &Program) -> Self {
        let metrics = send(&server.address, &Request::get("/metrics", ""))
            .unwrap()
            .body;
        let count = |name: &str| {
            let mut lines = metrics.lines();
            let line = lines.find(|line| {
                line.starts_with(&format!("forgewright_cache_{name}_total{{"))
                    && line.contains("kind=\"answer\"")
            })?;
            line.rsplit(' ').next()?.parse().ok()
        };
        Self(count("hits").zip(count("misses")).map(<[f64; 2]>::from))
    }

    /// The share of hits among the lookups; NaN if unknown.
    fn hit_rate_since(&self, before: &Self) -> f64 {
        let (Some(now), Some(before)) = (self.0, before.0) else {
            return f64::NAN;
        };
        let [hits, misses] = [0, 1].map(|which| now[which] - before[which]);
        hits / (hits + misses)
    }
}
