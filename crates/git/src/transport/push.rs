//! The commands of a push, and the report on them.

use super::capabilities::RequestedCapabilities;
use super::sideband::Bands;
use super::{BadRequest, packet};
use crate::Sha;

/// The null object name: the old one of a created reference, the new one of a deleted one.
pub const NOTHING: Sha = Sha::from_bytes([0; Sha::BYTES]);

/// A change of one reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefCommand {
    pub old: Sha,
    pub new: Sha,
    /// As it was sent. It may not be text.
    pub name: Vec<u8>,
}

impl RefCommand {
    pub fn deletes(&self) -> bool {
        self.new == NOTHING
    }
}

/// The commands of a push, which come before its pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commands {
    pub commands: Vec<RefCommand>,
    pub atomic: bool,
    /// The client wants a report on each command.
    pub report: bool,
    pub bands: Bands,
}

impl Commands {
    /// Parses the lines before the first flush packet.
    pub fn parse(lines: &[Vec<u8>]) -> Result<Self, BadRequest> {
        let mut commands = Vec::with_capacity(lines.len());
        let mut list = String::new();
        for line in lines {
            if line.starts_with(b"shallow ") {
                continue;
            }
            let (line, suffix) = match line.iter().position(|byte| *byte == 0) {
                Some(end) => (&line[..end], &line[end + 1..]),
                None => (&line[..], &[][..]),
            };
            if commands.is_empty() {
                list = String::from_utf8_lossy(suffix).trim().to_owned();
            }
            commands.push(command(line)?);
        }
        let capabilities = RequestedCapabilities::new(&list)?;
        Ok(Self {
            commands,
            atomic: capabilities.has("atomic"),
            report: capabilities.has("report-status") || capabilities.has("report-status-v2"),
            bands: match capabilities.has("side-band-64k") {
                true => Bands::Large,
                false => Bands::None,
            },
        })
    }
}

/// `<old> <new> <name>`
fn command(line: &[u8]) -> Result<RefCommand, BadRequest> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let parsed = || {
        let (old, rest) = line.split_at_checked(40)?;
        let (new, name) = rest.strip_prefix(b" ")?.split_at_checked(40)?;
        let sha = |digits| std::str::from_utf8(digits).ok()?.parse().ok();
        Some(RefCommand {
            old: sha(old)?,
            new: sha(new)?,
            name: name.strip_prefix(b" ")?.to_vec(),
        })
    };
    parsed().ok_or_else(|| {
        BadRequest::new(format!(
            "protocol error: expected old/new/ref, got '{}'",
            String::from_utf8_lossy(line).escape_debug()
        ))
    })
}

/// The outcome of a push.
#[derive(Debug)]
pub struct PushReport<'a> {
    /// Why the pack was rejected.
    pub unpack: Option<&'a str>,
    /// The outcome of each command: None for success, or why it was rejected.
    pub outcomes: Vec<(&'a [u8], Option<&'a str>)>,
}

impl PushReport<'_> {
    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        packet::push_text(&mut out, &format!("unpack {}", self.unpack.unwrap_or("ok")));
        for (name, rejection) in &self.outcomes {
            let mut line = match rejection {
                None => b"ok ".to_vec(),
                Some(_) => b"ng ".to_vec(),
            };
            line.extend(*name);
            if let Some(reason) = rejection {
                line.extend(format!(" {reason}").bytes());
            }
            line.push(b'\n');
            packet::push_line(&mut out, &line);
        }
        packet::push_flush(&mut out);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHA: &str = "8eab163a70f05830af308d28304b3508f0118432";
    const ZERO: &str = "0000000000000000000000000000000000000000";

    #[test]
    fn commands_are_read_with_the_capabilities_of_the_first() {
        let lines = [
            format!("shallow {SHA}").into_bytes(),
            format!("{ZERO} {SHA} refs/heads/a\0 report-status atomic").into_bytes(),
            format!("{SHA} {ZERO} refs/heads/b\n").into_bytes(),
        ];
        let commands = Commands::parse(&lines).unwrap();
        assert!(commands.atomic && commands.report);
        assert_eq!(commands.bands, Bands::None);
        let [created, deleted] = &commands.commands[..] else {
            panic!("not two commands");
        };
        assert_eq!(
            (created.old, &created.name[..]),
            (NOTHING, &b"refs/heads/a"[..])
        );
        assert!(deleted.deletes() && !created.deletes());
    }

    #[test]
    fn what_is_no_command_is_refused() {
        let short = format!("{ZERO} {SHA}");
        for invalid in ["", "push-cert x", &short, &format!("{short}refs/heads/a")] {
            assert!(
                Commands::parse(&[invalid.as_bytes().to_vec()]).is_err(),
                "{invalid}"
            );
        }
    }

    #[test]
    fn a_report_names_each_command() {
        let report = PushReport {
            unpack: None,
            outcomes: vec![
                (&b"refs/heads/a"[..], None),
                (&b"HEAD"[..], Some("funny refname")),
            ],
        };
        assert_eq!(
            report.write(),
            b"000eunpack ok\n0014ok refs/heads/a\n001ang HEAD funny refname\n0000"
        );
    }
}
