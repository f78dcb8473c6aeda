//! The references of pull requests, `refs/pull/<number>/head`. They are not stored as references:
//! each pull request stores its head commit. They are read-only.

use std::collections::HashMap;

use sea_orm::{
    ConnectionTrait, DbBackend, DbErr, EntityTrait, QueryFilter, QuerySelect, Statement,
};

use super::rows;
use git::refs::NameRange;
use git::target::RefRow;
use storage::database::Connection;
use storage::entities::git_object::ObjectKind;
use storage::entities::pull;

const FOLDER: &str = "refs/pull/";

/// Numbers per query.
const NUMBERS: usize = 100;

/// Whether a name is reserved for pull requests.
pub fn is_reserved(name: &str) -> bool {
    name.starts_with(FOLDER)
}

/// The head of a pull request, by its full name.
pub async fn find(
    connection: &Connection,
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

/// The heads of pull requests among these full names, by name. One query per 100.
pub async fn find_many(
    connection: &Connection,
    repository_id: i64,
    names: &[&str],
) -> Result<HashMap<String, String>, DbErr> {
    let numbers: Vec<i64> = names.iter().filter_map(|name| number(name)).collect();
    let mut heads = HashMap::with_capacity(numbers.len());
    for chunk in numbers.chunks(NUMBERS) {
        let rows: Vec<(i64, String)> = pull::Entity::find()
            .select_only()
            .columns([pull::Column::Number, pull::Column::HeadSha])
            .filter(pull::COLUMN.repository_id.eq(repository_id))
            .filter(pull::COLUMN.number.is_in(chunk.iter().copied()))
            .into_tuple()
            .all(connection)
            .await?;
        let rows = rows.into_iter();
        heads.extend(rows.map(|(number, sha)| (format!("{FOLDER}{number}/head"), sha)));
    }
    Ok(heads)
}

/// Whether a range of names may contain the head of a pull request.
pub async fn is_any_within(
    connection: &Connection,
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

/// At most `most` references with names from `from` on and before `until`, in byte order: rows,
/// and the heads of pull requests. A head takes precedence over a row of the same name.
/// One statement, so that the list is consistent.
pub async fn list(
    connection: &Connection,
    repository_id: i64,
    (from, until): (&str, &str),
    most: u64,
) -> Result<Vec<RefRow>, DbErr> {
    if !overlaps((from, until)) {
        return rows::list(connection, repository_id, from, until, Some(most)).await;
    }
    let backend = connection.get_database_backend();
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let values = [repository_id.into(), from.into(), until.into(), most.into()];
    let statement = Statement::from_sql_and_values(backend, with_heads(backend), values);
    let rows = connection.query_all_raw(statement).await?;
    let rows = rows.iter().map(|row| {
        let column = |name: &str| row.try_get("", name);
        Ok((column("name")?, column("sha")?, row.try_get("", "kind")?))
    });
    rows.collect()
}

/// The query of `list`. Both of its parts read an index in order, and stop at the limit.
fn with_heads(backend: DbBackend) -> String {
    // The expression of the index `pull_by_head_name`.
    let name = "'refs/pull/' || CAST(pull.number AS TEXT) || '/head'";
    let bytes = match backend {
        DbBackend::Postgres => "COLLATE \"C\"",
        _ => "",
    };
    let after = NameRange::beginning_with(FOLDER).until;
    format!(
        "SELECT * FROM (
            SELECT git_ref.name, git_ref.sha, git_ref.kind FROM git_ref
            WHERE git_ref.repository_id = $1 AND git_ref.name >= $2 AND git_ref.name < $3
                AND NOT (git_ref.name >= '{FOLDER}' AND git_ref.name < '{after}' AND EXISTS (
                    SELECT 1 FROM pull
                    WHERE pull.repository_id = $1 AND ({name}) {bytes} = git_ref.name))
            ORDER BY git_ref.name LIMIT $4
        ) AS stored UNION ALL SELECT * FROM (
            SELECT ({name}) {bytes} AS name, pull.head_sha AS sha, 'commit' AS kind FROM pull
            WHERE pull.repository_id = $1 AND ({name}) {bytes} >= $2 AND ({name}) {bytes} < $3
            ORDER BY ({name}) {bytes} LIMIT $4
        ) AS heads ORDER BY name LIMIT $4"
    )
}

/// Whether a range of names contains some that are reserved for pull requests.
fn overlaps((from, until): (&str, &str)) -> bool {
    let reserved = NameRange::beginning_with(FOLDER);
    from < reserved.until.as_str() && reserved.from.as_str() < until
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
