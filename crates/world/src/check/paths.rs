//! The file changes of commits: a commit's tree is its first parent's, minus `delete`, plus
//! `files`.
//! Note: the trees are never built side by side. One tree walks down the first parents and
//! undoes every step on its way up, so the cost is proportional to the changes, not to commits
//! times files.

use std::collections::{HashMap, HashSet};

use super::history::Order;
use super::names;
use crate::file::Commit;
use crate::findings::{Finding, Findings, quoted};
use crate::yaml::At;
use git::build::content_fault;

pub fn check(commits: &[Commit], order: &Order<'_>, findings: &mut Findings) {
    let files = commits.iter().flat_map(|commit| &commit.files);
    names::require(
        files.map(|(path, _)| path),
        "path",
        names::file_path,
        findings,
    );
    check_contents(commits, findings);
    let children = by_first_parent(commits, order);
    let mut tree = FileSet::default();
    let mut steps = vec![TreeVisit::Enter(None)];
    while let Some(step) = steps.pop() {
        match step {
            TreeVisit::Enter(at) => {
                if let Some(commit) = at.and_then(|at| commits.get(at)) {
                    let changes = tree.apply(commit, findings);
                    steps.push(TreeVisit::Leave(changes));
                }
                let below = children.get(&at).into_iter().flatten();
                steps.extend(below.map(|child| TreeVisit::Enter(Some(*child))));
            }
            TreeVisit::Leave(changes) => {
                for change in changes.into_iter().rev() {
                    tree.take_back(change);
                }
            }
        }
    }
}

/// Git itself reads some files, so it may refuse what they contain.
fn check_contents(commits: &[Commit], findings: &mut Findings) {
    for (path, text) in commits.iter().flat_map(|commit| &commit.files) {
        if let Some(reason) = content_fault(&path.value, text.as_bytes()) {
            let message = format!("{} {reason}", quoted(&path.value));
            findings.push(Finding::at(path.location, message).expected("what Git accepts"));
        }
    }
}

enum TreeVisit<'a> {
    Enter(Option<usize>),
    Leave(Vec<PathChange<'a>>),
}

#[derive(Clone, Copy)]
enum PathChange<'a> {
    Added(&'a str),
    Removed(&'a str),
}

/// A commit whose parent is missing or not above has no known tree, and neither have its
/// children: the walk omits them.
fn by_first_parent(commits: &[Commit], order: &Order<'_>) -> HashMap<Option<usize>, Vec<usize>> {
    let mut children: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    for (position, commit) in commits.iter().enumerate() {
        let first_parent = commit.parents.as_ref().map(|parents| parents.first());
        let parent = match first_parent {
            None => position.checked_sub(1),
            Some(None) => None,
            Some(Some(parent)) => match order.get(parent.value.as_str()) {
                Some(parent) if *parent < position => Some(*parent),
                _ => continue,
            },
        };
        children.entry(parent).or_default().push(position);
    }
    children
}

#[derive(Default)]
struct FileSet<'a> {
    files: HashSet<&'a str>,
    /// How many files lie below a folder.
    folders: HashMap<&'a str, usize>,
}

impl<'a> FileSet<'a> {
    fn apply(&mut self, commit: &'a Commit, findings: &mut Findings) -> Vec<PathChange<'a>> {
        let mut changes = Vec::new();
        for path in &commit.delete {
            if self.files.contains(path.value.as_str()) {
                self.remove(&path.value);
                changes.push(PathChange::Removed(&path.value));
            } else {
                self.cannot_delete(path, findings);
            }
        }
        for (path, _) in &commit.files {
            if names::file_path(&path.value).is_some() || self.files.contains(&*path.value) {
                continue;
            }
            if self.clash(path, findings) {
                continue;
            }
            self.add(&path.value);
            changes.push(PathChange::Added(&path.value));
        }
        changes
    }

    fn cannot_delete(&self, path: &At<String>, findings: &mut Findings) {
        let display = quoted(&path.value);
        let finding = if self.folders.contains_key(path.value.as_str()) {
            Finding::at(path.location, format!("{display} is a folder"))
                .expected("the path of a file")
        } else {
            let nearest = findings.nearest(&path.value, self.files.iter().copied());
            Finding::at(path.location, format!("no file {display} to delete"))
                .expected("a file of the first parent")
                .nearest(nearest)
        };
        findings.push(finding);
    }

    fn clash(&self, path: &At<String>, findings: &mut Findings) -> bool {
        let file = folders_of(&path.value).find(|folder| self.files.contains(folder));
        let both = match file {
            Some(file) => file,
            None if self.folders.contains_key(path.value.as_str()) => &path.value,
            None => return false,
        };
        let message = format!("{} is both a file and a folder", quoted(both));
        findings.push(Finding::at(path.location, message).expected("one of the two"));
        true
    }

    fn add(&mut self, path: &'a str) {
        self.files.insert(path);
        for folder in folders_of(path) {
            *self.folders.entry(folder).or_default() += 1;
        }
    }

    fn remove(&mut self, path: &'a str) {
        self.files.remove(path);
        for folder in folders_of(path) {
            if let Some(count) = self.folders.get_mut(folder) {
                *count -= 1;
                if *count == 0 {
                    self.folders.remove(folder);
                }
            }
        }
    }

    fn take_back(&mut self, change: PathChange<'a>) {
        match change {
            PathChange::Added(path) => self.remove(path),
            PathChange::Removed(path) => self.add(path),
        }
    }
}

fn folders_of(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/')
        .filter_map(|(end, _)| path.get(..end))
}
