//! Generates load with `wrk` over persistent connections, and parses its results.

use std::path::Path;
use std::process::Command;

use super::options::Options;

/// The repeated request: one path, or those of a Lua script.
pub struct Load<'a> {
    pub address: &'a str,
    pub path: &'a str,
    pub headers: Vec<String>,
    pub script: Option<&'a Path>,
}

/// The result of one round.
#[derive(Debug, Clone, Copy)]
pub struct Round {
    /// Responses per second.
    pub rate: f64,
    /// All responses.
    pub requests: f64,
    /// The 99th percentile of the latency, in milliseconds.
    pub p99: f64,
}

impl Load<'_> {
    pub fn run(&self, options: &Options, seconds: u64) -> Round {
        let mut command = Command::new("wrk");
        command
            .args(["--latency", "--timeout", "30s", "-t2"])
            .arg(format!("-c{}", options.connections))
            .arg(format!("-d{seconds}s"));
        for header in &self.headers {
            command.args(["-H", header]);
        }
        if let Some(script) = self.script {
            command.arg("-s").arg(script);
        }
        command.arg(format!("http://{}{}", self.address, self.path));
        let output = command.output().unwrap_or_else(|error| {
            panic!("cannot run wrk ({error}); Debian: apt-get install wrk")
        });
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success() && !text.contains("Non-2xx") && !text.contains("Socket errors"),
            "{command:?}\n{text}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let after = |label: &str| {
            let rest = text.split_once(label).map_or("", |(_, rest)| rest);
            rest.split_whitespace().next().unwrap_or_default()
        };
        Round {
            rate: after("Requests/sec:").parse().unwrap_or(0.0),
            requests: before(&text, " requests in ").parse().unwrap_or(0.0),
            p99: milliseconds(after("99%")),
        }
    }
}

/// The last word before a label.
fn before<'a>(text: &'a str, label: &str) -> &'a str {
    let start = text.split_once(label).map_or("", |(start, _)| start);
    start.split_whitespace().next_back().unwrap_or_default()
}

fn milliseconds(text: &str) -> f64 {
    let (number, factor) = match text {
        _ if text.ends_with("us") => (text.trim_end_matches("us"), 0.001),
        _ if text.ends_with("ms") => (text.trim_end_matches("ms"), 1.0),
        _ => (text.trim_end_matches('s'), 1000.0),
    };
    number.parse::<f64>().unwrap_or(0.0) * factor
}

/// A script for wrk. `request` is the body of a function that returns a request; it may call
/// `random(n)`, from 1 to n, and `unique()`. Scripts that run at the same time need different
/// salts.
pub fn lua(request: &str, salt: &str) -> String {
    format!(
        r#"local n, salt, threads = 0, "", 0
function setup(thread) threads = threads + 1; thread:set("id", threads) end
function init()
  math.randomseed(os.time() * 7 + id)
  salt = string.format("%x%x", os.time(), math.floor(os.clock() * 1e9)) .. "{salt}t" .. id .. "n"
end
local function random(most) return math.random(1, most) end
local function unique() n = n + 1; return salt .. n end
function request() {request} end
"#
    )
}

/// The median; for an even number of values, the upper of the two middle ones.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
