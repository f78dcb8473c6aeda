//! What an import left out, and why. Equal reasons are counted together.

use std::collections::BTreeMap;
use std::fmt;

use crate::client::RequestRefusal;

#[derive(Debug, Default)]
pub struct LeftOut(BTreeMap<(String, String), usize>);

impl LeftOut {
    /// One more thing, by the name of its kind.
    pub fn add(&mut self, what: impl Into<String>, why: impl Into<String>) {
        self.add_many(what, why, 1);
    }

    pub fn add_many(&mut self, what: impl Into<String>, why: impl Into<String>, count: usize) {
        if count > 0 {
            *self.0.entry((what.into(), why.into())).or_default() += count;
        }
    }

    /// Something that the server does not show.
    pub fn refused(&mut self, what: impl Into<String>, refusal: &RequestRefusal) {
        let why = match refusal.status {
            403 => "403: the token may not read this".to_owned(),
            404 => "404: the server does not have it, or not for this token".to_owned(),
            status => format!("{status}: {}", refusal.message),
        };
        self.add(what, why);
    }

    /// A line for each kind and reason.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|((what, why), count)| match count {
            1 => format!("{what} ({why})"),
            count => format!("{what}, {count} times ({why})"),
        })
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines()
            .try_for_each(|line| writeln!(formatter, "  {line}"))
    }
}
