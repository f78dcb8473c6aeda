//! The binary as a process: commands that end, and a server on a free port.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// What waits longer waits forever.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The command, without the environment of this machine.
pub fn forgewright(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_forgewright"));
    command.env_clear().current_dir(folder);
    command
}

/// A server that listens on a free port of this machine. Dropping this kills it.
pub struct ServerProcess {
    pub child: Child,
    pub address: String,
    pub greeting: String,
}

impl ServerProcess {
    /// Starts the server and waits until it has printed its greeting.
    pub fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut child = forgewright(folder)
            .args(["--listen", "127.0.0.1:0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut greeting = String::new();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        while !greeting.contains("/docs/\n") {
            let read = lines.read_line(&mut greeting).unwrap();
            assert!(
                read > 0,
                "the server stopped: {greeting}{}",
                remaining_stderr(&mut child)
            );
        }
        // The greeting is written at once, so the rest of it is available.
        greeting.push_str(&String::from_utf8_lossy(lines.buffer()));
        let address = greeting.split("http://").nth(1).unwrap();
        let address = address.split('/').next().unwrap().to_owned();
        Self {
            child,
            address,
            greeting,
        }
    }

    /// Sends bytes, and reads the connection to its end.
    pub fn send(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        stream.write_all(bytes).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        response
    }

    /// The status and the body of a response.
    pub fn get(&self, path: &str, token: Option<&str>) -> (u16, String) {
        let credential = token.map_or(String::new(), |token| {
            format!("Authorization: Bearer {token}\r\n")
        });
        let response = self.send(
            format!(
                "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{credential}\r\n"
            )
            .as_bytes(),
        );
        let status = response.split(' ').nth(1).unwrap().parse().unwrap();
        let body = response.split("\r\n\r\n").nth(1).unwrap_or_default();
        (status, body.to_owned())
    }

    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([name, &self.child.id().to_string()])
            .status()
            .unwrap();
        assert!(sent.success());
    }

    /// Sends a signal, and waits for the exit code.
    pub fn stop(mut self, signal: &str) -> i32 {
        self.signal(signal);
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code().unwrap_or(-1);
            }
            assert!(start.elapsed() < TIMEOUT, "the server does not stop");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The remaining output of a process on standard error.
pub fn remaining_stderr(child: &mut Child) -> String {
    let mut text = String::new();
    let _ = child.stderr.take().unwrap().read_to_string(&mut text);
    text
}

/// Asserts that a command failed with this exit code and these words on standard error, without
/// a backtrace. With the code 1, standard error must be one line.
#[track_caller]
pub fn assert_fails(output: &Output, code: i32, words: &[&str]) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{text}");
    for word in words {
        assert!(text.contains(word), "`{word}` is not in: {text}");
    }
    assert!(
        !text.contains("panicked") && !text.contains("RUST_BACKTRACE"),
        "{text}"
    );
    if code == 1 {
        assert_eq!(text.lines().count(), 1, "{text}");
    }
}
