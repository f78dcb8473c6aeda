//! The cases: the requests, the servers, and the interleaved rounds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::http::{Recorded, Request, record};
use super::load::{Load, Round, median};
use super::options::Options;
use super::report::Report;
use super::server::{self, Program};
use super::world::{self, CLASSIC, INSTALLATION, REPOSITORY};

/// One thing to measure.
struct Case {
    name: &'static str,
    request: Request,
    conditional: bool,
    /// Lua for wrk, if the case needs more than one path.
    script: Option<String>,
    /// The same mix of requests for the baselines, with the names of recorded responses as paths.
    baseline_script: Option<String>,
}

pub fn run(options: &Options, report: &mut Report) {
    let folder = tempfile::tempdir().unwrap();
    let url = prepared(options, folder.path());
    let server = Program::forgewright(options, folder.path(), &url);
    report.row("memory idle", vec![("MB", server.resident())]);
    let cases = cases(&server.address);
    let responses = recorded(&server.address, &cases, folder.path());
    let ceiling = Program::ceiling(&responses);
    let node = (!options.without_node).then(|| Program::node(&responses));
    let recorded: BTreeMap<String, Recorded> =
        serde_json::from_str(&std::fs::read_to_string(&responses).unwrap()).unwrap();
    for case in cases.iter().filter(|case| options.wants(case.name)) {
        let tag = recorded[case.name].header("etag").unwrap_or_default();
        measure(
            options,
            report,
            folder.path(),
            case,
            tag,
            [Some(&server), Some(&ceiling), node.as_ref()],
        );
        report.row(
            format!("{}: memory after", case.name),
            vec![("MB", server.resident())],
        );
    }
}

/// The URL of a database with the world in it.
fn prepared(options: &Options, folder: &Path) -> String {
    let file = format!("sqlite://{}/bench.db", folder.display());
    let url = options.database_url.clone().unwrap_or(file);
    load_world(options, folder, &url);
    url
}

pub fn load_world(options: &Options, folder: &Path, url: &str) {
    let world = folder.join("world.yaml");
    std::fs::write(&world, world::yaml()).unwrap();
    let world = world.display().to_string();
    server::command(options, &["world", "load", &world, "--database-url", url]);
}

fn cases(address: &str) -> Vec<Case> {
    let get = |name, path: String, token| Case {
        name,
        request: Request::get(&path, token),
        conditional: false,
        script: None,
        baseline_script: None,
    };
    let a_ref = format!("{REPOSITORY}/git/ref/heads/main");
    let comments = format!("{REPOSITORY}/pulls/1/comments");
    let found = record(address, &Request::get(&a_ref, CLASSIC)).body;
    let found: serde_json::Value = serde_json::from_str(&found).unwrap();
    let sha = found["object"]["sha"].as_str().unwrap();
    let topic = record(
        address,
        &Request::get(&format!("{REPOSITORY}/git/ref/heads/topic"), CLASSIC),
    );
    let topic: serde_json::Value = serde_json::from_str(&topic.body).unwrap();
    let topic = topic["object"]["sha"].as_str().unwrap();
    let new_ref = Write {
        path: format!("{REPOSITORY}/git/refs"),
        body: format!(r#"{{"ref":"refs/heads/UNIQUE","sha":"{sha}"}}"#),
    };
    let new_comment = Write {
        path: format!("{REPOSITORY}/pulls/2/comments"),
        body: format!(
            r#"{{"body":"Comment UNIQUE, **with** `code`","commit_id":"{topic}","path":"src/lib.rs","line":8,"side":"RIGHT"}}"#
        ),
    };
    let new_issue_comment = Write {
        path: format!("{REPOSITORY}/issues/2/comments"),
        body: r#"{"body":"Comment UNIQUE, **with** `code`"}"#.to_owned(),
    };
    let post = |name, write: &Write| Case {
        request: write.once(),
        script: Some(script(&[], &[write])),
        ..get(name, write.path.clone(), CLASSIC)
    };
    vec![
        get("ref", a_ref.clone(), CLASSIC),
        Case {
            conditional: true,
            ..get("ref-304", a_ref.clone(), CLASSIC)
        },
        get("comments", comments.clone(), CLASSIC),
        Case {
            conditional: true,
            ..get("comments-304", comments.clone(), CLASSIC)
        },
        get("pulls", format!("{REPOSITORY}/pulls"), CLASSIC),
        get("pull-files", format!("{REPOSITORY}/pulls/1/files"), CLASSIC),
        get(
            "contents",
            format!("{REPOSITORY}/contents/src/lib.rs?ref=topic"),
            CLASSIC,
        ),
        get(
            "fields",
            "/orgs/acme/projectsV2/1/fields".to_owned(),
            CLASSIC,
        ),
        get(
            "repositories",
            "/installation/repositories".to_owned(),
            INSTALLATION,
        ),
        post("post-ref", &new_ref),
        post("post-comment", &new_comment),
        post("post-issue-comment", &new_issue_comment),
        Case {
            script: Some(script(&[&a_ref, &comments], &[&new_ref, &new_comment])),
            baseline_script: Some(script(
                &["/ref", "/comments"],
                &[&Write::to("/post-ref"), &Write::to("/post-comment")],
            )),
            ..get("mixed", a_ref.clone(), CLASSIC)
        },
    ]
}

/// A request whose body contains `UNIQUE`, a placeholder for a different word in every request.
struct Write {
    path: String,
    body: String,
}

impl Write {
    fn to(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            body: "{\"body\":\"UNIQUE\"}".to_owned(),
        }
    }

    fn once(&self) -> Request {
        Request {
            method: "POST",
            path: self.path.clone(),
            token: CLASSIC.to_owned(),
            body: Some(self.body.replace("UNIQUE", "the-recorded-one")),
        }
    }
}

/// Lua for wrk: one request in ten writes; all of them if there are no reads.
fn script(reads: &[&str], writes: &[&Write]) -> String {
    let reads: Vec<_> = reads.iter().map(|path| format!("{path:?}")).collect();
    let writes: Vec<_> = writes
        .iter()
        .map(|write| format!("{{{:?}, [==[{}]==]}}", write.path, write.body))
        .collect();
    format!(
        r#"local reads = {{{reads}}}
local writes = {{{writes}}}
local threads, n, salt = 0, 0, ""
function setup(thread)
  threads = threads + 1
  thread:set("id", threads)
end
function init()
  salt = string.format("%x%x", os.time(), math.floor(os.clock() * 1e9)) .. "t" .. id .. "n"
end
function request()
  n = n + 1
  if #reads > 0 and n % 10 ~= 0 then
    return wrk.format("GET", reads[n % #reads + 1])
  end
  local write = writes[math.floor(n / 10) % #writes + 1]
  if #reads == 0 then write = writes[n % #writes + 1] end
  return wrk.format("POST", write[1], nil, (write[2]:gsub("UNIQUE", salt .. n)))
end
"#,
        reads = reads.join(", "),
        writes = writes.join(", "),
    )
}

/// Sends each case's request once and saves the responses for the baselines.
fn recorded(address: &str, cases: &[Case], folder: &Path) -> PathBuf {
    let responses: BTreeMap<_, _> = cases
        .iter()
        .map(|case| {
            let mut response = record(address, &case.request);
            if case.conditional {
                response.status = 304;
                response.body.clear();
            }
            (case.name, response)
        })
        .collect();
    let path = folder.join("responses.json");
    std::fs::write(&path, serde_json::to_string(&responses).unwrap()).unwrap();
    path
}

fn measure(
    options: &Options,
    report: &mut Report,
    folder: &Path,
    case: &Case,
    tag: &str,
    programs: [Option<&Program>; 3],
) {
    let save = |name: &str, text: &Option<String>| {
        let path = folder.join(name);
        text.as_ref().map(|text| {
            std::fs::write(&path, text).unwrap();
            path
        })
    };
    let script = save("server.lua", &case.script);
    let baseline_script = save("baseline.lua", &case.baseline_script);
    let mut rounds: [Vec<Round>; 3] = Default::default();
    for round in 0..=options.rounds {
        for (index, program) in programs.iter().enumerate() {
            let Some(program) = program else { continue };
            let baseline_path = format!("/{}", case.name);
            let mut headers = vec![format!("Authorization: Bearer {}", case.request.token)];
            if case.conditional {
                headers.push(format!("If-None-Match: {tag}"));
            }
            let load = Load {
                address: &program.address,
                path: if index == 0 {
                    &case.request.path
                } else {
                    &baseline_path
                },
                headers,
                script: if index == 0 {
                    script.as_deref()
                } else {
                    baseline_script.as_deref()
                },
            };
            // The first round is a short warm-up.
            let seconds = if round == 0 { 1 } else { options.seconds };
            let outcome = load.run(options, seconds);
            if round > 0 {
                rounds[index].push(outcome);
            }
        }
    }
    let rate = |index: usize| median(rounds[index].iter().map(|round| round.rate).collect());
    let p99 = median(rounds[0].iter().map(|round| round.p99).collect());
    let (ours, ceiling, node) = (rate(0), rate(1), rate(2));
    report.row(
        case.name,
        vec![
            ("per second", ours),
            ("p99 ms", p99),
            ("ceiling", ceiling),
            ("of ceiling", ours / ceiling),
            ("node", node),
            ("of node", if node > 0.0 { ours / node } else { 0.0 }),
        ],
    );
}
