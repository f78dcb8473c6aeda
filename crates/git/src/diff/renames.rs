//! Rename detection with Git's order of preference: identical files first, then files whose
//! base name is unique on both sides, then the most similar pairs. Copies are not detected,
//! as with `git diff -M`.

mod best_pairs;

use std::collections::{HashMap, HashSet};

use super::changes::DiffObjects;
use super::contents::FileContents;
use super::similarity::MOST;
use super::{File, FileChange, FileStatus};
use crate::{GitError, Sha};
use best_pairs::best_pairs;
use storage::heavy;

/// Half of the content: `-M` without a number.
const LEAST: i32 = MOST / 2;

/// The threshold for a unique base name: halfway between that and equality.
const LEAST_BY_NAME: i32 = LEAST + (MOST - LEAST) / 2;

/// `diff.renameLimit`: no pairs are compared if there are more than its square.
const LIMIT: usize = 1000;

/// Identical files considered for one target.
const ALTERNATIVES: usize = 102;

/// Pairs whose content is read at the same time.
const PAIRS_AT_ONCE: usize = 32;

/// Replaces pairs of a deletion and an addition by renames, at the index of the addition.
pub(super) async fn detect(
    objects: &DiffObjects<'_>,
    changes: Vec<FileChange>,
) -> Result<Vec<FileChange>, GitError> {
    let mut matching = Matching::new(&changes);
    matching.pair_equal();
    if matching.is_open() {
        let mut contents = FileContents::measure(objects, matching.free_files()).await?;
        matching.pair_by_name(objects, &mut contents).await?;
        matching.pair_by_content(objects, contents).await?;
    }
    let renames: HashMap<Vec<u8>, (File, i32)> = matching.into_renames();
    Ok(apply(changes, renames))
}

fn apply(changes: Vec<FileChange>, mut renames: HashMap<Vec<u8>, (File, i32)>) -> Vec<FileChange> {
    let sources: HashSet<Vec<u8>> = renames.values().map(|(old, _)| old.path.clone()).collect();
    changes
        .into_iter()
        .filter(|change| change.status != FileStatus::Deleted || !sources.contains(change.path()))
        .map(|change| match change.status {
            FileStatus::Added => match renames.remove(change.path()) {
                Some((old, score)) => FileChange {
                    old: Some(old),
                    new: change.new,
                    status: FileStatus::Renamed {
                        similarity: u8::try_from(score * 100 / MOST).unwrap_or(100),
                    },
                },
                None => change,
            },
            _ => change,
        })
        .collect()
}

struct Matching<'a> {
    sources: Vec<&'a File>,
    used: Vec<bool>,
    targets: Vec<&'a File>,
    /// For each target, its source and their similarity.
    matches: Vec<Option<(usize, i32)>>,
}

impl<'a> Matching<'a> {
    fn new(changes: &'a [FileChange]) -> Self {
        let with_status =
            |status: FileStatus| changes.iter().filter(move |change| change.status == status);
        let sources: Vec<&File> = with_status(FileStatus::Deleted)
            .filter_map(|change| change.old.as_ref())
            .collect();
        let targets: Vec<&File> = with_status(FileStatus::Added)
            .filter_map(|change| change.new.as_ref())
            .collect();
        Self {
            used: vec![false; sources.len()],
            matches: vec![None; targets.len()],
            sources,
            targets,
        }
    }

    fn is_open(&self) -> bool {
        self.free_sources().next().is_some() && self.free_targets().next().is_some()
    }

    fn free_sources(&self) -> impl Iterator<Item = usize> {
        (0..self.sources.len()).filter(|source| !self.used[*source])
    }

    fn free_targets(&self) -> impl Iterator<Item = usize> {
        (0..self.targets.len()).filter(|target| self.matches[*target].is_none())
    }

    fn free_files(&self) -> impl Iterator<Item = &File> {
        let sources = self.free_sources().map(|at| self.sources[at]);
        sources.chain(self.free_targets().map(|at| self.targets[at]))
    }

    fn pair(&mut self, source: usize, target: usize, score: i32) {
        self.used[source] = true;
        self.matches[target] = Some((source, score));
    }

    fn pair_equal(&mut self) {
        let mut by_sha: HashMap<Sha, Vec<usize>> = HashMap::new();
        for (index, source) in self.sources.iter().enumerate() {
            by_sha.entry(source.sha).or_default().push(index);
        }
        for target in 0..self.targets.len() {
            let new = self.targets[target];
            let equal = by_sha.get(&new.sha).map_or(&[][..], Vec::as_slice);
            let mut best = None;
            let possible = equal.iter().filter(|source| {
                let old = self.sources[**source];
                old.mode == new.mode || (old.mode.is_regular() && new.mode.is_regular())
            });
            for source in possible
                .take(ALTERNATIVES)
                .filter(|source| !self.used[**source])
            {
                let same_name = base_name(self.sources[*source]) == base_name(new);
                if same_name || best.is_none() {
                    best = Some(*source);
                }
                if same_name {
                    break;
                }
            }
            if let Some(source) = best {
                self.pair(source, target, MOST);
            }
        }
    }

    async fn pair_by_name(
        &mut self,
        objects: &DiffObjects<'_>,
        contents: &mut FileContents,
    ) -> Result<(), GitError> {
        let sources = unique_names(
            self.free_sources()
                .map(|index| (index, self.sources[index])),
        );
        let targets = unique_names(
            self.free_targets()
                .map(|index| (index, self.targets[index])),
        );
        let mut pairs: Vec<(usize, usize)> = sources
            .iter()
            .filter_map(|(name, source)| Some(((*source)?, (*targets.get(name)?)?)))
            .filter(|(source, target)| {
                contents.comparable(self.sources[*source], self.targets[*target], LEAST_BY_NAME)
            })
            .collect();
        pairs.sort_unstable();
        for batch in pairs.chunks(PAIRS_AT_ONCE) {
            let files = batch
                .iter()
                .flat_map(|(source, target)| [self.sources[*source], self.targets[*target]]);
            contents.read(objects, files).await?;
            for (source, target) in batch {
                let score = contents.score(self.sources[*source], self.targets[*target]);
                if score >= LEAST_BY_NAME {
                    self.pair(*source, *target, score);
                }
            }
        }
        Ok(())
    }

    async fn pair_by_content(
        &mut self,
        objects: &DiffObjects<'_>,
        mut contents: FileContents,
    ) -> Result<(), GitError> {
        let sources: Vec<usize> = self.free_sources().collect();
        let targets: Vec<usize> = self.free_targets().collect();
        if sources.is_empty()
            || targets.is_empty()
            || sources.len().saturating_mul(targets.len()) > LIMIT * LIMIT
        {
            return Ok(());
        }
        let old: Vec<File> = sources.iter().map(|at| self.sources[*at].clone()).collect();
        let new: Vec<File> = targets.iter().map(|at| self.targets[*at].clone()).collect();
        contents.read(objects, old.iter().chain(&new)).await?;
        let pairs = heavy::compute(move || best_pairs(&old, &new, &contents)).await?;
        for pair in pairs {
            let (source, target) = (sources[pair.source], targets[pair.target]);
            if self.matches[target].is_none() && !self.used[source] {
                self.pair(source, target, pair.score);
            }
        }
        Ok(())
    }

    fn into_renames(self) -> HashMap<Vec<u8>, (File, i32)> {
        let pairs = self.targets.iter().zip(&self.matches);
        pairs
            .filter_map(|(target, pair)| {
                let (source, score) = (*pair)?;
                Some((target.path.clone(), (self.sources[source].clone(), score)))
            })
            .collect()
    }
}

/// The base names of files; None for a name that occurs more than once.
fn unique_names<'a>(
    files: impl Iterator<Item = (usize, &'a File)>,
) -> HashMap<&'a [u8], Option<usize>> {
    let mut names = HashMap::new();
    for (index, file) in files {
        names
            .entry(base_name(file))
            .and_modify(|index| *index = None)
            .or_insert(Some(index));
    }
    names
}

fn base_name(file: &File) -> &[u8] {
    file.path
        .rsplit(|byte| *byte == b'/')
        .next()
        .unwrap_or(&file.path)
}
