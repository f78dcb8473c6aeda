//! Lists of references. A short one is a normal response. A long one is packed (`packed.rs`) and
//! produced while it is sent: whatever its length, it takes a bounded amount of memory, and its
//! ETag is known without its body.
//!
//! A list of up to a quarter of a million references is consistent. Beyond that, each such part
//! is.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::{Semaphore, mpsc};

use super::GitRefs;
use super::packed::{Cursor, LARGEST, Packed, Packing};
use super::pull_heads;
use super::revision::has_a_ref;
use super::rules::MatchingNames;
use crate::access::RepositoryGrant;
use crate::git_objects::view::GitObjectView;
use crate::views::stream::body_of;
use contract::call::Call;
use contract::git_refs::GitRef;
use contract::problem::Problem;
use contract::reply::{Outcome, Reply, Streamed};
use git::target::RefRow;
use storage::cache::{CacheKind, Key};
use storage::database::{Connection, Database};
use storage::heavy;
use storage::limits::Subject;

/// The most references of a short list.
const FEW: usize = 1000;

/// References that are read at a time for a long list.
const AT_ONCE: u64 = 1000;

/// KiB of packed lists in a process, including cached ones.
const MEMORY_KIB: usize = 96 * 1024;

/// Memory for packed lists.
pub(super) fn memory() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(MEMORY_KIB))
}

/// The references of a list.
pub(super) enum RefList {
    Few(Vec<GitRef>),
    Many(Arc<Packed>, RefRange),
}

/// The references to pack.
#[derive(Clone)]
pub(super) struct RefRange {
    repository: i64,
    names: MatchingNames,
}

impl GitRefs {
    /// The references with matching names.
    pub(super) async fn list(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        names: MatchingNames,
    ) -> Outcome<RefList> {
        let reads = self.refs(grant).await;
        let repository = grant.repository.id;
        let range = RefRange { repository, names };
        let most = FEW as u64 + 1;
        let rows = match range.names.branches {
            None => range.rows(reads, most).await?,
            Some(_) => {
                let snapshot = self.app.db.snapshot().await?;
                range.rows(&snapshot, most).await?
            }
        };
        if rows.is_empty() {
            has_a_ref(reads, grant).await?;
        }
        if rows.len() > FEW {
            return Ok(RefList::Many(self.pack(grant, &range).await?, range));
        }
        let view = GitObjectView::new(call, grant);
        let views = rows
            .into_iter()
            .map(|(name, sha, kind)| view.git_ref(name, sha, kind));
        Ok(RefList::Few(views.collect()))
    }

    /// The first part of a long list. It is the same for every caller who may see it, and no
    /// request waits for one that waits for a permit.
    async fn pack(&self, grant: &RepositoryGrant, range: &RefRange) -> Outcome<Arc<Packed>> {
        let key = Key::of(CacheKind::RefList)
            .number(range.repository)
            .text(&range.names.full.from)
            .text(&range.names.full.until)
            .number(range.names.branches.is_some().into());
        if let Some(candidate) = self.app.cache.candidate(&key).await
            && let Some(packed) = self.app.cache.get(&candidate).await
        {
            return Ok(packed);
        }
        let compute = || async {
            self.refs(grant).await;
            range.pack(&self.app.db, &self.memory).await
        };
        heavy::with_permit(self.app.cache.get_or_compute(key, compute)).await
    }

    /// The response with a list.
    pub(super) fn reply<T>(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        listing: RefList,
        to_body: impl FnOnce(Vec<GitRef>) -> T,
    ) -> Reply<200, T> {
        let (packed, range) = match listing {
            RefList::Few(few) => return Reply::new(to_body(few)),
            RefList::Many(packed, range) => (packed, range),
        };
        let view = Arc::new(GitObjectView::new(call, grant));
        let tag = packed.next.is_none().then(|| packed.tag(&view));
        let (db, memory) = (self.app.db.clone(), self.memory.clone());
        let permits =
            heavy::caller_permits().unwrap_or_else(|| self.app.permits.of(Subject::Address(None)));
        let body = move || {
            let writing = RefListWriter {
                db: db.clone(),
                memory: memory.clone(),
                range: range.clone(),
                packed: packed.clone(),
                cursor: Cursor::default(),
                view: view.clone(),
            };
            let (pieces, receiver) = mpsc::channel(1);
            tokio::spawn(heavy::request(permits.clone(), writing.write(pieces)));
            body_of(receiver)
        };
        Reply::new(to_body(Vec::new())).streamed(Streamed::new(body), tag.as_deref())
    }
}

impl RefRange {
    /// The first references.
    async fn rows(&self, connection: &Connection, most: u64) -> Outcome<Vec<RefRow>> {
        let (id, names) = (self.repository, &self.names);
        let mut rows = pull_heads::list(connection, id, names.full.bounds(), most).await?;
        let missing = most.saturating_sub(rows.len() as u64);
        if let Some(branches) = names.branches.as_ref().filter(|_| missing > 0) {
            rows.extend(pull_heads::list(connection, id, branches.bounds(), missing).await?);
        }
        Ok(rows)
    }

    /// Leaves out everything before this name.
    fn start_at(&mut self, name: String) {
        let branches = self.names.branches.take_if(|range| range.contains(&name));
        if let Some(branches) = branches {
            self.names.full.until = branches.until;
        }
        self.names.full.from = name;
    }

    /// Packs as many of the references as one part holds.
    async fn pack(&self, db: &Database, memory: &Arc<Semaphore>) -> Outcome<Packed> {
        let snapshot = db.snapshot().await?;
        let mut packing = Packing::default();
        let mut rest = Some(self.clone());
        while let Some(range) = rest.as_mut().filter(|_| packing.bytes() < LARGEST) {
            let rows = range.rows(&snapshot, AT_ONCE).await?;
            // No name contains a control character.
            let last = rows.last().map(|(name, ..)| format!("{name}\u{1}"));
            match last.filter(|_| rows.len() as u64 == AT_ONCE) {
                Some(next) => range.start_at(next),
                None => rest = None,
            }
            rows.into_iter().for_each(|row| packing.push(row));
        }
        drop(snapshot);
        let kibibytes = u32::try_from(packing.bytes() / 1024 + 1).unwrap_or(u32::MAX);
        let memory = memory.clone().try_acquire_many_owned(kibibytes);
        let memory = memory.map_err(|_| Problem::Unavailable("too many long lists".into()))?;
        let next = rest.map(|range| range.names.full.from);
        let packed = heavy::compute(move || packing.finish(next, Some(memory))).await;
        packed.map_err(Problem::internal)
    }
}

/// A long list that is being sent.
struct RefListWriter {
    db: Database,
    memory: Arc<Semaphore>,
    range: RefRange,
    packed: Arc<Packed>,
    cursor: Cursor,
    view: Arc<GitObjectView>,
}

impl RefListWriter {
    /// Produces piece after piece, each with a permit, until the end or until the client leaves.
    async fn write(mut self, pieces: mpsc::Sender<io::Result<Bytes>>) {
        loop {
            let piece = match self.piece().await {
                Ok((next, piece)) => {
                    self = next;
                    piece
                }
                Err(problem) => {
                    tracing::error!("a list of references was truncated: {problem}");
                    let _ = pieces.send(Err(io::Error::other(problem))).await;
                    return;
                }
            };
            let last = piece.is_none();
            let piece = piece.unwrap_or(Bytes::from_static(b"]"));
            if pieces.send(Ok(piece)).await.is_err() || last {
                return;
            }
        }
    }

    async fn piece(mut self) -> Outcome<(Self, Option<Bytes>)> {
        loop {
            let next_piece = heavy::compute(move || {
                let piece = self.packed.piece(&mut self.cursor, &self.view);
                (self, piece)
            });
            let piece;
            (self, piece) = next_piece.await.map_err(Problem::internal)?;
            let next = match (&piece, &self.packed.next) {
                (None, Some(next)) => next.clone(),
                _ => return Ok((self, piece)),
            };
            self.range.start_at(next);
            let packed = heavy::with_permit(self.range.pack(&self.db, &self.memory)).await?;
            self.packed = Arc::new(packed);
            self.cursor.rewind();
        }
    }
}
