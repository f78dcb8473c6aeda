//! The references of pull requests, `refs/pull/<number>/head`. They are not stored as references:
//! each pull request stores its head commit. They are read-only.

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

/// Whether a range of names may contain the head of a pull request.
pub async fn is_any_within(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    range: (&str, &str),
) -> Result<bool, DbErr> {
    if !overlaps(range) {
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

/// The heads of pull requests within a range of names, in byte order.
#[derive(Default)]
pub struct PullHeads(Vec<RefRow>);

impl PullHeads {
    pub async fn within(
        connection: &impl ConnectionTrait,
        repository_id: i64,
        (from, until): (&str, &str),
    ) -> Result<Self, DbErr> {
        if !overlaps((from, until)) {
            return Ok(Self::default());
        }
        let mut pulls = pull::Entity::find()
            .select_only()
            .columns([pull::Column::Number, pull::Column::HeadSha])
            .filter(pull::COLUMN.repository_id.eq(repository_id))
            .order_by_desc(pull::Column::Number)
            .limit(MOST_PULLS);
        if let Some(number) = only_number((from, until)) {
            pulls = pulls.filter(pull::COLUMN.number.eq(number));
        }
        let rows: Vec<(i64, String)> = pulls.into_tuple().all(connection).await?;
        let heads = rows.into_iter().map(|(number, sha)| {
            let name = format!("{FOLDER}{number}/head");
            (name, sha, ObjectKind::Commit)
        });
        let mut heads: Vec<RefRow> = heads
            .filter(|(name, ..)| from <= name.as_str() && name.as_str() < until)
            .collect();
        heads.sort_unstable_by(|(one, ..), (other, ..)| one.cmp(other));
        Ok(Self(heads))
    }

    /// At most `most` references with names from `from` on and before `until`, in byte order:
    /// rows, and these heads. A head takes precedence over a row of the same name. Use a
    /// snapshot for a consistent list.
    pub async fn list(
        &self,
        connection: &impl ConnectionTrait,
        repository_id: i64,
        (from, until): (&str, &str),
        most: u64,
    ) -> Result<Vec<RefRow>, DbErr> {
        let rows = async |from: &str, until: &str, most: u64| {
            store::list(connection, repository_id, from, until, Some(most)).await
        };
        let reserved = NameRange::beginning_with(FOLDER);
        let (start, end) = (from.max(&reserved.from), until.min(&reserved.until));
        if self.0.is_empty() || start >= end {
            return rows(from, until, most).await;
        }
        let room = |listed: &[RefRow]| most.saturating_sub(listed.len() as u64);
        let mut listed = rows(from, start, most).await?;
        if room(&listed) > 0 {
            let stored = rows(start, end, room(&listed)).await?;
            let heads = self.0.iter();
            let heads = heads.filter(|(name, ..)| start <= name.as_str() && name.as_str() < end);
            let named = |(name, sha, kind)| (name, (sha, kind));
            let merged = stored.into_iter().chain(heads.cloned()).map(named);
            let merged: BTreeMap<_, _> = merged.collect();
            let merged = merged
                .into_iter()
                .map(|(name, (sha, kind))| (name, sha, kind));
            let room = usize::try_from(room(&listed)).unwrap_or(usize::MAX);
            listed.extend(merged.take(room));
        }
        if room(&listed) > 0 {
            listed.extend(rows(end, until, room(&listed)).await?);
        }
        Ok(listed)
    }
}

/// Whether a range of names contains some that are reserved for pull requests.
pub fn overlaps((from, until): (&str, &str)) -> bool {
    let reserved = NameRange::beginning_with(FOLDER);
    from < reserved.until.as_str() && reserved.from.as_str() < until
}

/// The number that all names of a range below `refs/pull/` have.
fn only_number((from, until): (&str, &str)) -> Option<i64> {
    let (number, _) = from.strip_prefix(FOLDER)?.split_once('/')?;
    let below = NameRange::beginning_with(&format!("{FOLDER}{number}/"));
    number
        .parse()
        .ok()
        .filter(|_| until <= below.until.as_str())
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

    #[test]
    fn a_range_below_one_number_has_only_that() {
        let number = |prefix: &str| {
            let range = NameRange::beginning_with(prefix);
            only_number((&range.from, &range.until))
        };
        assert_eq!(number("refs/pull/12/head"), Some(12));
        assert_eq!(number("refs/pull/12/"), Some(12));
        assert_eq!(number("refs/pull/12"), None);
        assert_eq!(number("refs/pull/"), None);
        assert_eq!(only_number(("refs/pull/12/head\u{1}", "refs0")), None);
    }
}
