//! That something is named once. The first to take a name keeps it; every later one
//! is reported, with the line of the first.

use std::collections::HashMap;
use std::hash::Hash;

use crate::world::findings::{Finding, Findings, quoted};
use crate::world::node::Place;

pub struct Unique<K> {
    what: &'static str,
    taken: HashMap<K, Place>,
}

impl<K: Eq + Hash> Unique<K> {
    /// `what` is the word for it in a finding.
    pub fn new(what: &'static str) -> Self {
        Self {
            what,
            taken: HashMap::new(),
        }
    }

    pub fn claim(&mut self, key: K, shown: &str, place: Place, findings: &mut Findings) {
        // The placeholder of a value that could not be read takes no name.
        if place == Place::NOWHERE {
            return;
        }
        if let Some(first) = self.taken.get(&key) {
            findings.push(
                Finding::at(place, format!("duplicate {} {}", self.what, quoted(shown)))
                    .expected("it once")
                    .found(format!("it on line {} already", first.line)),
            );
        } else {
            self.taken.insert(key, place);
        }
    }
}
