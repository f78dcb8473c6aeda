//! Rows of new objects.
//!
//! An object that is stored already is left alone, unless it is part of an unfinished upload
//! (`uploads`): that may be deleted, so the row is taken from it, with new content. The upload
//! does not miss it, because the object is visible from now on.

use std::collections::HashSet;

use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{DbErr, EntityTrait, RuntimeErr, TryInsertResult};

use super::{PackedObject, ROWS, heads};
use crate::Sha;
use crate::uploads::unfinished;
use storage::database::Connection;
use storage::entities::git_object::{self, Column};

/// A statement with this many bytes gets no further rows.
const BYTES: usize = 4 * 1024 * 1024;

const KEY: [Column; 2] = [Column::RepositoryId, Column::Sha];

/// Stores new objects, and returns how many were new.
pub async fn store_packed(
    connection: &Connection,
    repository_id: i64,
    objects: Vec<PackedObject>,
) -> Result<u64, DbErr> {
    let mut stored = 0;
    for rows in statements(objects) {
        let shas: Vec<Sha> = rows.iter().map(|object| object.sha).collect();
        let new = insert_or_take(connection, repository_id, rows).await?;
        if new < shas.len() as u64 {
            check_visible(connection, repository_id, &shas).await?;
        }
        stored += new;
    }
    Ok(stored)
}

/// The same for a part of an upload. A repository has one upload at a time, so the objects that
/// are stored already are visible, or of the same upload.
pub(crate) async fn store_upload(
    connection: &Connection,
    repository_id: i64,
    upload: i64,
    objects: Vec<PackedObject>,
) -> Result<u64, DbErr> {
    let mut stored = 0;
    for rows in statements(objects) {
        let inserted = git_object::Entity::insert_many(models(repository_id, Some(upload), rows))
            .on_conflict_do_nothing_on(KEY)
            .exec_without_returning(connection)
            .await?;
        if let TryInsertResult::Inserted(count) = inserted {
            stored += count;
        }
    }
    Ok(stored)
}

/// The objects of each statement, each object once.
fn statements(objects: Vec<PackedObject>) -> Vec<Vec<PackedObject>> {
    let mut seen = HashSet::with_capacity(objects.len());
    let mut statements: Vec<Vec<PackedObject>> = Vec::new();
    let mut bytes = 0;
    for object in objects {
        if !seen.insert(object.sha) {
            continue;
        }
        let more = object.compressed.len();
        match statements.last_mut() {
            Some(rows) if rows.len() < ROWS && bytes < BYTES => {
                bytes += more;
                rows.push(object);
            }
            _ => {
                bytes = more;
                statements.push(vec![object]);
            }
        }
    }
    statements
}

fn models(
    repository_id: i64,
    upload: Option<i64>,
    objects: Vec<PackedObject>,
) -> impl Iterator<Item = git_object::ActiveModel> {
    objects
        .into_iter()
        .map(move |object| git_object::ActiveModel {
            repository_id: Set(repository_id),
            sha: Set(object.sha.to_string()),
            kind: Set(object.kind),
            size: Set(object.size),
            content: Set(object.compressed),
            base_sha: Set(object.base.map(|base| base.to_string())),
            upload_id: Set(upload),
        })
}

/// Inserts rows, and replaces those of an unfinished upload. An update keeps what refers to the
/// row, such as the node of a commit. One statement, whose text depends only on the number of
/// rows: it is prepared once.
async fn insert_or_take(
    connection: &Connection,
    repository_id: i64,
    objects: Vec<PackedObject>,
) -> Result<u64, DbErr> {
    let upload = Expr::col((git_object::Entity, Column::UploadId));
    let mut take = OnConflict::columns(KEY);
    take.update_columns([Column::Content, Column::BaseSha, Column::UploadId])
        .action_and_where(upload.in_subquery(unfinished(repository_id)));
    let inserted = git_object::Entity::insert_many(models(repository_id, None, objects))
        .on_conflict(take)
        .exec_without_returning(connection)
        .await;
    match inserted {
        Err(DbErr::RecordNotInserted) => Ok(0),
        inserted => inserted,
    }
}

/// On PostgreSQL an upload that began during the statement may have stored one of the objects.
async fn check_visible(
    connection: &Connection,
    repository_id: i64,
    shas: &[Sha],
) -> Result<(), DbErr> {
    let visible = heads(connection, repository_id, shas).await?;
    match visible.len() == shas.len() {
        true => Ok(()),
        false => Err(DbErr::Conn(RuntimeErr::Internal(
            "a push is storing the same objects".to_owned(),
        ))),
    }
}
