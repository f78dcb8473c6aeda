//! Objects as they are stored, many at a time and without their bases: to be copied into
//! packs, or to be unpacked by whoever has the bases.

use sea_orm::{ConnectionTrait, DbErr, QueryResult, Statement, TryGetable, Value};

use super::ROWS;
use crate::entities::git_object::Kind;
use crate::git::Sha;

/// A stored object.
#[derive(Clone, Debug)]
pub(in crate::git) struct StoredEntry {
    pub(in crate::git) sha: Sha,
    pub(in crate::git) kind: Kind,
    /// Bytes of the object before compression.
    pub(in crate::git) size: u64,
    /// What `content` is a delta of.
    pub(in crate::git) base: Option<Sha>,
    /// As in the database; None if it is longer than was asked for.
    pub(in crate::git) content: Option<Vec<u8>>,
}

impl StoredEntry {
    fn read(row: &QueryResult) -> Result<Self, DbErr> {
        let base: Option<String> = row.try_get_by_index(3)?;
        let size: i64 = row.try_get_by_index(2)?;
        Ok(Self {
            sha: Sha::stored(&row.try_get_by_index::<String>(0)?)?,
            kind: Kind::try_get_by_index(row, 1)?,
            size: size.unsigned_abs(),
            base: base.as_deref().map(Sha::stored).transpose()?,
            content: row.try_get_by_index(4)?,
        })
    }
}

/// Reads objects, in any order; the result omits those that are not stored. Content that is
/// longer than `longest` is left out. One query per 100.
pub(in crate::git) async fn entries(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    shas: &[Sha],
    longest: u32,
) -> Result<Vec<StoredEntry>, DbErr> {
    let mut found = Vec::with_capacity(shas.len());
    let backend = connection.get_database_backend();
    for some in shas.chunks(ROWS) {
        let places: Vec<String> = (3..some.len() + 3)
            .map(|place| format!("${place}"))
            .collect();
        let sql = format!(
            "SELECT sha, kind, size, base_sha, CASE WHEN length(content) <= $2 THEN content END
             FROM git_object WHERE repository_id = $1 AND sha IN ({})",
            places.join(", ")
        );
        let fixed = [Value::from(repository_id), Value::from(i64::from(longest))];
        let names = some.iter().map(|sha| Value::from(sha.to_string()));
        let values = fixed.into_iter().chain(names);
        let statement = Statement::from_sql_and_values(backend, sql, values);
        for row in connection.query_all_raw(statement).await? {
            found.push(StoredEntry::read(&row)?);
        }
    }
    Ok(found)
}
