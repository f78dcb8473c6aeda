//! Finds the objects that both sides have, and decides whether they suffice to send a pack.

use std::collections::{HashMap, HashSet};

use super::fetch::{Acknowledgments, Style};
use super::packet;
use super::request::FetchRequest;
use crate::ancestry::is_ancestor;
use crate::store::{ObjectHeader, heads};
use crate::{GitError, Sha};
use storage::database::Connection;
use storage::entities::git_object::ObjectKind;
use storage::heavy;

/// Pairs of commits that are compared. Beyond them, a client keeps listing the commits that it
/// has until it sends `done`.
const MOST_COMPARISONS: usize = 256;

/// More comparisons need a permit.
const FEW_COMPARISONS: usize = 16;

/// Objects that are looked up at a time. More of them need a permit.
const AT_ONCE: usize = 1000;

/// The objects that both sides have.
#[derive(Debug, Clone, Default)]
pub struct CommonObjects {
    /// In the order in which the client named them.
    pub objects: Vec<Sha>,
    /// The commits among them.
    pub commits: Vec<Sha>,
}

impl CommonObjects {
    /// The objects that the client says it has and the repository has too, each once.
    pub async fn find(
        connection: &Connection,
        repository_id: i64,
        haves: &[Sha],
    ) -> Result<Self, GitError> {
        let mut named = HashSet::new();
        let haves: Vec<Sha> = haves
            .iter()
            .copied()
            .filter(|sha| named.insert(*sha))
            .collect();
        let mut common = Self::default();
        for names in haves.chunks(AT_ONCE) {
            let stored = heads(connection, repository_id, names);
            let stored = match haves.len() > AT_ONCE {
                true => heavy::with_permit(stored).await?,
                false => stored.await?,
            };
            common.add(names, &stored);
        }
        Ok(common)
    }

    fn add(&mut self, names: &[Sha], stored: &HashMap<Sha, ObjectHeader>) {
        for sha in names {
            let Some(head) = stored.get(sha) else {
                continue;
            };
            self.objects.push(*sha);
            if head.kind == ObjectKind::Commit {
                self.commits.push(*sha);
            }
        }
    }

    /// Whether each wanted commit has a common commit among its ancestors.
    pub async fn is_enough(
        &self,
        connection: &Connection,
        repository_id: i64,
        wants: &[Sha],
    ) -> Result<bool, GitError> {
        if self.commits.is_empty() {
            return Ok(false);
        }
        let common: HashSet<&Sha> = self.commits.iter().collect();
        let wants: Vec<Sha> = wants
            .iter()
            .copied()
            .filter(|want| !common.contains(want))
            .collect();
        let reached = self.reach(connection, repository_id, &wants);
        match wants.len().saturating_mul(common.len()) > FEW_COMPARISONS {
            true => heavy::with_permit(reached).await,
            false => reached.await,
        }
    }

    /// Whether these commits all have a common commit among their ancestors.
    async fn reach(
        &self,
        connection: &Connection,
        repository_id: i64,
        wants: &[Sha],
    ) -> Result<bool, GitError> {
        let mut remaining = MOST_COMPARISONS;
        for want in wants {
            let mut has_common = false;
            for have in &self.commits {
                if has_common || remaining == 0 {
                    break;
                }
                remaining -= 1;
                has_common = is_ancestor(connection, repository_id, *have, *want).await?;
            }
            if !has_common {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The acknowledgments of version 2. `ready` if a pack follows.
    pub fn version_2(&self, ready: bool) -> Vec<u8> {
        let mut out = Vec::new();
        packet::push_text(&mut out, "acknowledgments");
        if self.objects.is_empty() {
            packet::push_text(&mut out, "NAK");
        }
        for sha in &self.objects {
            packet::push_text(&mut out, &format!("ACK {sha}"));
        }
        if ready {
            packet::push_text(&mut out, "ready");
        }
        out
    }

    /// The acknowledgments of versions 0 and 1, and whether a pack follows.
    pub fn version_0(&self, request: &FetchRequest, style: Style, enough: bool) -> (Vec<u8>, bool) {
        let mut out = Vec::new();
        let last = self.objects.last();
        let suffix = match style.acknowledgments {
            Acknowledgments::First => "",
            Acknowledgments::Each => " continue",
            Acknowledgments::Detailed => " common",
        };
        let acknowledged = match style.acknowledgments {
            Acknowledgments::First if request.done => &[],
            Acknowledgments::First => &self.objects[..self.objects.len().min(1)],
            _ => &self.objects[..],
        };
        for sha in acknowledged {
            packet::push_text(&mut out, &format!("ACK {sha}{suffix}"));
        }
        let detailed = style.acknowledgments == Acknowledgments::Detailed;
        let ready = last.filter(|_| enough && detailed && !request.done);
        if let Some(sha) = ready {
            packet::push_text(&mut out, &format!("ACK {sha} ready"));
        }
        let several = style.acknowledgments != Acknowledgments::First;
        if last.is_none() || (several && !request.done) {
            packet::push_text(&mut out, "NAK");
        }
        let pack = request.done || (style.no_done && ready.is_some());
        if let Some(sha) = last.filter(|_| pack) {
            packet::push_text(&mut out, &format!("ACK {sha}"));
        }
        (out, pack)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::sideband::Bands;

    fn lines(common: usize, done: bool, style: Acknowledgments, enough: bool) -> (String, bool) {
        let sha = |digit: usize| Sha::from_bytes([digit as u8; Sha::BYTES]);
        let objects: Vec<Sha> = (1..=common).map(sha).collect();
        let common = CommonObjects {
            commits: objects.clone(),
            objects,
        };
        let request = FetchRequest {
            done,
            ..FetchRequest::default()
        };
        let style = Style {
            acknowledgments: style,
            bands: Bands::None,
            no_done: true,
        };
        let (out, pack) = common.version_0(&request, style, enough);
        let mut packets = packet::Packets::new(&out);
        let mut lines = Vec::new();
        while let Some(line) = packets.line().unwrap() {
            lines.push(
                line.chars()
                    .filter(|letter| !letter.is_ascii_digit())
                    .collect::<String>(),
            );
        }
        (lines.join(",").replace("  ", " "), pack)
    }

    #[test]
    fn old_acknowledgments_are_those_of_git() {
        use Acknowledgments::{Detailed, Each, First};
        let line = |text: &str, pack| (text.to_owned(), pack);
        assert_eq!(lines(0, true, Detailed, false), line("NAK", true));
        assert_eq!(lines(0, false, Detailed, false), line("NAK", false));
        assert_eq!(
            lines(1, false, Detailed, false),
            line("ACK common,NAK", false)
        );
        assert_eq!(
            lines(1, false, Detailed, true),
            line("ACK common,ACK ready,NAK,ACK ", true)
        );
        assert_eq!(
            lines(1, true, Detailed, true),
            line("ACK common,ACK ", true)
        );
        assert_eq!(
            lines(2, true, Each, true),
            line("ACK continue,ACK continue,ACK ", true)
        );
        assert_eq!(lines(2, false, First, true), line("ACK ", false));
        assert_eq!(lines(2, true, First, true), line("ACK ", true));
        assert_eq!(lines(0, true, First, true), line("NAK", true));
    }
}
