//! Measures how writes in one repository slow down reads of another: random reads of 2,000
//! references without writes, with a constant rate of writes to the same process, and with
//! writes to another process on the same database.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::http::{Request, record};
use super::load::{Load, lua, median};
use super::many::{self, QUIET_KEYS};
use super::options::Options;
use super::report::Report;
use super::server::Program;
use super::world::CLASSIC;

pub const NAME: &str = "neighbour";

const CONNECTIONS: usize = 32;
const WRITES_PER_SECOND: u32 = 50;

/// The rows of the report, and the process that gets the writes.
const ROWS: [(&str, Option<usize>); 3] = [
    ("undisturbed", None),
    ("same process", Some(0)),
    ("other process", Some(1)),
];

pub fn run(options: &Options, report: &mut Report, folder: &Path, url: &str) {
    let options = Options {
        connections: CONNECTIONS,
        ..options.clone()
    };
    let servers = many::processes(&options, folder, url, 2);
    let writer = Writer {
        sha: many::commit(&servers[0], "main"),
        written: AtomicU64::default(),
    };
    let script = folder.join("neighbour.lua");
    std::fs::write(&script, lua(&reads(), "")).unwrap();
    let load = Load {
        address: &servers[0].address,
        path: "/",
        headers: vec![format!("Authorization: Bearer {CLASSIC}")],
        script: Some(&script),
    };
    let mut rates = [(); ROWS.len()].map(|()| (Vec::new(), Vec::new()));
    for round in 0..=options.rounds {
        // The first round is a short warm-up.
        let seconds = if round == 0 { 1 } else { options.seconds };
        for ((_, written_to), (reads, writes)) in ROWS.iter().zip(&mut rates) {
            let measure = || load.run(&options, seconds).rate;
            let server = written_to.map(|process| &servers[process]);
            let (rate, written) = writer.beside(server, measure);
            if round > 0 {
                reads.push(rate);
                writes.push(written);
            }
        }
    }
    let medians = rates.map(|(reads, writes)| (median(reads), median(writes)));
    add_rows(report, url, medians);
}

/// Adds the rows to the report: reads and writes per second.
fn add_rows(report: &mut Report, url: &str, medians: [(f64, f64); ROWS.len()]) {
    let [undisturbed, beside @ ..] = medians;
    let title = |row: usize| many::title(url, &format!("{NAME}: {}", ROWS[row].0));
    report.row(title(0), vec![("per second", undisturbed.0)]);
    for (row, (rate, writes)) in beside.into_iter().enumerate() {
        let figures = vec![
            ("per second", rate),
            ("of undisturbed", rate / undisturbed.0),
            ("writes per second", writes),
        ];
        report.row(title(row + 1), figures);
    }
}

fn reads() -> String {
    let path = "\"/repos/acme/quiet/git/ref/heads/key-\"";
    format!("return wrk.format(\"GET\", {path} .. random({QUIET_KEYS}))")
}

/// Creates references in a repository that no reader reads.
struct Writer {
    sha: String,
    written: AtomicU64,
}

impl Writer {
    /// Runs a measurement while creating references on a server, if there is one. Returns the
    /// result, and how many references were created per second.
    fn beside(&self, server: Option<&Program>, measure: impl FnOnce() -> f64) -> (f64, f64) {
        let over = AtomicBool::new(false);
        let (started, before) = (Instant::now(), self.written.load(Ordering::Relaxed));
        let rate = std::thread::scope(|scope| {
            if let Some(server) = server {
                scope.spawn(|| self.write(server, &over));
            }
            let rate = measure();
            over.store(true, Ordering::Relaxed);
            rate
        });
        let written = self.written.load(Ordering::Relaxed) - before;
        (rate, written as f64 / started.elapsed().as_secs_f64())
    }

    /// Writes at a constant rate: after a slow write, the next ones catch up.
    fn write(&self, server: &Program, over: &AtomicBool) {
        let mut due = Instant::now();
        while !over.load(Ordering::Relaxed) {
            let number = self.written.fetch_add(1, Ordering::Relaxed);
            let body = format!(
                r#"{{"ref":"refs/heads/neighbour-{number}","sha":"{}"}}"#,
                self.sha
            );
            let request = Request {
                method: "POST",
                path: "/repos/acme/many-1/git/refs".to_owned(),
                token: CLASSIC.to_owned(),
                body: Some(body),
            };
            record(&server.address, &request);
            due += Duration::from_secs(1) / WRITES_PER_SECOND;
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
        }
    }
}
