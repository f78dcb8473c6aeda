//! The history that a file writes by hand: commits, tags and refs. A parent is listed above its
//! child and a tag's target above the tag, so that there are no cycles.
//! `paths.rs` checks the file changes of the commits.

use std::collections::{HashMap, HashSet};

use super::index::{Index, UNREAD, absent};
use super::unique::distinct;
use super::{names, paths};
use crate::file::{Author, Commit, Git, Repository, Tag};
use crate::findings::{Finding, Findings, quoted};
use crate::yaml::At;
use git::MOST_PARENTS;

/// The branches of a repository as far as the file shows them.
pub enum KnownBranches<'a> {
    /// They are in a repository on disk, or in the database.
    Elsewhere,
    /// There are no commits, and so there can be no branches.
    Empty,
    Named(HashSet<&'a str>),
}

/// The parts of a history that the rest of a repository refers to.
pub struct History<'a> {
    pub branches: KnownBranches<'a>,
    pub commits: Order<'a>,
}

impl History<'_> {
    /// Reports the name of a commit that is neither an id of the file nor a SHA-1.
    pub fn require(&self, reference: &At<String>, findings: &mut Findings) {
        let name = reference.value.as_str();
        if names::sha(name).is_some() && !self.commits.contains_key(name) {
            let ids = self.commits.keys().copied();
            let expected = "the id of a commit above or a SHA-1";
            absent(reference, "commit", expected, ids, findings);
        }
    }
}

pub fn check<'a>(
    repository: &'a Repository,
    index: &Index<'_>,
    findings: &mut Findings,
) -> History<'a> {
    let nothing = |branches| History {
        branches,
        commits: Order::new(),
    };
    let Some(git) = &repository.git else {
        let stored = index.is_stored(&repository.full_name.value);
        return nothing(match stored {
            true => KnownBranches::Elsewhere,
            false => KnownBranches::Empty,
        });
    };
    if let Some(path) = &git.path {
        on_disk(git, path, findings);
        return nothing(KnownBranches::Elsewhere);
    }
    let commits = git
        .commits
        .as_ref()
        .map_or(&[][..], |commits| &commits.value);
    let order = commit_order(commits, findings);
    paths::check(commits, &order, findings);
    tags(&git.tags, &order, findings);
    refs(git, &order, findings);
    let names = git.refs.iter().map(|(name, _)| name.value.as_str());
    let branches: HashSet<&str> = names
        .filter_map(|name| name.strip_prefix("refs/heads/"))
        .collect();
    History {
        branches: match (commits, branches.is_empty()) {
            ([], true) => KnownBranches::Empty,
            _ => KnownBranches::Named(branches),
        },
        commits: order,
    }
}

fn on_disk(git: &Git, path: &At<String>, findings: &mut Findings) {
    names::require([path], "`path`", names::not_blank, findings);
    if let Some(commits) = &git.commits {
        let expected = "exactly one of `path` and `commits`";
        findings.report(commits.location, "both `path` and `commits`", expected);
        return;
    }
    let tag = git.tags.first().map(|tag| (tag.location, "`tags`"));
    let name = git.refs.first().map(|(name, _)| (name.location, "`refs`"));
    for (location, key) in tag.into_iter().chain(name) {
        let expected = "tags and references in the repository at `path`";
        findings.report(location, format!("both {key} and `path`"), expected);
    }
}

/// The position of each commit in the list, by id.
pub type Order<'a> = HashMap<&'a str, usize>;

fn commit_order<'a>(commits: &'a [Commit], findings: &mut Findings) -> Order<'a> {
    let mut order = Order::new();
    let ids = || commits.iter().map(|commit| &commit.id);
    names::require(ids(), "commit id", names::not_blank, findings);
    distinct("commit", ids(), findings);
    for (position, commit) in commits.iter().enumerate() {
        order.entry(commit.id.value.as_str()).or_insert(position);
        author(&commit.author, findings);
    }
    for (position, commit) in commits.iter().enumerate() {
        let parents = || commit.parents.iter().flatten();
        distinct("parent", parents(), findings);
        if parents().count() > MOST_PARENTS {
            let message = format!(
                "the commit {} has too many parents",
                quoted(&commit.id.value)
            );
            let expected = format!("at most {MOST_PARENTS}");
            findings.report(commit.location, message, expected);
        }
        for parent in parents() {
            parent_above(parent, position, &order, findings);
        }
    }
    order
}

fn parent_above(parent: &At<String>, child: usize, order: &Order<'_>, findings: &mut Findings) {
    let expected = "the id of a commit above";
    match order.get(parent.value.as_str()) {
        Some(position) if *position < child => {}
        Some(_) => {
            let message = format!("the commit {} is not above", quoted(&parent.value));
            findings.report(parent.location, message, expected);
        }
        None if order.contains_key(UNREAD) => {}
        None => absent(parent, "commit", expected, order.keys().copied(), findings),
    }
}

fn author(author: &Option<Author>, findings: &mut Findings) {
    if let Some(Author::Person(person)) = author {
        names::require([&person.name], "name", names::person, findings);
        names::require([&person.email], "email", names::person, findings);
    }
}

fn tags(tags: &[Tag], order: &Order<'_>, findings: &mut Findings) {
    let names = || tags.iter().map(|tag| &tag.name);
    names::require(names(), "tag name", names::tag, findings);
    distinct("tag", names(), findings);
    let mut above: Vec<&str> = order.keys().copied().collect();
    let mut known: HashSet<&str> = above.iter().copied().collect();
    for tag in tags {
        let name = tag.name.value.as_str();
        if order.contains_key(name) {
            let message = format!("{} is also the id of a commit", quoted(name));
            let expected = "a tag name that is not the id of a commit";
            findings.report(tag.name.location, message, expected);
        }
        if !known.contains(tag.target.value.as_str()) && !known.contains(UNREAD) {
            let expected = "the id of a commit or the name of a tag above";
            let names = above.iter().copied();
            absent(&tag.target, "commit or tag", expected, names, findings);
        }
        author(&tag.author, findings);
        above.push(name);
        known.insert(name);
    }
}

fn refs(git: &Git, order: &Order<'_>, findings: &mut Findings) {
    let tags: HashSet<&str> = git.tags.iter().map(|tag| tag.name.value.as_str()).collect();
    let lines: HashMap<&str, u64> = git
        .refs
        .iter()
        .map(|(name, _)| (name.value.as_str(), name.location.line))
        .collect();
    for (name, target) in &git.refs {
        ref_target(name, target, order, &tags, findings);
        names::require([name], "reference", names::ref_name, findings);
        if names::ref_name(&name.value).is_none() {
            not_below(name, &lines, findings);
        }
    }
}

fn ref_target(
    name: &At<String>,
    target: &At<String>,
    order: &Order<'_>,
    tags: &HashSet<&str>,
    findings: &mut Findings,
) {
    if order.contains_key(target.value.as_str()) || order.contains_key(UNREAD) {
        return;
    }
    if !tags.contains(target.value.as_str()) {
        let known = order.keys().chain(tags).copied();
        let expected = "the id of a commit or the name of a tag";
        absent(target, "commit or tag", expected, known, findings);
    } else if name.value.starts_with("refs/heads/") {
        let message = format!("the branch {} points to a tag", quoted(&name.value));
        findings.report(target.location, message, "the id of a commit");
    }
}

/// Git stores refs as files, so one cannot be the folder of another.
fn not_below(name: &At<String>, lines: &HashMap<&str, u64>, findings: &mut Findings) {
    let mut folders = name
        .value
        .match_indices('/')
        .filter_map(|(end, _)| name.value.get(..end));
    if let Some((folder, line)) = folders.find_map(|folder| lines.get_key_value(folder)) {
        let message = format!("{} conflicts with another reference", quoted(&name.value));
        findings.push(
            Finding::at(name.location, message)
                .expected("no reference below another")
                .found(format!("{} on line {line}", quoted(folder))),
        );
    }
}
