//! Drops the objects of a pack that no reference reaches, for packs that may hold more.

use std::collections::HashSet;

use super::PackError;
use super::facts::names;
use super::index::{ReceivedPack, derive};
use crate::Sha;

impl ReceivedPack {
    /// Drops the objects that `tips` do not reach. Reads only the objects that it drops: an
    /// object is reachable unless everything that references it is dropped.
    pub(crate) fn retain_reachable(&mut self, tips: &HashSet<Sha>) -> Result<(), PackError> {
        let mut unreached: Vec<Sha> = self
            .by_sha
            .iter()
            .map(|index| self.entries[*index as usize].sha)
            .filter(|sha| !tips.contains(sha) && !self.facts.referenced.contains_key(sha))
            .collect();
        while let Some(sha) = unreached.pop() {
            let Some((index, kind)) = self.find(sha) else {
                continue;
            };
            self.dropped.insert(sha);
            let (content, _) = derive(&self.spool, &self.entries, index, |_| None)?;
            let referenced =
                names(kind, &content).map_err(|cause| PackError::Fsck { sha, cause })?;
            for (name, _) in referenced {
                if self.facts.forget(name) && !tips.contains(&name) {
                    unreached.push(name);
                }
            }
        }
        let (entries, dropped) = (&self.entries, &self.dropped);
        self.by_sha
            .retain(|index| !dropped.contains(&entries[*index as usize].sha));
        self.facts
            .commits
            .retain(|commit| !dropped.contains(&commit.sha));
        Ok(())
    }

    /// Checks that the pack has every object that its objects reference.
    pub(crate) fn check_closed(&self) -> Result<(), PackError> {
        for (&sha, reference) in &self.facts.referenced {
            let kind = reference.kind;
            match self.kind_of(sha) {
                None => return Err(PackError::Missing { sha, kind }),
                Some(actual) if actual == kind => {}
                Some(actual) => {
                    let expected = kind;
                    return Err(PackError::WrongKind {
                        sha,
                        expected,
                        actual,
                    });
                }
            }
        }
        Ok(())
    }
}
