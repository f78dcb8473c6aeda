//! What a request for objects wants, whatever version of the protocol it came in.

use std::collections::HashSet;

use super::BadRequest;
use super::filter::ObjectFilter;
use crate::git::Sha;

/// A depth that means the whole history.
pub const INFINITE: u32 = 0x7fff_ffff;

/// A request for objects.
#[derive(Debug, Clone, Default)]
pub struct FetchRequest {
    pub wants: Vec<Sha>,
    /// What the client says it has, in its order.
    pub haves: Vec<Sha>,
    /// The client wants the pack now.
    pub done: bool,
    /// The commits whose parents the client does not have.
    pub shallow: HashSet<Sha>,
    pub deepen: Deepen,
    pub filter: ObjectFilter,
    /// Annotated tags of what is sent are wanted as well.
    pub include_tag: bool,
    /// The client resolves deltas against what it has.
    pub thin_pack: bool,
    /// The client resolves deltas by their distance.
    pub ofs_delta: bool,
    pub no_progress: bool,
    /// The client decides when there is enough in common.
    pub wait_for_done: bool,
}

/// How far a history is to reach.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Deepen {
    /// This many commits.
    pub depth: Option<u32>,
    /// The depth counts from where the client's history ends.
    pub relative: bool,
    /// Commits from this moment on.
    pub since: Option<i64>,
    /// Nothing that these references lead to.
    pub not: Vec<String>,
}

impl Deepen {
    /// Whether the history is to reach elsewhere than it does.
    pub fn is_wanted(&self) -> bool {
        self.depth.is_some() || self.is_conditional()
    }

    /// Whether a condition other than the depth says where it ends.
    pub fn is_conditional(&self) -> bool {
        self.since.is_some() || !self.not.is_empty()
    }
}

impl FetchRequest {
    /// Reads a line that all versions have. False if it is none of them.
    pub fn read(&mut self, line: &str) -> Result<bool, BadRequest> {
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        match key {
            "shallow" => {
                self.shallow.insert(name(value)?);
            }
            "deepen" => {
                let depth = value.parse().ok().filter(|depth| *depth > 0);
                let depth = depth.ok_or_else(|| bad("Invalid deepen", line))?;
                self.deepen.depth = Some(std::cmp::min(depth, INFINITE));
            }
            "deepen-since" => {
                let moment = value
                    .parse()
                    .map_err(|_| bad("Invalid deepen-since", line))?;
                self.deepen.since = Some(moment);
            }
            "deepen-not" => self.deepen.not.push(value.to_owned()),
            "deepen-relative" => self.deepen.relative = true,
            "filter" => self.filter = ObjectFilter::parse(value)?,
            _ => return Ok(false),
        }
        if self.deepen.depth.is_some() && self.deepen.is_conditional() {
            let words = "deepen and deepen-since (or deepen-not) cannot be used together";
            return Err(BadRequest::new(words));
        }
        Ok(true)
    }
}

/// The name of an object.
pub fn name(text: &str) -> Result<Sha, BadRequest> {
    text.parse()
        .map_err(|_| bad("expected an object name, got", text))
}

fn bad(what: &str, line: &str) -> BadRequest {
    BadRequest::new(format!("{what}: {}", line.escape_debug()))
}
