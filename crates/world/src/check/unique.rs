//! Names that may be used once. The first item to use a name keeps it; every later one is
//! reported, with the line of the first.

use std::collections::HashMap;
use std::hash::Hash;

use crate::findings::{Finding, Findings, quoted};
use crate::yaml::{At, Location};

pub struct Unique<K> {
    kind: &'static str,
    first_lines: HashMap<K, u64>,
}

impl<K: Eq + Hash> Unique<K> {
    /// `kind` names the items in findings.
    pub fn new(kind: &'static str) -> Self {
        Self {
            kind,
            first_lines: HashMap::new(),
        }
    }

    pub fn claim(&mut self, key: K, display: &str, location: Location, findings: &mut Findings) {
        // A placeholder for an unreadable value has no name.
        if location == Location::NOWHERE {
            return;
        }
        if let Some(line) = self.first_lines.get(&key) {
            let message = format!("duplicate {} {}", self.kind, quoted(display));
            let first = format!("the first on line {line}");
            findings.push(Finding::at(location, message).found(first));
        } else {
            self.first_lines.insert(key, location.line);
        }
    }
}

/// Reports names that are equal.
pub fn distinct<'n>(
    kind: &'static str,
    names: impl IntoIterator<Item = &'n At<String>>,
    findings: &mut Findings,
) {
    let mut unique = Unique::new(kind);
    for name in names {
        unique.claim(&name.value, &name.value, name.location, findings);
    }
}

/// Reports names that are equal but for their case.
pub fn distinct_in_any_case<'n>(
    kind: &'static str,
    names: impl IntoIterator<Item = &'n At<String>>,
    findings: &mut Findings,
) {
    let mut unique = Unique::new(kind);
    for name in names {
        let key = name.value.to_lowercase();
        unique.claim(key, &name.value, name.location, findings);
    }
}
