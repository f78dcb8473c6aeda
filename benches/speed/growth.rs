//! Compares the same requests on a small and on a large database, and a deep page with the
//! first page of the large one. The cache is off, so that the figures show the work of the
//! database.
//!
//! The databases are created once and cached in `target/growth`. Their commits are a generated
//! repository, imported through a world file. References and comments are copied inside the
//! database, with the schema's triggers active.

use std::path::{Path, PathBuf};
use std::time::Instant;

use sea_orm::sqlx::sqlite::SqliteConnectOptions;
use sea_orm::sqlx::{ConnectOptions, Connection, Executor};

use super::git::history;
use super::load::{Load, lua, median};
use super::options::Options;
use super::report::Report;
use super::server::{self, Program};
use super::world::{self, CLASSIC, REPOSITORY};

/// The number of rows in a database.
#[derive(Debug, Clone, Copy)]
struct Size {
    comments: u64,
    refs: u64,
    commits: u64,
}

const SMALL: Size = Size {
    comments: 1000,
    refs: 1000,
    commits: 1000,
};

const PER_PAGE: u64 = 30;

/// The deep page; the last page if the list is shorter.
const DEEP: u64 = 30_000;

/// The lists to read the deep page of.
const LISTS: [(&str, &str); 5] = [
    ("of review comments by creation", "pulls/comments?"),
    (
        "of review comments by update",
        "pulls/comments?sort=updated&direction=desc&",
    ),
    ("of a conversation", "issues/1/comments?"),
    ("of issues by creation", "issues?state=all&"),
    ("of issues by update", "issues?state=all&sort=updated&"),
];

impl Size {
    fn scaled(scale: f64) -> Self {
        let of = |full: f64| (full * scale).max(1000.0) as u64;
        Self {
            comments: of(1_000_000.0),
            refs: of(200_000.0),
            commits: of(100_000.0),
        }
    }
}

pub fn run(options: &Options, scale: &f64) {
    let large = Size::scaled(*scale);
    let cache = PathBuf::from("target/growth");
    std::fs::create_dir_all(&cache).unwrap();
    let files = [SMALL, large].map(|size| database(options, &cache, size));
    let mut report = Report::default();
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let urls = [0, 1].map(|which| working_copy(&files[which], folders[which].path()));
    starts(options, &mut report, folders[0].path(), &urls[1]);
    let uncached = Options {
        server_options: format!("{} --memory 0", options.server_options),
        ..options.clone()
    };
    let servers =
        [0, 1].map(|which| Program::forgewright(&uncached, folders[which].path(), &urls[which]));
    let [small_one, large_one] = &servers;
    for (name, request) in requests().iter().filter(|(name, _)| options.wants(name)) {
        let sides = [("small", small_one, request), ("large", large_one, request)];
        let name = format!("growth: {name}");
        compare(options, &mut report, folders[0].path(), name, sides);
    }
    if options.wants("deep-page") {
        let deep = std::cmp::min(large.comments / PER_PAGE, DEEP);
        for (name, list) in LISTS {
            let [first, last] = [1, deep].map(|number| page(list, number));
            let sides = [("page 1", large_one, &first), ("deep", large_one, &last)];
            let name = format!("large: page {deep} {name}");
            compare(options, &mut report, folders[0].path(), name, sides);
        }
    }
    let resident = servers[1].resident();
    report.row("large: memory after", vec![("MB", resident)]);
    report.write(&options.json);
}

/// The time from the start to the first response, with no database and with the large one.
fn starts(options: &Options, report: &mut Report, folder: &Path, large: &str) {
    for (name, urls) in [
        ("cold start: empty", None),
        ("cold start: large", Some(large.to_owned())),
    ] {
        let times = (0..options.rounds).map(|round| {
            let fresh = format!("sqlite://{}/fresh-{round}.db", folder.display());
            let url = urls.clone().unwrap_or(fresh);
            let program = Program::forgewright(options, folder, &url);
            program.cold_start.as_secs_f64() * 1000.0
        });
        report.row(name, vec![("ms", median(times.collect()))]);
    }
}

fn working_copy(file: &Path, folder: &Path) -> String {
    let copy = folder.join("bench.db");
    std::fs::copy(file, &copy).unwrap();
    format!("sqlite://{}", copy.display())
}

/// Lua that requests a page of one of the repository's lists.
fn page(list: &str, number: u64) -> String {
    format!("return wrk.format(\"GET\", \"{REPOSITORY}/{list}page={number}\")")
}

/// The requests, in Lua with `random(n)` and `unique()`.
fn requests() -> Vec<(&'static str, String)> {
    let get = |path: &str| format!("return wrk.format(\"GET\", {path})");
    let sha = "local sha = \"SHA\"";
    vec![
        (
            "ref",
            get(&format!(
                "string.format(\"{REPOSITORY}/git/ref/heads/bulk/%07d\", random(1000))"
            )),
        ),
        (
            "comments-page",
            get(&format!(
                "\"{REPOSITORY}/pulls/1/comments?page=\" .. random(20)"
            )),
        ),
        (
            "comment",
            get(&format!("\"{REPOSITORY}/pulls/comments/\" .. random(1000)")),
        ),
        (
            "updated",
            get(&format!(
                "\"{REPOSITORY}/pulls/comments?sort=updated&direction=desc&page=\" .. random(20)"
            )),
        ),
        (
            "conversation",
            get(&format!(
                "\"{REPOSITORY}/issues/1/comments?page=\" .. random(20)"
            )),
        ),
        (
            "issues",
            get(&format!("\"{REPOSITORY}/issues?page=\" .. random(20)")),
        ),
        (
            "post-issue-comment",
            format!(
                "return wrk.format(\"POST\", \"{REPOSITORY}/issues/2/comments\", nil, '{{\"body\":\"' .. unique() .. '\"}}')"
            ),
        ),
        (
            "post-ref",
            format!(
                "{sha} return wrk.format(\"POST\", \"{REPOSITORY}/git/refs\", nil, '{{\"ref\":\"refs/heads/' .. unique() .. '\",\"sha\":\"' .. sha .. '\"}}')"
            ),
        ),
        (
            "post-comment",
            format!(
                "{sha} return wrk.format(\"POST\", \"{REPOSITORY}/pulls/2/comments\", nil, '{{\"body\":\"' .. unique() .. '\",\"commit_id\":\"' .. sha .. '\",\"path\":\"src/lib.rs\",\"line\":8,\"side\":\"RIGHT\"}}')"
            ),
        ),
    ]
}

/// One side of a comparison: its label, the server, and the request.
type Side<'a> = (&'static str, &'a Program, &'a String);

/// Measures both sides in interleaved rounds and reports how much more the second costs.
fn compare(
    options: &Options,
    report: &mut Report,
    folder: &Path,
    name: String,
    sides: [Side<'_>; 2],
) {
    let mut rates = [Vec::new(), Vec::new()];
    for round in 0..=options.rounds {
        for (which, (_, server, request)) in sides.iter().enumerate() {
            let script = folder.join(format!("growth-{which}.lua"));
            let request = request.replace("SHA", &topic(server));
            std::fs::write(&script, lua(&request, "")).unwrap();
            let load = Load {
                address: &server.address,
                path: "/",
                headers: vec![format!("Authorization: Bearer {CLASSIC}")],
                script: Some(&script),
            };
            let outcome = load.run(options, if round == 0 { 1 } else { options.seconds });
            if round > 0 {
                rates[which].push(outcome.rate);
            }
        }
    }
    let [one, other] = rates.map(median);
    let figures = vec![
        (sides[0].0, one),
        (sides[1].0, other),
        ("cost ratio", one / other),
    ];
    report.row(name, figures);
}

/// The head commit of the pull requests.
fn topic(server: &Program) -> String {
    let path = format!("{REPOSITORY}/git/ref/heads/topic");
    let found = super::http::record(&server.address, &super::http::Request::get(&path, CLASSIC));
    let found: serde_json::Value = serde_json::from_str(&found.body).unwrap();
    found["object"]["sha"].as_str().unwrap().to_owned()
}

/// A database of this size, created unless the cache has it.
fn database(options: &Options, cache: &Path, size: Size) -> PathBuf {
    let name = format!("{}-{}-{}.db", size.comments, size.refs, size.commits);
    let file = std::env::current_dir().unwrap().join(cache).join(name);
    if file.exists() {
        return file;
    }
    let started = Instant::now();
    let folder = tempfile::tempdir().unwrap();
    let unfinished = folder.path().join("making.db");
    let history = history::make(&folder.path().join("history.git"), size.commits);
    let text = world::yaml().replacen(
        "repositories:\n",
        &format!(
            "repositories:\n  - full_name: acme/history\n    default_branch: main\n    git: {{path: {}}}\n",
            history.display()
        ),
        1,
    );
    let path = folder.path().join("world.yaml");
    std::fs::write(&path, text).unwrap();
    let url = format!("sqlite://{}", unfinished.display());
    let path = path.display().to_string();
    server::command(options, &["world", "load", &path, "--database-url", &url]);
    fill(&unfinished, size);
    std::fs::rename(&unfinished, &file)
        .or_else(|_| std::fs::copy(&unfinished, &file).map(drop))
        .unwrap();
    println!("{} created in {:.0?}", file.display(), started.elapsed());
    file
}

/// Copies rows of the world until the database has this size.
#[tokio::main(flavor = "current_thread")]
async fn fill(file: &Path, size: Size) {
    let options = SqliteConnectOptions::new()
        .filename(file)
        .pragma("synchronous", "OFF")
        .pragma("cache_size", "-400000");
    let mut connection = options.connect().await.unwrap();
    let refs = format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {})
         INSERT INTO git_ref (repository_id, name, sha, kind, updated_at)
         SELECT repository_id, printf('refs/heads/bulk/%07d', i), sha, kind, updated_at
         FROM git_ref CROSS JOIN n
         WHERE repository_id = (SELECT id FROM repository WHERE name = 'gadgets')
           AND name = 'refs/heads/main'",
        size.refs
    );
    let columns = "repository_id, pull_id, review_id, author_id, path, diff_hunk, subject_type, \
                   commit_sha, original_commit_sha, original_base_sha, side, line, original_line, \
                   position, original_position, body, body_html, body_text";
    let comments = format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {})
         INSERT INTO review_comment ({columns}, created_at, updated_at)
         SELECT {columns}, created_at + i, updated_at + i
         FROM n CROSS JOIN review_comment WHERE id = (SELECT min(id) FROM review_comment)",
        size.comments
    );
    let numbers = format!(
        "WITH RECURSIVE n (i) AS (SELECT 101 UNION ALL SELECT i + 1 FROM n WHERE i < 100 + {})",
        size.comments
    );
    let issues = format!(
        "{numbers} INSERT INTO issue (repository_id, number, title, author_id, state, created_at,
             updated_at, closed_at)
         SELECT repository_id, i, title, author_id, CASE WHEN i % 2 THEN 'open' ELSE 'closed' END,
             created_at + i, updated_at + i, CASE WHEN i % 2 THEN NULL ELSE created_at END
         FROM n CROSS JOIN issue WHERE id = (SELECT min(id) FROM issue)"
    );
    let conversation = format!(
        "{numbers} INSERT INTO issue_comment (repository_id, issue_id, author_id, body, body_html,
             body_text, created_at, updated_at)
         SELECT repository_id, id, author_id, 'Why?', '<p>Why?</p>', 'Why?', created_at + i,
             updated_at + i
         FROM n CROSS JOIN issue WHERE number = 1"
    );
    for statement in [refs, comments, issues, conversation] {
        connection
            .execute(sea_orm::sqlx::AssertSqlSafe(statement))
            .await
            .unwrap();
    }
    connection
        .execute("PRAGMA wal_checkpoint(TRUNCATE)")
        .await
        .unwrap();
    connection.close().await.unwrap();
}
