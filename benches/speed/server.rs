//! Server processes: start them on a free port, read their address from their output, and stop
//! them when dropped.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::http::{self, Request};
use super::options::Options;

/// High enough that the server counts requests but never reaches a limit; and no journal.
const LIMITS: [&str; 10] = [
    "--rate-limit-user",
    "1000000000",
    "--rate-limit-installation",
    "1000000000",
    "--content-limit-minute",
    "1000000000",
    "--content-limit-hour",
    "1000000000",
    "--control",
    "off",
];

pub struct Program {
    child: Child,
    /// Host and port.
    pub address: String,
    /// The time from the start of the process to its first response.
    pub cold_start: Duration,
}

impl Program {
    /// The server on a database. Its log goes to a file, as in production.
    pub fn forgewright(options: &Options, folder: &Path, url: &str) -> Self {
        let log = File::create(folder.join("log")).unwrap();
        let mut command = Command::new(&options.server);
        command
            .args(["--listen", "127.0.0.1:0", "--database-url", url])
            .args(LIMITS)
            .args(options.server_options.split_whitespace())
            .stderr(log);
        Self::start(command, "/healthz")
    }

    /// A binary with the demo world in a folder of its own, which it loads at its first start.
    pub fn with_demo(binary: &Path, data_dir: &Path, options: &str) -> Self {
        let log = File::create(data_dir.with_extension("log")).unwrap();
        let mut command = Command::new(binary);
        command
            .args(["--listen", "127.0.0.1:0", "--data-dir"])
            .arg(data_dir)
            .args(options.split_whitespace())
            .stderr(log);
        Self::start(command, "/healthz")
    }

    pub fn ceiling(responses: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("ceiling").arg(responses);
        Self::start(command, "/")
    }

    pub fn node(responses: &Path) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/speed/bare.js");
        let mut command = Command::new("node");
        command.arg(script).arg(responses);
        Self::start(command, "/")
    }

    fn start(mut command: Command, path: &str) -> Self {
        let started = Instant::now();
        let mut child = command
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| {
                let url = line.trim().strip_prefix("API   http://")?;
                Some(url.trim_end_matches('/').to_owned())
            })
            .unwrap_or_else(|| panic!("{command:?} did not print its address"));
        std::thread::spawn(move || lines.for_each(drop));
        while http::send(&address, &Request::get(path, "")).is_err() {
            std::thread::sleep(Duration::from_micros(200));
        }
        Self {
            child,
            address,
            cold_start: started.elapsed(),
        }
    }

    /// The resident memory of the process, in megabytes.
    pub fn resident(&self) -> f64 {
        self.memory("VmRSS:")
    }

    /// The peak resident memory since the last `reset_peak`, in megabytes.
    pub fn peak(&self) -> f64 {
        self.memory("VmHWM:")
    }

    pub fn reset_peak(&self) {
        let path = format!("/proc/{}/clear_refs", self.child.id());
        std::fs::write(path, "5").unwrap();
    }

    /// The processor time of the process so far, in user and kernel mode.
    pub fn processor_seconds(&self) -> f64 {
        /// The unit of these times, on every Linux.
        const TICKS_PER_SECOND: f64 = 100.0;
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        // The name of the process, in parentheses, may contain anything.
        let fields = stat.rsplit_once(')').unwrap().1.split_whitespace();
        let times = fields.skip(11).take(2);
        let ticks: f64 = times.map(|time| time.parse::<f64>().unwrap()).sum();
        ticks / TICKS_PER_SECOND
    }

    fn memory(&self, label: &str) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with(label));
        let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
        kilobytes.unwrap_or(0.0) / 1024.0
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a subcommand of the server binary.
pub fn command(options: &Options, arguments: &[&str]) {
    let status = Command::new(&options.server)
        .args(arguments)
        .stdout(Stdio::null())
        .status();
    assert!(status.is_ok_and(|status| status.success()), "{arguments:?}");
}
