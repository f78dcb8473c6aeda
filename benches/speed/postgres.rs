//! Compares the server on PostgreSQL with PostgreSQL itself: the rate of
//! `pgbench --select-only` on the same database server, in the same run.
//!
//! A request can be as fast as a lookup only if it takes one round trip. The database counts
//! the round trips: a read outside a transaction is one.

use sea_orm::sqlx::postgres::{PgConnectOptions, PgConnection};
use sea_orm::sqlx::{self, ConnectOptions, Executor, Row};
use std::process::Command;

use super::cases;
use super::load::{Load, median};
use super::many;
use super::options::Options;
use super::report::Report;
use super::server::Program;
use super::world::{CLASSIC, REPOSITORY};

/// The scale of pgbench's tables: 1,000,000 rows.
const SCALE: &str = "10";

/// Server processes on one database.
const PROCESSES: usize = 3;

pub fn run(options: &Options) {
    let url = options
        .database_url
        .as_deref()
        .unwrap_or_else(|| panic!("give --database-url, or run `just bench-postgres`"));
    let mut report = Report::default();
    if options.wants_other_than(&many::CASES) {
        against_pgbench(options, &mut report, url);
    }
    many::run(
        options,
        &mut report,
        &fresh(url, "forgewright_many"),
        PROCESSES,
    );
    report.write(&options.json);
}

fn against_pgbench(options: &Options, report: &mut Report, url: &str) {
    let [forge, bench] = ["forgewright_speed", "forgewright_pgbench"].map(|name| fresh(url, name));
    pgbench(&["--initialize", "--quiet", "--scale", SCALE, &bench]);
    let folder = tempfile::tempdir().unwrap();
    cases::load_world(options, folder.path(), &forge);
    let server = Program::forgewright(options, folder.path(), &forge);
    for (name, path) in [
        ("ref", format!("{REPOSITORY}/git/ref/heads/main")),
        ("comments", format!("{REPOSITORY}/pulls/1/comments")),
    ] {
        if options.wants(name) {
            compare(options, report, name, &path, &server, [&forge, &bench]);
        }
    }
}

fn compare(
    options: &Options,
    report: &mut Report,
    name: &str,
    path: &str,
    server: &Program,
    [forge, bench]: [&str; 2],
) {
    let load = Load {
        address: &server.address,
        path,
        headers: vec![format!("Authorization: Bearer {CLASSIC}")],
        script: None,
    };
    let (mut ours, mut theirs, mut trips) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=options.rounds {
        // The first round is a short warm-up.
        let seconds = if round == 0 { 1 } else { options.seconds };
        let before = round_trips(forge);
        let rate = load.run(options, seconds).rate;
        let counted = round_trips(forge) - before;
        let select_only = selects(options, bench, seconds);
        if round > 0 {
            ours.push(rate);
            theirs.push(select_only);
            trips.push(counted / (rate * seconds as f64));
        }
    }
    let (ours, theirs, trips) = (median(ours), median(theirs), median(trips));
    report.row(
        format!("postgres: {name}"),
        vec![
            ("per second", ours),
            ("pgbench", theirs),
            ("of pgbench", ours / theirs),
            ("round trips a request", trips),
        ],
    );
}

/// The rate of lookups by primary key, with as many clients and with prepared statements.
fn selects(options: &Options, database: &str, seconds: u64) -> f64 {
    let text = pgbench(&[
        "--select-only",
        "--protocol=prepared",
        "--no-vacuum",
        "--jobs=2",
        &format!("--client={}", options.connections),
        &format!("--time={seconds}"),
        database,
    ]);
    let rate = text.split_once("tps = ").map_or("", |(_, rest)| rest);
    let rate = rate.split_whitespace().next().unwrap_or_default();
    rate.parse().unwrap_or_else(|_| panic!("{text}"))
}

fn pgbench(arguments: &[&str]) -> String {
    let output = Command::new("pgbench").args(arguments).output();
    let output = output.unwrap_or_else(|error| {
        panic!("cannot run pgbench ({error}); Debian: apt-get install postgresql")
    });
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}\n{text}{errors}");
    text
}

/// Creates an empty database on the same database server; returns its URL.
#[tokio::main(flavor = "current_thread")]
async fn fresh(url: &str, name: &str) -> String {
    let mut connection = connected(url).await;
    for sql in [
        format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"),
        format!("CREATE DATABASE {name}"),
    ] {
        connection.execute(sqlx::AssertSqlSafe(sql)).await.unwrap();
    }
    let (server, _) = url.rsplit_once('/').unwrap();
    format!("{server}/{name}")
}

/// The number of transactions that the database has committed. Connections report their
/// statistics once a second, so wait first.
#[tokio::main(flavor = "current_thread")]
async fn round_trips(url: &str) -> f64 {
    tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
    let sql = "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()";
    let row = connected(url).await.fetch_one(sql).await.unwrap();
    row.get::<i64, _>(0) as f64
}

async fn connected(url: &str) -> PgConnection {
    let options: PgConnectOptions = url.parse().unwrap();
    options.connect().await.unwrap()
}
