//! Objects as they are stored, many at a time and without their bases: to be copied into packs,
//! or to be unpacked by a caller that has the bases.

use sea_orm::sea_query::{Expr, ExprTrait, Func};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};

use super::ROWS;
use crate::Sha;
use crate::uploads::visible;
use storage::database::Connection;
use storage::entities::git_object::{self, Column, ObjectKind};

/// A stored object.
#[derive(Clone, Debug)]
pub(crate) struct StoredEntry {
    pub(crate) sha: Sha,
    pub(crate) kind: ObjectKind,
    /// Bytes of the object before compression.
    pub(crate) size: u64,
    /// The object that `content` is a delta of.
    pub(crate) base: Option<Sha>,
    /// As in the database; None if it is longer than the caller's limit.
    pub(crate) content: Option<Vec<u8>>,
}

/// A row; the content is None if it is too long.
type EntryRow = (String, ObjectKind, i64, Option<String>, Option<Vec<u8>>);

impl StoredEntry {
    fn of((sha, kind, size, base, content): EntryRow) -> Result<Self, DbErr> {
        Ok(Self {
            sha: Sha::stored(&sha)?,
            kind,
            size: size.unsigned_abs(),
            base: base.as_deref().map(Sha::stored).transpose()?,
            content,
        })
    }
}

/// Reads objects, in any order; the result omits those that are not stored. Content that is
/// longer than `longest` is left out. One query per 100.
pub(crate) async fn entries(
    connection: &Connection,
    repository_id: i64,
    shas: &[Sha],
    longest: u32,
) -> Result<Vec<StoredEntry>, DbErr> {
    let mut entries = Vec::with_capacity(shas.len());
    let is_short = Func::cust("length").arg(Expr::col(Column::Content));
    let is_short = Expr::expr(is_short).lte(i64::from(longest));
    let content: Expr = Expr::case(is_short, Expr::col(Column::Content)).into();
    for chunk in shas.chunks(ROWS) {
        let rows: Vec<EntryRow> = git_object::Entity::find()
            .select_only()
            .columns([Column::Sha, Column::Kind, Column::Size, Column::BaseSha])
            .expr(content.clone())
            .filter(Column::RepositoryId.eq(repository_id))
            .filter(Column::Sha.is_in(chunk.iter().map(Sha::to_string)))
            .filter(visible(repository_id, Column::UploadId))
            .into_tuple()
            .all(connection)
            .await?;
        for row in rows {
            entries.push(StoredEntry::of(row)?);
        }
    }
    Ok(entries)
}
