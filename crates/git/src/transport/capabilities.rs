//! The capabilities of this server, and those that a client requests.

use super::{BadRequest, packet};

/// The agent name of this server.
pub const AGENT: &str = concat!("agent=git/forgewright-", env!("CARGO_PKG_VERSION"));

const OBJECT_FORMAT: &str = "object-format=sha1";

/// The capabilities of fetching with versions 0 and 1.
const FETCH: &str = "multi_ack thin-pack side-band side-band-64k ofs-delta shallow deepen-since \
                     deepen-not deepen-relative no-progress include-tag multi_ack_detailed \
                     allow-tip-sha1-in-want allow-reachable-sha1-in-want no-done filter";

/// The capabilities of pushing.
const PUSH: &str =
    "report-status report-status-v2 delete-refs side-band-64k quiet atomic ofs-delta";

/// The capabilities of fetching in versions 0 and 1. `head` is the target of HEAD, if it exists.
pub fn fetch(head: Option<&str>) -> String {
    let head = head.map_or(String::new(), |name| format!(" symref=HEAD:{name}"));
    format!("{FETCH}{head} {OBJECT_FORMAT} {AGENT}")
}

/// The capabilities of pushing.
pub fn push() -> String {
    format!("{PUSH} {OBJECT_FORMAT} {AGENT}")
}

/// The capability advertisement of version 2.
pub fn version_2() -> Vec<u8> {
    let mut out = Vec::new();
    for line in [
        "version 2",
        AGENT,
        "ls-refs=unborn",
        "fetch=shallow wait-for-done filter",
        OBJECT_FORMAT,
    ] {
        packet::push_text(&mut out, line);
    }
    packet::push_flush(&mut out);
    out
}

/// The capabilities that a client requests, separated by spaces.
#[derive(Debug, Clone, Default)]
pub struct RequestedCapabilities<'a>(&'a str);

impl<'a> RequestedCapabilities<'a> {
    /// Rejects object formats other than SHA-1.
    pub fn new(list: &'a str) -> Result<Self, BadRequest> {
        for capability in list.split(' ') {
            check_format(capability)?;
        }
        Ok(Self(list))
    }

    pub fn has(&self, capability: &str) -> bool {
        self.0.split(' ').any(|requested| requested == capability)
    }
}

/// Refuses names of objects that are not SHA-1.
pub fn check_format(capability: &str) -> Result<(), BadRequest> {
    match capability.strip_prefix("object-format=") {
        Some(format) if format != "sha1" => Err(BadRequest::new(format!(
            "mismatched object format: server sha1; client {format}"
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capability_is_a_whole_word() {
        let requested = RequestedCapabilities::new("side-band-64k ofs-delta agent=x").unwrap();
        assert!(requested.has("ofs-delta") && requested.has("side-band-64k"));
        assert!(!requested.has("side-band") && !requested.has("agent"));
        assert!(RequestedCapabilities::new("object-format=sha256").is_err());
        assert!(RequestedCapabilities::new("object-format=sha1").is_ok());
    }
}
