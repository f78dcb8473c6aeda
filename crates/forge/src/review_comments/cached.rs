//! Queries that are cached between requests, so that successive comments on one diff do not
//! compare its trees again.

use std::sync::Arc;

use migration::aggregates::Kind;

use super::location::CommentLocation;
use super::placement::Placement;
use super::rows;
use crate::app::App;
use crate::pulls::comparison::{BranchHeads, base_branch};
use crate::pulls::missing::missing;
use contract::reply::Outcome;
use storage::cache::{CacheKind, Key, Weigh};
use storage::database::Connection;
use storage::entities::{git_ref, pull, repository};

/// A pull request, by its number.
pub async fn pull(app: &App, repository: i64, number: i64) -> Outcome<pull::Model> {
    let key = Key::of(CacheKind::Pull).number(repository).number(number);
    let compute = || async {
        let find =
            |reads: Arc<Connection>| async move { rows::pull(&reads, repository, number).await };
        let belongs = |row: &pull::Model| vec![Kind::Pull.of(row.id)];
        match app.db.resolve(find, belongs).await? {
            Some(row) => Ok(row),
            None => Err(missing(app.db.reads(), repository, number).await?),
        }
    };
    let row = app.cache.get_or_compute(key, compute).await;
    row.map(Arc::unwrap_or_clone)
}

/// The location of a comment. Commits and files never change, so the cache key is the placement
/// and the heads of the branches; a reply is not cached. The author is part of the key: locating
/// in a large file takes one of the author's permits, and nobody else should wait for it.
pub async fn location(
    app: &App,
    pull: &pull::Model,
    placement: &Placement,
    author: i64,
) -> Outcome<Arc<CommentLocation>> {
    let reads = app.db.reads();
    if let Placement::Reply(comment) = placement {
        return CommentLocation::in_thread(reads, pull, *comment)
            .await
            .map(Arc::new);
    }
    let branches = branches(app, pull).await?;
    let key = Key::of(CacheKind::Placement)
        .number(author)
        .number(branches.repository_id)
        .text(&branches.base.to_string())
        .text(&branches.head.to_string())
        .text(&format!("{placement:?}"));
    let compute = || CommentLocation::in_diff(reads, branches, placement);
    app.cache.get_or_compute(key, compute).await
}

/// The commits that a pull request compares.
pub async fn branches(app: &App, pull: &pull::Model) -> Outcome<BranchHeads> {
    if pull.state != pull::PullState::Open {
        return Ok(BranchHeads::from(pull, None)?);
    }
    let key = Key::of(CacheKind::Comparison).number(pull.repository_id);
    let key = key.text(&pull.base_ref).text(&pull.base_sha);
    let key = key.text(&pull.head_sha);
    let compute = || async {
        let find = |reads: Arc<Connection>| async move { base_branch(&reads, pull).await };
        let belongs = |row: &git_ref::Model| vec![Kind::Ref.of(row.id)];
        if let Some(base) = app.db.resolve(find, belongs).await? {
            return BranchHeads::from(pull, Some(&base));
        }
        // The branch is deleted, but may be created again.
        let refs = [Kind::Refs.of(pull.repository_id)];
        BranchHeads::of(app.db.reading(&refs).await, pull).await
    };
    Ok(*app.cache.get_or_compute(key, compute).await?)
}

/// The data for views of comments.
pub async fn relations(
    app: &App,
    repository: &repository::Model,
    references: &rows::Referenced,
) -> Outcome<Arc<rows::CommentRelations>> {
    let key = Key::of(CacheKind::Authors).number(repository.id);
    // Ids are positive, so -1 separates the authors from the pull requests.
    let authors = references.authors.iter().copied();
    let ids = authors.chain([-1]).chain(references.pulls.iter().copied());
    let key = ids.fold(key, Key::number);
    let compute = || rows::CommentRelations::of(&app.db, repository, references);
    Ok(app.cache.get_or_compute(key, compute).await?)
}

impl Weigh for BranchHeads {
    fn heap_bytes(&self) -> usize {
        0
    }
}

impl Weigh for CommentLocation {
    fn heap_bytes(&self) -> usize {
        self.diff_hunk.len() + self.anchor.path.len()
    }
}

impl Weigh for rows::CommentRelations {
    fn heap_bytes(&self) -> usize {
        self.authors.heap_bytes() + self.numbers.len() * 32
    }
}
