//! The reading side of an import: opens the repository, lists its references, and walks the
//! unknown commits, parents first. Runs on its own thread, because libgit2 blocks.

use std::collections::HashSet;
use std::path::Path;

use git2::{ObjectType, Oid, Reference, Repository, RepositoryOpenFlags, Sort};
use tokio::sync::mpsc::Sender;

use super::objects::{ObjectImporter, faulty};
use super::survey::survey;
use super::{ImportBatch, SkippedRef, SourceRef, SourceRefs};
use crate::{GitError, Sha, fsck, refs};
use storage::entities::git_object::ObjectKind;

/// Reopens the repository after this many commits, to release libgit2's object cache, which
/// grows up to 256 MB.
const COMMITS_PER_OPENING: usize = 5000;

/// Reads everything that `known_tips` do not reach, and sends it.
pub(super) fn read(
    path: &Path,
    known_tips: &[Sha],
    sender: &Sender<ImportBatch>,
) -> Result<SourceRefs, GitError> {
    let repository = open(path)?;
    let mut source = list_refs(&repository)?;
    let mut objects = ObjectImporter::new(&repository, sender, 0)?;
    let mut tips = Vec::new();
    for reference in &mut source.refs {
        reference.kind = follow(&mut objects, oid(reference.sha)?, &mut tips)?;
    }
    skip_odd_branches(&mut source);
    objects.finish()?;
    let commits = unknown_commits(&repository, known_tips, &tips)?;
    drop(repository);
    for chunk in commits.chunks(COMMITS_PER_OPENING) {
        let repository = open(path)?;
        let mut objects = ObjectImporter::new(&repository, sender, commits.len())?;
        objects.read_commits(chunk)?;
        objects.finish()?;
    }
    Ok(source)
}

/// Skips branches that name no commit. The kinds must be known.
pub(super) fn skip_odd_branches(source: &mut SourceRefs) {
    source.refs.retain(|reference| {
        let importable =
            reference.kind == ObjectKind::Commit || !reference.name.starts_with("refs/heads/");
        if !importable {
            source.skipped.push(SkippedRef {
                name: reference.name.clone(),
                reason: "a branch must point to a commit",
            });
        }
        importable
    });
}

pub(super) fn open(path: &Path) -> Result<Repository, GitError> {
    let refuse = |reason: String| GitError::Repository(format!("{}: {reason}", path.display()));
    if !path.exists() {
        return Err(refuse("there is no such folder".to_owned()));
    }
    let folder = survey(path).map_err(refuse)?;
    let nowhere: [&Path; 0] = [];
    let flags = RepositoryOpenFlags::NO_SEARCH | RepositoryOpenFlags::NO_DOTGIT;
    let repository = match Repository::open_ext(&folder, flags, nowhere) {
        Ok(repository) => repository,
        Err(_) if object_format(&folder).is_some_and(|format| format != "sha1") => {
            return Err(refuse(
                "its objects have SHA-256 names; only repositories with SHA-1 names can be imported"
                    .to_owned(),
            ));
        }
        Err(error) => {
            return Err(refuse(format!("not a Git repository: {}", error.message())));
        }
    };
    if repository.is_shallow() {
        return Err(refuse(
            "it is a shallow clone; run `git fetch --unshallow` there to get its full history"
                .to_owned(),
        ));
    }
    Ok(repository)
}

fn object_format(folder: &Path) -> Option<String> {
    let config = git2::Config::open(&folder.join("config")).ok()?;
    config.get_string("extensions.objectformat").ok()
}

/// Lists the references. Their kinds are determined when they are followed.
pub(super) fn list_refs(repository: &Repository) -> Result<SourceRefs, GitError> {
    let head = repository.find_reference("HEAD")?;
    let head = head.symbolic_target_bytes().map(String::from_utf8_lossy);
    let mut source = SourceRefs {
        default_branch: head.and_then(|name| name.strip_prefix("refs/heads/").map(str::to_owned)),
        refs: Vec::new(),
        skipped: Vec::new(),
    };
    for reference in repository.references()? {
        let reference = reference?;
        match read_ref(&reference) {
            Ok(source_ref) => source.refs.push(source_ref),
            Err(reason) => source.skipped.push(SkippedRef {
                name: String::from_utf8_lossy(reference.name_bytes()).into_owned(),
                reason,
            }),
        }
    }
    Ok(source)
}

fn read_ref(reference: &Reference<'_>) -> Result<SourceRef, &'static str> {
    let name = std::str::from_utf8(reference.name_bytes()).map_err(|_| "its name is not UTF-8")?;
    if name.len() > refs::LONGEST {
        return Err("its name is longer than 1024 bytes");
    }
    let target = reference
        .resolve()
        .ok()
        .and_then(|direct| direct.target())
        .ok_or("it points to a reference that does not exist")?;
    Ok(SourceRef {
        name: name.to_owned(),
        sha: sha(target),
        kind: ObjectKind::Commit,
    })
}

/// Reads the target of a reference, through nested tags, down to a commit, which the walk
/// reads.
fn follow(
    objects: &mut ObjectImporter<'_>,
    target: Oid,
    tips: &mut Vec<Oid>,
) -> Result<ObjectKind, GitError> {
    let kind = objects.kind(target)?;
    let mut next = Some((target, kind, sha(target)));
    while let Some((oid, kind, by)) = next.take() {
        let name = sha(oid);
        match kind {
            ObjectKind::Commit => {
                fsck::same_kind(name, objects.kind(oid)?, kind, by)?;
                tips.push(oid);
            }
            ObjectKind::Tree => objects.read_tree(name, &[], by)?,
            ObjectKind::Blob => objects.read_blob(name, by)?,
            ObjectKind::Tag => {
                let content = objects.read(oid, kind, by)?.content;
                let tag = fsck::tag(&content).map_err(|cause| faulty(name, &cause))?;
                next = Some((self::oid(tag.target)?, tag.target_kind, name));
            }
        }
    }
    Ok(kind)
}

/// The commits that the tips reach and the known ones do not, parents first.
fn unknown_commits(
    repository: &Repository,
    known_tips: &[Sha],
    tips: &[Oid],
) -> Result<Vec<Oid>, GitError> {
    let mut walk = repository.revwalk()?;
    walk.set_sorting(Sort::TOPOLOGICAL | Sort::REVERSE)?;
    let odb = repository.odb()?;
    let known_tips: HashSet<Sha> = known_tips.iter().copied().collect();
    for tip in known_tips {
        let tip = oid(tip)?;
        if matches!(odb.read_header(tip), Ok((_, ObjectType::Commit))) {
            walk.hide(tip)?;
        }
    }
    for tip in tips {
        walk.push(*tip)?;
    }
    Ok(walk.collect::<Result<_, _>>()?)
}

pub(super) fn sha(oid: Oid) -> Sha {
    let mut bytes = [0; Sha::BYTES];
    bytes.copy_from_slice(&oid.as_bytes()[..Sha::BYTES]);
    Sha::from_bytes(bytes)
}

pub(super) fn oid(sha: Sha) -> Result<Oid, git2::Error> {
    Oid::from_bytes(sha.as_bytes())
}
