//! The Git data of a repository: `git clone --mirror`, in a process of its own. It gets the
//! token through its environment, for one server, and reads no configuration of this machine.
//! Note: the mirror has its own path in each generation, so that a world file never refers to a
//! mirror that is half written.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;
use url::Url;

use crate::ImportError;
use crate::store::UNFINISHED;
use crate::token::ApiToken;

/// The largest mirror.
pub const MAX_MIRROR: u64 = 8 << 30;

/// How often the size of a growing mirror is looked at.
const INTERVAL: Duration = Duration::from_secs(1);

/// How many commits one request asks for.
const FETCHED: usize = 50;

/// The references to commits that are kept for comments, and those of pull requests.
const KEPT: &str = "refs/keep-around/";
const PULLS: &str = "refs/pull/";

/// What of the error messages of Git is shown.
const MAX_STDERR: u64 = 16 << 10;

pub struct Git<'a> {
    pub token: Option<&'a ApiToken>,
}

impl Git<'_> {
    /// Clones into `target`, which appears whole or not at all. What `before` has is not
    /// fetched again.
    pub async fn mirror(
        &self,
        url: &Url,
        scratch: &Path,
        target: &Path,
        before: Option<&Path>,
    ) -> Result<(), ImportError> {
        let folder = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .tempdir_in(scratch)?;
        let new = folder.path().join("mirror.git");
        let mut command = self.git(Some(url));
        command.args(["clone", "--mirror", "--quiet", "--template="]);
        if let Some(before) = before {
            command.arg("--reference").arg(before).arg("--dissociate");
        }
        command.arg("--").arg(url.as_str()).arg(&new);
        self.finish(command, &new).await?;
        let parent = target.parent().unwrap_or(scratch);
        fs::create_dir_all(parent)?;
        Ok(fs::rename(&new, target)?)
    }

    /// Keeps the commits that comments refer to, also those that no branch has any more. A
    /// server may still have them: GitHub does. Returns those that the mirror has.
    pub async fn keep(
        &self,
        url: &Url,
        mirror: &Path,
        commits: &BTreeSet<String>,
    ) -> Result<BTreeSet<String>, ImportError> {
        let mut existing = self.existing(mirror, commits).await?;
        let missing: Vec<&String> = commits.difference(&existing).collect();
        for some in missing.chunks(FETCHED) {
            // A server that has lost one of them refuses them all.
            if !self.fetch(url, mirror, some).await? {
                for one in some {
                    self.fetch(url, mirror, &[one]).await?;
                }
            }
        }
        if !missing.is_empty() {
            existing = self.existing(mirror, commits).await?;
        }
        self.add_references(mirror, &existing).await?;
        Ok(existing)
    }

    async fn fetch(
        &self,
        url: &Url,
        mirror: &Path,
        commits: &[&String],
    ) -> Result<bool, ImportError> {
        let mut command = self.git(Some(url));
        command.arg("--git-dir").arg(mirror);
        command.args([
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--",
        ]);
        command.arg(url.as_str());
        command.args(commits.iter().map(|sha| format!("{sha}:{KEPT}{sha}")));
        Ok(self.finish(command, mirror).await.is_ok())
    }

    /// References to commits that no branch and no tag reaches. A world has those of pull
    /// requests by itself.
    async fn add_references(
        &self,
        mirror: &Path,
        commits: &BTreeSet<String>,
    ) -> Result<(), ImportError> {
        let input: String = commits.iter().map(|sha| format!("{sha}\n")).collect();
        let list = ["rev-list", "--stdin", "--not", "--branches", "--tags"];
        let unreached = self.lines(mirror, &list, input).await?;
        let unreached: BTreeSet<String> = unreached.into_iter().collect();
        let kept = commits.intersection(&unreached);
        let mut changes: String = kept
            .map(|sha| format!("create {KEPT}{sha} {sha}\n"))
            .collect();
        let list = ["for-each-ref", "--format=%(refname)", PULLS, KEPT];
        let old = self.lines(mirror, &list, String::new()).await?;
        let old: String = old.iter().map(|name| format!("delete {name}\n")).collect();
        self.lines(mirror, &["update-ref", "--stdin"], old).await?;
        changes.push('\n');
        self.lines(
            mirror,
            &["update-ref", "--stdin"],
            changes.trim_start().to_owned(),
        )
        .await?;
        Ok(())
    }

    /// Which of these commits the mirror has.
    async fn existing(
        &self,
        mirror: &Path,
        commits: &BTreeSet<String>,
    ) -> Result<BTreeSet<String>, ImportError> {
        let names: String = commits.iter().map(|sha| format!("{sha}\n")).collect();
        let list = ["cat-file", "--batch-check=%(objectname) %(objecttype)"];
        let lines = self.lines(mirror, &list, names).await?;
        let shas = lines.iter().filter_map(|line| line.strip_suffix(" commit"));
        Ok(shas.map(str::to_owned).collect())
    }

    /// The lines that a command prints about a mirror.
    async fn lines(
        &self,
        mirror: &Path,
        arguments: &[&str],
        input: String,
    ) -> Result<Vec<String>, ImportError> {
        let mut command = self.git(None);
        command.arg("--git-dir").arg(mirror).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn()?;
        let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::from(io::ErrorKind::BrokenPipe).into());
        };
        let write = async move { stdin.write_all(input.as_bytes()).await };
        let read = async {
            let mut found = Vec::new();
            let mut lines = BufReader::new(stdout).lines();
            while let Some(line) = lines.next_line().await? {
                found.push(line);
            }
            Ok::<_, io::Error>(found)
        };
        let ((), found) = tokio::try_join!(write, read)?;
        match child.wait().await?.success() {
            true => Ok(found),
            false => Err(ImportError::Git(format!(
                "git {} failed in {}",
                arguments.first().unwrap_or(&""),
                mirror.display()
            ))),
        }
    }

    /// A command that neither asks nor reads the configuration of this machine.
    fn git(&self, url: Option<&Url>) -> Command {
        let mut command = Command::new("git");
        let settings = [
            ("http.followRedirects", "false".to_owned()),
            ("http.lowSpeedLimit", "1000".to_owned()),
            ("http.lowSpeedTime", "60".to_owned()),
            ("credential.helper", String::new()),
            ("core.hooksPath", "/dev/null".to_owned()),
            ("gc.auto", "0".to_owned()),
        ];
        let credential = url.zip(self.token).map(|(url, token)| {
            let basic = BASE64_STANDARD.encode(format!("x-access-token:{}", token.value()));
            (
                format!("http.{}/.extraHeader", url.origin().ascii_serialization()),
                format!("Authorization: Basic {basic}"),
            )
        });
        let settings = settings.map(|(key, value)| (key.to_owned(), value));
        let settings: Vec<_> = settings.into_iter().chain(credential).collect();
        for name in [
            "GIT_DIR",
            "GIT_WORK_TREE",
            "GIT_INDEX_FILE",
            "GIT_OBJECT_DIRECTORY",
            "GIT_TRACE",
            "GIT_TRACE_CURL",
            "GIT_CURL_VERBOSE",
            "GIT_CONFIG_PARAMETERS",
            "GIT_ASKPASS",
            "SSH_ASKPASS",
        ] {
            command.env_remove(name);
        }
        command
            .env("GIT_ALLOW_PROTOCOL", "http:https")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_COUNT", settings.len().to_string())
            .env("LC_ALL", "C")
            .kill_on_drop(true)
            .stdin(Stdio::null());
        for (index, (key, value)) in settings.iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{index}"), key);
            command.env(format!("GIT_CONFIG_VALUE_{index}"), value);
        }
        command
    }

    /// Runs a command to its end, unless the mirror becomes too large.
    async fn finish(&self, mut command: Command, mirror: &Path) -> Result<(), ImportError> {
        let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let mut child = child.map_err(|cause| {
            ImportError::Git(format!("cannot run git, which the import needs: {cause}"))
        })?;
        let stderr = child.stderr.take();
        let reading = async {
            let mut text = Vec::new();
            if let Some(pipe) = stderr {
                pipe.take(MAX_STDERR).read_to_end(&mut text).await?;
            }
            Ok(text)
        };
        let (text, status) = tokio::select! {
            ended = async { tokio::try_join!(reading, child.wait()) } => ended?,
            () = too_large(mirror) => {
                return Err(ImportError::Git(format!(
                    "the repository is larger than {} GiB",
                    MAX_MIRROR >> 30
                )));
            }
        };
        match status.success() {
            true => Ok(()),
            false => Err(ImportError::Git(self.reason(&text))),
        }
    }

    fn reason(&self, stderr: &[u8]) -> String {
        let text = String::from_utf8_lossy(stderr);
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let line = lines.next_back().unwrap_or("no reason given");
        let line: String = line.chars().filter(|c| !c.is_control()).take(300).collect();
        self.token.map_or(line.clone(), |token| token.masked(&line))
    }
}

/// Ends when the mirror is too large.
async fn too_large(mirror: &Path) {
    while size(mirror) <= MAX_MIRROR {
        tokio::time::sleep(INTERVAL).await;
    }
}

/// The size of the packs; loose objects are few in a clone.
fn size(mirror: &Path) -> u64 {
    let packs = fs::read_dir(mirror.join("objects/pack"));
    let files = packs.into_iter().flatten().filter_map(Result::ok);
    files
        .filter_map(|file| file.metadata().ok())
        .map(|file| file.len())
        .sum()
}
