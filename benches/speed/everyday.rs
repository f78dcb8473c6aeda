//! The processor time of requests to the demo world, as people run the server. A rate depends on
//! what else the machine does; processor time hardly does.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::http::{Request, record};
use super::load::{Load, median};
use super::options::Options;
use super::report::Report;
use super::server::Program;

/// A token of the demo world.
const TOKEN: &str = "ghp_demo_alice_admin";

/// An app that subscribes to comments, for the demo world.
const LISTENER: &str = "
apps:
  - slug: listener
    name: Listener
    owner: acme
    permissions: {metadata: read, pull_requests: read}
    events: [pull_request_review_comment]
installations:
  - {app: listener, account: acme, repository_selection: all}
";

/// Limits that the server counts, but never reaches.
const LIMITS: &str = "--rate-limits on --rate-limit-user 1000000000 --content-limit-minute \
                      1000000000 --content-limit-hour 1000000000";

/// The default, except in version 0.1.
const UNLIMITED: &str = "--rate-limits off";

/// How a server is started.
struct Setup {
    name: &'static str,
    options: &'static str,
    listener: bool,
}

const SETUPS: [Setup; 4] = [
    Setup::new("as it comes", UNLIMITED, false),
    Setup::new("without control", "--rate-limits off --control off", false),
    Setup::new("with rate limits", LIMITS, false),
    Setup::new("with a listener to comments", UNLIMITED, true),
];

impl Setup {
    const fn new(name: &'static str, options: &'static str, listener: bool) -> Self {
        Self {
            name,
            options,
            listener,
        }
    }

    /// Starts the server with the demo world. `None` if the binary lacks an option.
    fn start(&self, binary: &Path, folder: &Path) -> Option<Program> {
        if !has_options(binary, self.options) {
            return None;
        }
        let folder = folder.join(self.name);
        std::fs::create_dir_all(&folder).unwrap();
        let data = folder.join("data");
        if self.listener {
            // The first start loads the demo world.
            drop(Program::with_demo(binary, &data, UNLIMITED));
            load(binary, &folder, &data);
        }
        Some(Program::with_demo(binary, &data, self.options))
    }
}

/// Whether a binary has all of these options. An older one may not.
fn has_options(binary: &Path, options: &str) -> bool {
    let help = Command::new(binary).args(["serve", "--help"]).output();
    let help = String::from_utf8(help.unwrap().stdout).unwrap();
    let mut names = options.split(' ').filter(|word| word.starts_with("--"));
    names.all(|name| help.contains(name))
}

/// Adds the listener to the world.
fn load(binary: &Path, folder: &Path, data: &Path) {
    let file = folder.join("listener.yaml");
    std::fs::write(&file, LISTENER).unwrap();
    let loaded = Command::new(binary)
        .args(["world", "load"])
        .arg(&file)
        .arg("--data-dir")
        .arg(data)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&loaded.stderr);
    assert!(loaded.status.success(), "{errors}");
}

/// A request that is repeated; with a body, `UNIQUE` in it is another word each time.
struct Case {
    name: &'static str,
    path: &'static str,
    body: Option<String>,
}

fn cases(server: &Program) -> Vec<Case> {
    let sha = |branch: &str| {
        let path = format!("/repos/acme/gadgets/git/ref/heads/{branch}");
        let found = record(&server.address, &Request::get(&path, TOKEN)).body;
        let found: serde_json::Value = serde_json::from_str(&found).unwrap();
        found["object"]["sha"].as_str().unwrap().to_owned()
    };
    let get = |name, path| Case {
        name,
        path,
        body: None,
    };
    let (main, topic) = (sha("main"), sha("feature/a"));
    vec![
        get("get-public-ref", "/repos/acme/gadgets/git/ref/heads/main"),
        get("get-private-ref", "/repos/acme/widgets/git/ref/heads/main"),
        get("list-fields", "/orgs/acme/projectsV2/1/fields"),
        get("list-comments", "/repos/acme/gadgets/pulls/1/comments"),
        Case {
            name: "create-ref",
            path: "/repos/acme/gadgets/git/refs",
            body: Some(format!(r#"{{"ref":"refs/heads/UNIQUE","sha":"{main}"}}"#)),
        },
        Case {
            name: "create-comment",
            path: "/repos/acme/gadgets/pulls/1/comments",
            body: Some(format!(
                r#"{{"body":"Comment UNIQUE","commit_id":"{topic}","path":"README.md","line":2,"side":"RIGHT"}}"#
            )),
        },
    ]
}

impl Case {
    fn script(&self, folder: &Path) -> Option<PathBuf> {
        let body = self.body.as_ref()?;
        let path = folder.join(format!("{}.lua", self.name));
        let request = format!(
            "return wrk.format('POST', '{}', nil, (([==[{body}]==]):gsub('UNIQUE', unique())))",
            self.path
        );
        std::fs::write(&path, super::load::lua(&request, "everyday")).unwrap();
        Some(path)
    }
}

/// Measures the server, and the one that it is compared with, in interleaved rounds.
pub fn run(options: &Options, against: Option<&Path>) {
    let folder = tempfile::tempdir().unwrap();
    let mut servers: Vec<(String, Program)> = Vec::new();
    let binaries = [
        Some((&*options.server, "")),
        against.map(|path| (path, "against, ")),
    ];
    for (number, (binary, prefix)) in binaries.into_iter().flatten().enumerate() {
        for setup in &SETUPS {
            let folder = folder.path().join(number.to_string());
            if let Some(server) = setup.start(binary, &folder) {
                servers.push((format!("{prefix}{}", setup.name), server));
            }
        }
    }
    let mut report = Report::default();
    for case in cases(&servers[0].1) {
        if options.wants(case.name) {
            measure(options, &mut report, folder.path(), &case, &servers);
        }
    }
    for (name, server) in &servers {
        report.row(format!("{name}: memory"), vec![("MB", server.resident())]);
    }
    report.write(&options.json);
}

fn measure(
    options: &Options,
    report: &mut Report,
    folder: &Path,
    case: &Case,
    servers: &[(String, Program)],
) {
    let script = case.script(folder);
    let mut rounds: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
    for round in 0..=options.rounds {
        for (name, server) in servers {
            let load = Load {
                address: &server.address,
                path: case.path,
                headers: vec![format!("Authorization: Bearer {TOKEN}")],
                script: script.as_deref(),
            };
            // The first round is a short warm-up.
            let seconds = if round == 0 { 1 } else { options.seconds };
            let before = server.processor_seconds();
            let outcome = load.run(options, seconds);
            let spent = server.processor_seconds() - before;
            if round > 0 {
                let micros = spent * 1e6 / outcome.requests;
                rounds.entry(name).or_default().push((micros, outcome.rate));
            }
        }
    }
    for (name, _) in servers {
        let (micros, rates) = rounds[&**name].iter().copied().unzip();
        report.row(
            format!("{}, {name}", case.name),
            vec![("µs each", median(micros)), ("per second", median(rates))],
        );
    }
}
