//! Programs that answer: started on a free port, asked where they listen, and
//! stopped when they are dropped.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::http::{self, Asked};
use super::options::Options;

/// Enough for any load, so that limits are counted and never met.
const LIMITS: [&str; 8] = [
    "--rate-limit-user",
    "1000000000",
    "--rate-limit-installation",
    "1000000000",
    "--content-limit-minute",
    "1000000000",
    "--content-limit-hour",
    "1000000000",
];

pub struct Program {
    child: Child,
    /// Host and port.
    pub address: String,
    /// From the start of the process to its first answer.
    pub cold_start: Duration,
}

impl Program {
    /// The server, on a database; its log goes to a file, as it would in service.
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

    pub fn ceiling(answers: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("ceiling").arg(answers);
        Self::start(command, "/")
    }

    pub fn node(answers: &Path) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/speed/bare.js");
        let mut command = Command::new("node");
        command.arg(script).arg(answers);
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
            .unwrap_or_else(|| panic!("{command:?} does not say where it listens"));
        std::thread::spawn(move || lines.for_each(drop));
        while http::ask(&address, &Asked::get(path, "")).is_err() {
            std::thread::sleep(Duration::from_micros(200));
        }
        Self {
            child,
            address,
            cold_start: started.elapsed(),
        }
    }

    /// Memory that the process holds, in megabytes.
    pub fn resident(&self) -> f64 {
        self.memory("VmRSS:")
    }

    /// The most memory that the process has held since it was told to forget, in megabytes.
    pub fn peak(&self) -> f64 {
        self.memory("VmHWM:")
    }

    /// Counts the most memory from now on.
    pub fn forget_peak(&self) {
        let path = format!("/proc/{}/clear_refs", self.child.id());
        std::fs::write(path, "5").unwrap();
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

/// Runs a command of the server and waits for it.
pub fn command(options: &Options, arguments: &[&str]) {
    let status = Command::new(&options.server)
        .args(arguments)
        .stdout(Stdio::null())
        .status();
    assert!(status.is_ok_and(|status| status.success()), "{arguments:?}");
}
