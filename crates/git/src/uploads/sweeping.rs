//! Deletes the objects of uploads that nobody continues, a batch in each transaction.

use sea_orm::sea_query::{Expr, LockType};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::Uploads;
use storage::database::Connection;
use storage::entities::{git_commit, git_object, git_upload, repository};

/// Seconds after which a process that stores nothing is taken for dead.
const STALE: i64 = 30;

/// Rows of a batch, and bytes of their content.
const ROWS: u64 = 500;
const BYTES: i64 = 16 * 1024 * 1024;

/// The uploads whose push has ended, and those of processes that are taken for dead.
pub async fn abandoned(
    connection: &Connection,
    uploads: &Uploads,
    now: i64,
) -> Result<Vec<git_upload::Model>, DbErr> {
    let mut rows = git_upload::Entity::find().all(connection).await?;
    // A restored database may be from a time that has not come yet.
    let is_stale = |upload: &git_upload::Model| (now - upload.renewed_at).abs() > STALE;
    rows.retain(|upload| match uploads.is_own(upload) {
        true => !uploads.is_live(upload),
        false => is_stale(upload),
    });
    Ok(rows)
}

/// Keeps an upload from being continued. Returns false if it was continued since its row was read.
pub async fn abandon(connection: &Connection, upload: &git_upload::Model) -> Result<bool, DbErr> {
    let abandoned = git_upload::Entity::update_many()
        .col_expr(git_upload::Column::Abandoned, Expr::value(true))
        .filter(git_upload::Column::Id.eq(upload.id))
        .filter(git_upload::Column::Process.eq(&*upload.process))
        .filter(git_upload::Column::RenewedAt.eq(upload.renewed_at))
        .exec(connection)
        .await?;
    Ok(abandoned.rows_affected == 1)
}

/// Deletes a batch of the rows of an abandoned upload, and at last its own. Returns whether any are
/// left.
pub async fn sweep(connection: &Connection, upload: &git_upload::Model) -> Result<bool, DbErr> {
    if sweep_commits(connection, upload).await? || sweep_objects(connection, upload).await? {
        return Ok(true);
    }
    git_upload::Entity::delete_by_id(upload.id)
        .exec(connection)
        .await?;
    Ok(false)
}

/// Children first: whoever stores one of the commits meanwhile keeps its node, which needs those
/// of its ancestors.
async fn sweep_commits(connection: &Connection, upload: &git_upload::Model) -> Result<bool, DbErr> {
    // Nobody adds to the graph meanwhile.
    repository::Entity::find_by_id(upload.repository_id)
        .select_only()
        .column(repository::Column::Id)
        .lock(LockType::NoKeyUpdate)
        .into_tuple::<i64>()
        .one(connection)
        .await?;
    let ids: Vec<i64> = git_commit::Entity::find()
        .select_only()
        .column(git_commit::Column::Id)
        .filter(git_commit::Column::UploadId.eq(upload.id))
        .order_by_desc(git_commit::Column::Id)
        .limit(ROWS)
        .into_tuple()
        .all(connection)
        .await?;
    if ids.is_empty() {
        return Ok(false);
    }
    git_commit::Entity::delete_many()
        .filter(git_commit::Column::Id.is_in(ids))
        .exec(connection)
        .await?;
    Ok(true)
}

async fn sweep_objects(connection: &Connection, upload: &git_upload::Model) -> Result<bool, DbErr> {
    let rows: Vec<(String, i64)> = git_object::Entity::find()
        .select_only()
        .column(git_object::Column::Sha)
        .column_as(Expr::cust("CAST(LENGTH(content) AS BIGINT)"), "bytes")
        .filter(git_object::Column::UploadId.eq(upload.id))
        .limit(ROWS)
        .into_tuple()
        .all(connection)
        .await?;
    let mut bytes = 0;
    let batch = rows.into_iter().take_while(|(_, more)| {
        let first = bytes == 0;
        bytes += more;
        first || bytes <= BYTES
    });
    let shas: Vec<String> = batch.map(|(sha, _)| sha).collect();
    if shas.is_empty() {
        return Ok(false);
    }
    // Whoever stores one of the objects meanwhile takes its row, which is of no upload then.
    git_object::Entity::delete_many()
        .filter(git_object::Column::RepositoryId.eq(upload.repository_id))
        .filter(git_object::Column::Sha.is_in(shas))
        .filter(git_object::Column::UploadId.eq(upload.id))
        .exec(connection)
        .await?;
    Ok(true)
}
