//! The objects that a client lacks, by name. Each commit is compared only with its parents, so
//! the work is proportional to the differences; for a whole clone, to all of them. A name takes
//! 20 bytes, and nothing else is kept in memory.

mod comparison;
mod trees;

use std::collections::HashSet;

use super::BadRequest;
use super::filter::ObjectFilter;
use super::listing::targets;
use super::revisions::{Range, Revisions};
use crate::pack::ObjectNames;
use crate::store::heads;
use crate::{GitError, Sha};
use storage::database::Connection;
use storage::entities::git_object::ObjectKind;
use storage::heavy;
use trees::{TreeJob, Trees};

/// The most objects of one pack: their names take 100 MB.
const MOST_OBJECTS: usize = 5_000_000;

/// Wanted objects that are looked up at a time. More of them need a permit, and so do the targets
/// of tags.
const FEW_WANTS: usize = 1000;

/// How often a wanted tag may lead to another tag.
const MOST_TAGS_OF_TAGS: usize = 100;

/// Commits whose trees are compared together.
const COMMITS: usize = 512;

/// The wanted objects, by kind.
#[derive(Debug, Clone, Default)]
pub struct Starts {
    /// Commits, including those that wanted tags lead to.
    pub commits: Vec<Sha>,
    pub tags: Vec<Sha>,
    pub trees: Vec<Sha>,
    pub blobs: Vec<Sha>,
}

impl Starts {
    /// Sorts wanted objects by kind. All must be in the repository.
    pub async fn of(
        connection: &Connection,
        repository_id: i64,
        wants: &[Sha],
    ) -> Result<Result<Self, BadRequest>, GitError> {
        let mut starts = Self::default();
        let mut pending: Vec<Sha> = wants.to_vec();
        let mut visited = HashSet::new();
        for level in 0.. {
            pending.retain(|sha| visited.insert(*sha));
            if pending.is_empty() {
                break;
            }
            if level > MOST_TAGS_OF_TAGS {
                let message = "upload-pack: tags of tags are nested too deeply";
                return Ok(Err(BadRequest::new(message)));
            }
            let sort = starts.add(connection, repository_id, &pending);
            let sorted = match level > 0 || pending.len() > FEW_WANTS {
                true => heavy::with_permit(sort).await?,
                false => sort.await?,
            };
            match sorted {
                Ok(targets) => pending = targets,
                Err(reason) => return Ok(Err(reason)),
            }
        }
        Ok(Ok(starts))
    }

    /// Adds wanted objects, and returns the targets of the tags among them.
    async fn add(
        &mut self,
        connection: &Connection,
        repository_id: i64,
        wants: &[Sha],
    ) -> Result<Result<Vec<Sha>, BadRequest>, GitError> {
        let first_tag = self.tags.len();
        for names in wants.chunks(FEW_WANTS) {
            let stored = heads(connection, repository_id, names).await?;
            for sha in names {
                match stored.get(sha).map(|head| head.kind) {
                    Some(ObjectKind::Commit) => self.commits.push(*sha),
                    Some(ObjectKind::Tag) => self.tags.push(*sha),
                    Some(ObjectKind::Tree) => self.trees.push(*sha),
                    Some(ObjectKind::Blob) => self.blobs.push(*sha),
                    None => {
                        let message = format!("upload-pack: not our ref {sha}");
                        return Ok(Err(BadRequest::new(message)));
                    }
                }
            }
        }
        let targets = targets(connection, repository_id, &self.tags[first_tag..]).await?;
        Ok(Ok(targets.into_values().map(|(sha, _)| sha).collect()))
    }
}

/// The annotated tags among these whose targets are sent. Clients request tags of tags
/// themselves.
pub async fn tags_of(
    connection: &Connection,
    repository_id: i64,
    names: &ObjectNames,
    tags: &[Sha],
) -> Result<Vec<Sha>, GitError> {
    let targets = targets(connection, repository_id, tags).await?;
    let sent = targets
        .into_iter()
        .filter(|(_, (target, _))| names.contains(*target));
    Ok(sent.map(|(tag, _)| tag).collect())
}

/// The names of the objects of a pack.
#[derive(Debug, Default)]
pub struct ObjectSelection {
    /// Newest first.
    pub commits: Vec<Sha>,
    pub tags: Vec<Sha>,
    /// May contain duplicates.
    pub trees: Vec<Sha>,
    /// May contain duplicates.
    pub blobs: Vec<Sha>,
    /// The number of names when duplicates were last removed.
    unique: usize,
}

impl ObjectSelection {
    /// Finds all wanted objects that the client does not have.
    pub async fn find(
        connection: &Connection,
        repository_id: i64,
        starts: Starts,
        range: Range,
        filter: ObjectFilter,
    ) -> Result<Result<Self, BadRequest>, GitError> {
        let mut selection = Self::default();
        let mut trees = Trees::new(repository_id, filter);
        let mut walk = Revisions::begin(connection, repository_id, range).await?;
        loop {
            let commits = walk.next(connection, COMMITS).await?;
            if commits.is_empty() {
                break;
            }
            selection
                .commits
                .extend(commits.iter().map(|commit| commit.sha));
            let jobs = commits
                .into_iter()
                .map(|commit| TreeJob::new(commit.tree, commit.bases));
            trees
                .walk(connection, jobs.collect(), &mut selection)
                .await?;
            if selection.is_full() {
                return Ok(Err(BadRequest::new("upload-pack: too many objects")));
            }
        }
        if filter != ObjectFilter::Trees {
            let jobs = starts
                .trees
                .iter()
                .map(|tree| TreeJob::new(*tree, Vec::new()));
            trees
                .walk(connection, jobs.collect(), &mut selection)
                .await?;
        }
        if let ObjectFilter::Blobs { from } = filter {
            selection.remove_duplicates();
            let names = &mut selection.blobs;
            trees::keep_small(connection, repository_id, names, from).await?;
        }
        selection.tags = starts.tags;
        selection.trees.extend(starts.trees);
        selection.blobs.extend(starts.blobs);
        Ok(Ok(selection))
    }

    fn count(&self) -> usize {
        self.commits.len() + self.tags.len() + self.trees.len() + self.blobs.len()
    }

    /// All names. Sorts them, which takes a while if there are many.
    pub fn names(mut self) -> ObjectNames {
        let mut names = std::mem::take(&mut self.commits);
        for more in [&mut self.tags, &mut self.trees, &mut self.blobs] {
            names.append(more);
        }
        ObjectNames::new(names)
    }

    /// Whether there are too many names, not counting duplicates.
    fn is_full(&mut self) -> bool {
        let count = self.count();
        if count > MOST_OBJECTS && count > self.unique + self.unique / 4 {
            self.remove_duplicates();
        }
        self.unique > MOST_OBJECTS
    }

    fn remove_duplicates(&mut self) {
        for names in [&mut self.trees, &mut self.blobs] {
            names.sort_unstable();
            names.dedup();
        }
        self.unique = self.count();
    }
}
