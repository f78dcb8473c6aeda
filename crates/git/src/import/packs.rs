//! The fast way to read a repository: its packs as they are, with their deltas, and its
//! loose objects, instead of a walk of every commit. For the first import of a repository
//! that is complete.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use git2::Oid;

use super::SourceRefs;
use super::objects::fetch;
use super::reader::{list_refs, open, sha, skip_odd_branches};
use crate::pack::{PackError, PackLimits, PackReader, ReceivedPack};
use crate::{GitError, Sha};

/// Bytes read at a time.
const PIECE: usize = 1024 * 1024;

/// Why a repository is read by walking it.
#[derive(Debug)]
pub(super) struct NotWhole;

impl From<GitError> for NotWhole {
    fn from(_: GitError) -> Self {
        Self
    }
}

impl From<PackError> for NotWhole {
    fn from(_: PackError) -> Self {
        Self
    }
}

impl From<git2::Error> for NotWhole {
    fn from(_: git2::Error) -> Self {
        Self
    }
}

impl From<io::Error> for NotWhole {
    fn from(_: io::Error) -> Self {
        Self
    }
}

/// Reads every object that the references reach. Fails if an object is missing, malformed or
/// too large; the walk that follows then reports which one.
pub(super) fn read(path: &Path) -> Result<(ReceivedPack, SourceRefs), NotWhole> {
    let repository = open(path)?;
    let mut source = list_refs(&repository)?;
    let folder = repository.path().join("objects");
    let packs = packs(&folder.join("pack"))?;
    let loose = loose(&folder)?;
    let mut reader = PackReader::new(limits())?;
    let mut piece = vec![0; PIECE];
    for pack in packs {
        let mut file = File::open(pack)?;
        loop {
            match file.read(&mut piece)? {
                0 => break,
                length => reader.push(&piece[..length])?,
            }
        }
        reader.end_pack()?;
    }
    let odb = repository.odb()?;
    for name in loose {
        let object = fetch(&odb, name)?;
        if reader.push_object(&object)? != sha(name) {
            return Err(NotWhole);
        }
    }
    let mut pack = reader.finish()?;
    let mut tips: HashSet<Sha> = HashSet::new();
    for reference in &mut source.refs {
        reference.kind = pack.kind_of(reference.sha).ok_or(NotWhole)?;
        tips.insert(reference.sha);
    }
    skip_odd_branches(&mut source);
    pack.retain_reachable(&tips)?;
    pack.check_closed()?;
    Ok((pack, source))
}

/// An operator's own repository may be large; the number of objects bounds the memory.
fn limits() -> PackLimits {
    PackLimits {
        pack_bytes: u64::MAX,
        inflated_base: u64::MAX,
        inflated_bytes: u64::MAX,
        spool_bytes: u64::MAX,
        ..PackLimits::default()
    }
}

/// The packs that have an index; others are unfinished.
fn packs(folder: &Path) -> Result<Vec<PathBuf>, io::Error> {
    let mut packs = Vec::new();
    if folder.exists() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension() == Some(OsStr::new("pack")) && path.with_extension("idx").exists() {
                packs.push(path);
            }
        }
    }
    packs.sort();
    Ok(packs)
}

/// The names of loose objects.
fn loose(folder: &Path) -> Result<Vec<Oid>, io::Error> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let start = entry.file_name();
        let Some(start) = start.to_str().filter(|start| start.len() == 2) else {
            continue;
        };
        for file in fs::read_dir(entry.path())? {
            let rest = file?.file_name();
            let name = rest.to_str().map(|rest| format!("{start}{rest}"));
            let name = name.filter(|name| name.len() == 2 * Sha::BYTES);
            names.extend(name.and_then(|name| Oid::from_str(&name).ok()));
        }
    }
    names.sort();
    Ok(names)
}
