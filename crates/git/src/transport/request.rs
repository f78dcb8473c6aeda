//! The parameters of a fetch, independent of the protocol version.

use std::collections::HashSet;

use super::BadRequest;
use super::filter::ObjectFilter;
use crate::Sha;

/// A depth that means the whole history.
pub const INFINITE: u32 = 0x7fff_ffff;

/// References whose history a request may exclude.
const MOST_DEEPEN_NOT: usize = 100;

/// A request for objects.
#[derive(Debug, Clone, Default)]
pub struct FetchRequest {
    pub wants: Vec<Sha>,
    /// The objects that the client says it has, in its order.
    pub haves: Vec<Sha>,
    /// The client wants the pack now.
    pub done: bool,
    /// The commits whose parents the client does not have.
    pub shallow: HashSet<Sha>,
    pub deepen: Deepen,
    pub filter: ObjectFilter,
    /// Also send the annotated tags that point to objects in the pack.
    pub include_tag: bool,
    /// The client resolves deltas against objects that it has.
    pub thin_pack: bool,
    /// The client resolves deltas by their distance.
    pub ofs_delta: bool,
    pub no_progress: bool,
    /// The client decides when enough common commits are found.
    pub wait_for_done: bool,
}

/// The requested depth of a history.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Deepen {
    /// The number of commits.
    pub depth: Option<u32>,
    /// The depth counts from where the client's history ends.
    pub relative: bool,
    /// Only commits since this time.
    pub since: Option<i64>,
    /// Nothing that these references reach.
    pub not: Vec<String>,
}

impl Deepen {
    /// Whether the client wants to change where its history ends.
    pub fn is_wanted(&self) -> bool {
        self.depth.is_some() || self.is_conditional()
    }

    /// Whether a condition other than the depth determines where it ends.
    pub fn is_conditional(&self) -> bool {
        self.since.is_some() || !self.not.is_empty()
    }
}

impl FetchRequest {
    /// Parses a line that all versions share; returns false for any other line.
    pub fn parse_line(&mut self, line: &str) -> Result<bool, BadRequest> {
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        match key {
            "shallow" => {
                self.shallow.insert(name(value)?);
            }
            "deepen" => {
                let depth = value.parse().ok().filter(|depth| *depth > 0);
                let depth = depth.ok_or_else(|| invalid_line("Invalid deepen", line))?;
                self.deepen.depth = Some(std::cmp::min(depth, INFINITE));
            }
            "deepen-since" => {
                let since = value
                    .parse()
                    .map_err(|_| invalid_line("Invalid deepen-since", line))?;
                self.deepen.since = Some(since);
            }
            "deepen-not" if self.deepen.not.len() == MOST_DEEPEN_NOT => {
                let message = format!("more than {MOST_DEEPEN_NOT} deepen-not lines");
                return Err(BadRequest::new(message));
            }
            "deepen-not" => self.deepen.not.push(value.to_owned()),
            "deepen-relative" => self.deepen.relative = true,
            "filter" => self.filter = ObjectFilter::parse(value)?,
            _ => return Ok(false),
        }
        if self.deepen.depth.is_some() && self.deepen.is_conditional() {
            let message = "deepen and deepen-since (or deepen-not) cannot be used together";
            return Err(BadRequest::new(message));
        }
        Ok(true)
    }
}

/// The name of an object.
pub fn name(text: &str) -> Result<Sha, BadRequest> {
    text.parse()
        .map_err(|_| invalid_line("expected an object name, got", text))
}

fn invalid_line(reason: &str, line: &str) -> BadRequest {
    BadRequest::new(format!("{reason}: {}", line.escape_debug()))
}
