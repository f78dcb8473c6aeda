//! The `git` program, isolated from the configuration of the user who runs the tests.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A repository in a temporary folder.
pub struct Git {
    folder: TempDir,
}

impl Git {
    /// An empty bare repository whose HEAD names `main`.
    pub fn bare() -> Self {
        let git = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        git.run(&["init", "-q", "--bare", "-b", "main", "."]);
        git
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    /// The output of a command, which must succeed.
    pub fn run(&self, arguments: &[&str]) -> Vec<u8> {
        self.feed(arguments, b"")
    }

    pub fn text(&self, arguments: &[&str]) -> String {
        let text = String::from_utf8(self.run(arguments)).unwrap();
        text.trim_end().to_owned()
    }

    pub fn lines(&self, arguments: &[&str]) -> Vec<String> {
        self.text(arguments).lines().map(str::to_owned).collect()
    }

    /// The output of a command with this input, which must succeed.
    pub fn feed(&self, arguments: &[&str], input: &[u8]) -> Vec<u8> {
        let output = run_in(self.folder.path(), arguments, input);
        assert!(
            output.status.success(),
            "git {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        output.stdout
    }

    /// Whether a command succeeds, and its output.
    pub fn attempt(&self, arguments: &[&str]) -> (bool, String) {
        let output = run_in(self.folder.path(), arguments, b"");
        let text = String::from_utf8_lossy(&output.stdout)
            .trim_end()
            .to_owned();
        (output.status.success(), text)
    }
}

/// Runs `git` in a folder.
pub fn run_in(folder: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new("git")
        .current_dir(folder)
        .env_remove("GIT_DIR")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_AUTHOR_NAME", "Tess Ter")
        .env("GIT_AUTHOR_EMAIL", "tess@example.com")
        .env("GIT_COMMITTER_NAME", "Tess Ter")
        .env("GIT_COMMITTER_EMAIL", "tess@example.com")
        .env("GIT_AUTHOR_DATE", "1700000000 +0000")
        .env("GIT_COMMITTER_DATE", "1700000000 +0000")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("these tests need the program `git` on the PATH");
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let feeder = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    // A command that does not read its input closes the pipe early.
    drop(feeder.join().unwrap());
    output
}
