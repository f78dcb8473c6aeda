//! Lists of references on the wire, and the targets of annotated tags.

use std::collections::HashMap;

use super::packet;
use crate::objects::{Object, Tag};
use crate::refs::NameRange;
use crate::store::read_each;
use crate::{GitError, Sha};
use storage::database::Connection;
use storage::entities::git_object::ObjectKind;

/// The prefix of every reference.
const ROOT: &str = "refs/";

/// Prefixes that are looked up one by one. With more, the client gets every reference.
const MOST_PREFIXES: usize = 200;

/// Prefixes that are compared. With more, the client gets every reference.
const MOST_SENT_PREFIXES: usize = 10_000;

/// Tags of tags that are followed.
const DEEPEST: usize = 32;

/// Tags that are read at once.
const AT_ONCE: usize = 100;

/// A request of version 2 for references.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LsRefs {
    pub peel: bool,
    pub symrefs: bool,
    pub unborn: bool,
    prefixes: Vec<String>,
}

impl LsRefs {
    /// Ignores unknown lines, and all prefixes if there are too many, as Git does.
    pub fn parse(lines: &[&str]) -> Self {
        let mut request = Self::default();
        let mut prefixes = Vec::new();
        for line in lines {
            match *line {
                "peel" => request.peel = true,
                "symrefs" => request.symrefs = true,
                "unborn" => request.unborn = true,
                other => {
                    prefixes.extend(other.strip_prefix("ref-prefix "));
                }
            }
        }
        prefixes.sort_unstable();
        prefixes.dedup();
        if prefixes.len() <= MOST_SENT_PREFIXES {
            request.prefixes = prefixes.into_iter().map(str::to_owned).collect();
        }
        request
    }

    pub fn wants_head(&self) -> bool {
        self.prefixes.is_empty()
            || self
                .prefixes
                .iter()
                .any(|prefix| "HEAD".starts_with(prefix))
    }

    /// The requested names, as sorted ranges that do not overlap.
    pub fn ranges(&self) -> Vec<NameRange> {
        let all = || vec![NameRange::beginning_with(ROOT)];
        if self.prefixes.is_empty() {
            return all();
        }
        let mut prefixes: Vec<&str> = Vec::new();
        for prefix in &self.prefixes {
            if ROOT.starts_with(prefix.as_str()) {
                return all();
            }
            if prefix.starts_with(ROOT) {
                prefixes.push(prefix);
            }
        }
        prefixes.sort_unstable();
        prefixes.dedup_by(|next, before| next.starts_with(*before));
        match prefixes.len() > MOST_PREFIXES {
            true => all(),
            false => prefixes
                .into_iter()
                .map(NameRange::beginning_with)
                .collect(),
        }
    }
}

/// The target of HEAD.
#[derive(Debug, Default)]
pub struct HeadTarget {
    /// The full name of the default branch, and its commit if it exists.
    pub default_branch: String,
    pub sha: Option<Sha>,
}

/// A reference that is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdvertisedRef {
    pub name: String,
    pub sha: Sha,
    /// The object that an annotated tag finally leads to.
    pub peeled: Option<Sha>,
}

impl AdvertisedRef {
    /// A line of version 2.
    pub fn push_version_2(&self, out: &mut Vec<u8>, leads_to: Option<&str>) {
        let target = leads_to.map_or(String::new(), |name| format!(" symref-target:{name}"));
        let peeled = self
            .peeled
            .map_or(String::new(), |sha| format!(" peeled:{sha}"));
        let line = format!("{} {}{target}{peeled}", self.sha, self.name);
        packet::push_text(out, &line);
    }

    /// The lines of versions 0 and 1. The first one has the capabilities.
    pub fn push_version_0(&self, out: &mut Vec<u8>, capabilities: Option<&str>) {
        let capabilities = capabilities.map_or(String::new(), |list| format!("\0{list}"));
        packet::push_text(out, &format!("{} {}{capabilities}", self.sha, self.name));
        if let Some(sha) = self.peeled {
            packet::push_text(out, &format!("{sha} {}^{{}}", self.name));
        }
    }
}

/// The objects that annotated tags finally lead to; omits tags that are nested too deeply.
pub async fn peel(
    connection: &Connection,
    repository_id: i64,
    tags: &[Sha],
) -> Result<HashMap<Sha, Sha>, GitError> {
    let mut peeled = HashMap::with_capacity(tags.len());
    let mut open: Vec<(Sha, Sha)> = tags.iter().map(|tag| (*tag, *tag)).collect();
    for _ in 0..DEEPEST {
        if open.is_empty() {
            break;
        }
        let names: Vec<Sha> = open.iter().map(|(_, at)| *at).collect();
        let targets = targets(connection, repository_id, &names).await?;
        let mut deeper = Vec::new();
        for (tag, at) in open {
            match *targets.get(&at).ok_or(GitError::Missing(at))? {
                (target, ObjectKind::Tag) => deeper.push((tag, target)),
                (target, _) => {
                    peeled.insert(tag, target);
                }
            }
        }
        open = deeper;
    }
    Ok(peeled)
}

/// The direct targets of annotated tags. A few queries per 100 tags; keeps no content.
pub async fn targets(
    connection: &Connection,
    repository_id: i64,
    tags: &[Sha],
) -> Result<HashMap<Sha, (Sha, ObjectKind)>, GitError> {
    let mut targets = HashMap::with_capacity(tags.len());
    for chunk in tags.chunks(AT_ONCE) {
        let keep = |sha, object: Object| {
            let tag = Tag::parse(&object.content)?;
            targets.insert(sha, (tag.target, tag.target_kind));
            Ok(())
        };
        read_each(connection, repository_id, chunk, keep).await?;
    }
    Ok(targets)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(prefixes: &[&str]) -> Vec<String> {
        let lines: Vec<String> = prefixes
            .iter()
            .map(|one| format!("ref-prefix {one}"))
            .collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let request = LsRefs::parse(&lines);
        request
            .ranges()
            .into_iter()
            .map(|range| range.from)
            .collect()
    }

    #[test]
    fn prefixes_become_ranges_that_do_not_overlap() {
        assert_eq!(ranges(&[]), ["refs/"]);
        assert_eq!(ranges(&["HEAD"]), Vec::<String>::new());
        assert_eq!(
            ranges(&["refs/tags/", "refs/heads/"]),
            ["refs/heads/", "refs/tags/"]
        );
        assert_eq!(
            ranges(&["refs/heads/a", "refs/heads/", "main"]),
            ["refs/heads/"]
        );
        assert_eq!(ranges(&["refs/heads/a", ""]), ["refs/"]);
        assert_eq!(ranges(&["refs/heads/a", "re"]), ["refs/"]);
        let many: Vec<String> = (100..400).map(|one| format!("refs/heads/{one}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(ranges(&many), ["refs/"]);
        assert_eq!(ranges(&["refs/heads/a"; 20_000]), ["refs/heads/a"]);
    }

    #[test]
    fn too_many_prefixes_are_not_kept() {
        let lines: Vec<String> = (0..=MOST_SENT_PREFIXES)
            .map(|one| format!("ref-prefix refs/heads/{one}"))
            .collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(LsRefs::parse(&lines), LsRefs::default());
        assert_ne!(LsRefs::parse(&lines[1..]), LsRefs::default());
    }

    #[test]
    fn lines_are_those_of_git() {
        let sha = Sha::EMPTY_TREE;
        let tag = AdvertisedRef {
            name: "refs/tags/v1".to_owned(),
            sha,
            peeled: Some(sha),
        };
        let mut out = Vec::new();
        tag.push_version_2(&mut out, None);
        assert_eq!(
            out,
            format!("006a{sha} refs/tags/v1 peeled:{sha}\n").into_bytes()
        );
        out.clear();
        tag.push_version_0(&mut out, Some("a b"));
        let lines = format!("003e{sha} refs/tags/v1\0a b\n003d{sha} refs/tags/v1^{{}}\n");
        assert_eq!(out, lines.into_bytes());
    }
}
