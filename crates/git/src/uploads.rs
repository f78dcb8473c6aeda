//! Large pushes store their objects in short transactions, as an *upload*, before the references
//! move. Until then the objects are invisible: whoever looks an object or a commit up by its name
//! filters with `visible`. The transaction that moves the references deletes the row of the
//! upload, and so makes all of them visible.
//!
//! An upload ends unfinished if its push is refused or its process dies. Its objects are then
//! deleted in batches (`sweeping`).

mod sweeping;

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use sea_orm::sea_query::{Expr, Query, SelectStatement};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter, RuntimeErr,
    TryInsertResult,
};
use tokio::sync::Notify;

use storage::database::Connection;
use storage::entities::git_upload;
use storage::entropy::Entropy;
pub use sweeping::{abandon, abandoned, sweep};

/// The condition that a row does not belong to an unfinished upload. Only while the repository has
/// one does the database read the column, which may be behind the content of a large object.
pub(super) fn visible(repository_id: i64, upload: impl ColumnTrait) -> Condition {
    Condition::any()
        .add(Expr::not_exists(unfinished(repository_id)))
        .add(upload.is_null())
        .add(upload.not_in_subquery(unfinished(repository_id)))
}

/// The upload that a repository has, if any.
pub(super) fn unfinished(repository_id: i64) -> SelectStatement {
    Query::select()
        .column(git_upload::Column::Id)
        .from(git_upload::Entity)
        .and_where(git_upload::Column::RepositoryId.eq(repository_id))
        .take()
}

/// The uploads that this process continues.
#[derive(Debug)]
pub struct Uploads {
    /// Unlike that of every other process. Known once there is an upload.
    process: OnceLock<String>,
    /// May have an id twice, after the ids of the database were reset.
    live: Mutex<Vec<i64>>,
    /// Notified when one ends.
    ended: Arc<Notify>,
}

/// An upload that this process continues until it is dropped.
#[derive(Debug)]
pub struct GitUpload {
    uploads: Arc<Uploads>,
    id: i64,
}

impl Uploads {
    pub fn new(ended: Arc<Notify>) -> Arc<Self> {
        Arc::new(Self {
            process: OnceLock::new(),
            live: Mutex::default(),
            ended,
        })
    }

    /// Begins an upload, or returns None while the repository has another one.
    pub async fn begin(
        self: &Arc<Self>,
        connection: &Connection,
        entropy: &dyn Entropy,
        repository_id: i64,
        now: i64,
    ) -> Result<Option<GitUpload>, DbErr> {
        let process = self.process.get_or_init(|| entropy.short_id());
        let row = git_upload::ActiveModel {
            repository_id: Set(repository_id),
            process: Set(process.clone()),
            renewed_at: Set(now),
            abandoned: Set(false),
            ..Default::default()
        };
        let inserted = git_upload::Entity::insert(row)
            .on_conflict_do_nothing_on([git_upload::Column::RepositoryId])
            .exec_without_returning(connection)
            .await?;
        if !matches!(inserted, TryInsertResult::Inserted(1)) {
            return Ok(None);
        }
        let row = git_upload::Entity::find()
            .filter(git_upload::Column::RepositoryId.eq(repository_id))
            .one(connection)
            .await?;
        let Some(git_upload::Model { id, .. }) = row else {
            return Ok(None);
        };
        self.live().push(id);
        let uploads = self.clone();
        Ok(Some(GitUpload { uploads, id }))
    }

    /// Whether this process began the upload.
    fn is_own(&self, upload: &git_upload::Model) -> bool {
        self.process.get() == Some(&upload.process)
    }

    fn is_live(&self, upload: &git_upload::Model) -> bool {
        self.live().contains(&upload.id)
    }

    fn live(&self) -> MutexGuard<'_, Vec<i64>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GitUpload {
    pub fn id(&self) -> i64 {
        self.id
    }

    /// Continues the upload. Fails if another process has given it up. Call it first in each
    /// transaction that stores objects.
    pub async fn renew(&self, connection: &Connection, now: i64) -> Result<(), DbErr> {
        let renewed = git_upload::Entity::update_many()
            .col_expr(git_upload::Column::RenewedAt, Expr::value(now))
            .filter(self.continues())
            .exec(connection)
            .await?;
        expect_one(renewed.rows_affected)
    }

    /// Makes the objects visible in this transaction, and for others when it commits.
    pub async fn finish(&self, connection: &Connection) -> Result<(), DbErr> {
        let finished = git_upload::Entity::delete_many()
            .filter(self.continues())
            .exec(connection)
            .await?;
        expect_one(finished.rows_affected)
    }

    fn continues(&self) -> Condition {
        Condition::all()
            .add(git_upload::Column::Id.eq(self.id))
            .add(git_upload::Column::Abandoned.eq(false))
    }
}

impl Drop for GitUpload {
    fn drop(&mut self) {
        let mut live = self.uploads.live();
        if let Some(place) = live.iter().position(|id| *id == self.id) {
            live.swap_remove(place);
        }
        drop(live);
        self.uploads.ended.notify_one();
    }
}

fn expect_one(rows: u64) -> Result<(), DbErr> {
    match rows {
        1 => Ok(()),
        _ => Err(DbErr::Conn(RuntimeErr::Internal(
            "the upload was given up; its objects are being deleted".to_owned(),
        ))),
    }
}
