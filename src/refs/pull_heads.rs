//! The references of pull requests, `refs/pull/<number>/head`. They are no rows of references:
//! the pull requests have their commits. Nobody can change them by their names.

use std::collections::BTreeMap;

use sea_orm::{ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::store::{self, RefRow};
use crate::entities::git_object::ObjectKind;
use crate::entities::pull;
use crate::git::refs::NameRange;

const FOLDER: &str = "refs/pull/";

/// The newest pull requests whose heads are listed.
const MOST_PULLS: u64 = 10_000;

/// Whether a name is reserved for pull requests.
pub fn is_reserved(name: &str) -> bool {
    name.starts_with(FOLDER)
}

/// The head of a pull request, by its full name.
pub async fn find(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    name: &str,
) -> Result<Option<RefRow>, DbErr> {
    let Some(number) = number(name) else {
        return Ok(None);
    };
    let sha: Option<String> = pull::Entity::find()
        .select_only()
        .column(pull::Column::HeadSha)
        .filter(pull::COLUMN.repository_id.eq(repository_id))
        .filter(pull::COLUMN.number.eq(number))
        .into_tuple()
        .one(connection)
        .await?;
    Ok(sha.map(|sha| (name.to_owned(), sha, ObjectKind::Commit)))
}

/// Whether references that begin with `prefix` include the head of a pull request.
pub async fn is_any_below(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    prefix: &str,
) -> Result<bool, DbErr> {
    if !FOLDER.starts_with(prefix) && !is_reserved(prefix) {
        return Ok(false);
    }
    let first: Option<i64> = pull::Entity::find()
        .select_only()
        .column(pull::Column::Number)
        .filter(pull::COLUMN.repository_id.eq(repository_id))
        .limit(1)
        .into_tuple()
        .one(connection)
        .await?;
    Ok(first.is_some())
}

/// At most `most` references with names from `from` on and before `until`, in byte order,
/// including the heads of pull requests. A pull request goes before a row of the same name.
pub async fn list(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    (from, until): (&str, &str),
    most: u64,
) -> Result<Vec<RefRow>, DbErr> {
    let reserved = NameRange::beginning_with(FOLDER);
    let (start, end) = (from.max(&reserved.from), until.min(&reserved.until));
    let rows = async |from: &str, until: &str, most: u64| {
        store::list(connection, repository_id, from, until, Some(most)).await
    };
    if start >= end {
        return rows(from, until, most).await;
    }
    let mut listed = rows(from, start, most).await?;
    let room = |listed: &[RefRow]| most.saturating_sub(listed.len() as u64);
    if room(&listed) > 0 {
        let stored = rows(start, end, room(&listed)).await?;
        let heads = heads(connection, repository_id, (start, end)).await?;
        let named = |(name, sha, kind)| (name, (sha, kind));
        let merged: BTreeMap<_, _> = stored.into_iter().chain(heads).map(named).collect();
        let merged = merged
            .into_iter()
            .map(|(name, (sha, kind))| (name, sha, kind));
        listed.extend(merged.take(usize::try_from(room(&listed)).unwrap_or(usize::MAX)));
    }
    if room(&listed) > 0 {
        listed.extend(rows(end, until, room(&listed)).await?);
    }
    Ok(listed)
}

async fn heads(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    (from, until): (&str, &str),
) -> Result<Vec<RefRow>, DbErr> {
    let rows: Vec<(i64, String)> = pull::Entity::find()
        .select_only()
        .columns([pull::Column::Number, pull::Column::HeadSha])
        .filter(pull::COLUMN.repository_id.eq(repository_id))
        .order_by_desc(pull::Column::Number)
        .limit(MOST_PULLS)
        .into_tuple()
        .all(connection)
        .await?;
    let heads = rows.into_iter().map(|(number, sha)| {
        let name = format!("{FOLDER}{number}/head");
        (name, sha, ObjectKind::Commit)
    });
    Ok(heads
        .filter(|(name, ..)| from <= name.as_str() && name.as_str() < until)
        .collect())
}

/// The number of the pull request whose head has this name.
fn number(name: &str) -> Option<i64> {
    let text = name.strip_prefix(FOLDER)?.strip_suffix("/head")?;
    let number: i64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_name_names_a_pull_request() {
        assert_eq!(number("refs/pull/12/head"), Some(12));
        for other in [
            "refs/pull/12/merge",
            "refs/pull/012/head",
            "refs/pull/+12/head",
            "refs/pull//head",
            "refs/pull/99999999999999999999/head",
            "refs/heads/pull/12/head",
        ] {
            assert_eq!(number(other), None, "{other}");
        }
    }
}
