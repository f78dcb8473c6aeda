//! The references that clients see: those of the repository, and the heads of its pull
//! requests.

use std::collections::HashSet;

use sea_orm::sea_query::Expr;
use sea_orm::{ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::entities::git_object::Kind;
use crate::entities::{pull, repository};
use crate::git::refs::{NameRange, RefName};
use crate::git::transport::listing::{Listed, RefList, peel};
use crate::git::{GitError, Sha};
use crate::refs::store;

/// References that are read at once.
const AT_ONCE: u64 = 1000;

/// The newest pull requests whose heads are listed.
const MOST_PULLS: u64 = 10_000;

/// Annotated tags that are looked at for those of what is fetched. With more, clients ask
/// for them in a second request.
const MOST_TAGS: u64 = 20_000;

/// Where the names of pull requests begin.
pub const PULLS: &str = "refs/pull/";

/// What of a repository is listed.
pub struct Listing<'a> {
    pub ranges: &'a [NameRange],
    pub peel: bool,
    pub pulls: bool,
}

/// Reads references; nothing if there are more than `most`. Give it a snapshot, and the list
/// is of one moment.
pub async fn list(
    connection: &impl ConnectionTrait,
    repository: &repository::Model,
    listing: &Listing<'_>,
    most: Option<usize>,
) -> Result<Option<RefList>, GitError> {
    let default_branch = format!("refs/heads/{}", repository.default_branch);
    let head = store::find(connection, repository.id, &default_branch).await?;
    let mut refs = Vec::new();
    for range in listing.ranges {
        let mut from = Some(range.from.clone());
        while let Some(start) = from {
            let range = (&start[..], &range.until[..]);
            from = read(connection, repository.id, range, listing.peel, &mut refs).await?;
            if most.is_some_and(|most| refs.len() > most || (refs.len() == most && from.is_some()))
            {
                return Ok(None);
            }
        }
    }
    if listing.pulls {
        add_pulls(connection, repository.id, listing.ranges, &mut refs).await?;
    }
    Ok(Some(RefList {
        head: head.map(|row| Sha::stored(&row.sha)).transpose()?,
        default_branch,
        refs,
    }))
}

/// Adds a page of references, and returns where the next one begins.
async fn read(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    (from, until): (&str, &str),
    peeled: bool,
    refs: &mut Vec<Listed>,
) -> Result<Option<String>, GitError> {
    let rows = store::list(connection, repository_id, from, until, Some(AT_ONCE)).await?;
    let full = rows.len() as u64 == AT_ONCE;
    // No name has a control character, so nothing lies between.
    let next = rows
        .last()
        .filter(|_| full)
        .map(|(last, ..)| format!("{last}\u{1}"));
    let mut page = Vec::with_capacity(rows.len());
    for (name, sha, kind) in rows {
        page.push((name, Sha::stored(&sha)?, kind));
    }
    let tags = page
        .iter()
        .filter(|(_, _, kind)| peeled && *kind == Kind::Tag);
    let tags: Vec<Sha> = tags.map(|(_, sha, _)| *sha).collect();
    let behind = peel(connection, repository_id, &tags).await?;
    refs.extend(page.into_iter().map(|(name, sha, _)| Listed {
        name,
        sha,
        peeled: behind.get(&sha).copied(),
    }));
    Ok(next)
}

/// Adds the heads of pull requests, unless a reference has the name.
async fn add_pulls(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    ranges: &[NameRange],
    refs: &mut Vec<Listed>,
) -> Result<(), GitError> {
    let names = NameRange::beginning_with(PULLS);
    let apart = |range: &NameRange| range.until <= names.from || names.until <= range.from;
    if ranges.iter().all(apart) {
        return Ok(());
    }
    let pulls: Vec<(i64, String)> = pull::Entity::find()
        .select_only()
        .columns([pull::Column::Number, pull::Column::HeadSha])
        .filter(pull::COLUMN.repository_id.eq(repository_id))
        .order_by_desc(pull::Column::Number)
        .limit(MOST_PULLS)
        .into_tuple()
        .all(connection)
        .await?;
    let taken = refs.iter().filter(|listed| listed.name.starts_with(PULLS));
    let taken: HashSet<String> = taken.map(|listed| listed.name.clone()).collect();
    for (number, sha) in pulls {
        let name = format!("{PULLS}{number}/head");
        let asked = |range: &NameRange| range.from <= name && name < range.until;
        if ranges.iter().any(asked) && !taken.contains(&name) {
            refs.push(Listed {
                name,
                sha: Sha::stored(&sha)?,
                peeled: None,
            });
        }
    }
    refs.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    Ok(())
}

/// The annotated tags of a repository, if they are not too many.
pub async fn tags(
    connection: &impl ConnectionTrait,
    repository_id: i64,
) -> Result<Vec<Sha>, DbErr> {
    let all = NameRange::beginning_with("refs/tags/");
    let most = Some(MOST_TAGS + 1);
    let rows = store::list(connection, repository_id, &all.from, &all.until, most).await?;
    if rows.len() as u64 > MOST_TAGS {
        return Ok(Vec::new());
    }
    let tags = rows.iter().filter(|(_, _, kind)| *kind == Kind::Tag);
    tags.map(|(_, sha, _)| Sha::stored(sha)).collect()
}

/// What a client calls a reference: its full name, or the end of one.
pub async fn named(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    text: &str,
) -> Result<Option<Sha>, DbErr> {
    for root in ["", "refs/", "refs/tags/", "refs/heads/"] {
        let Ok(name) = RefName::parse(&format!("{root}{text}")) else {
            continue;
        };
        if let Some(row) = store::find(connection, repository_id, name.as_str()).await? {
            return Sha::stored(&row.sha).map(Some);
        }
    }
    Ok(None)
}

/// Whether a repository has a branch.
pub async fn has_branch(
    connection: &impl ConnectionTrait,
    repository_id: i64,
) -> Result<bool, DbErr> {
    let all = NameRange::branches();
    let first = store::list(connection, repository_id, &all.from, &all.until, Some(1)).await?;
    Ok(!first.is_empty())
}

/// Makes a branch the default.
pub async fn set_default_branch(
    transaction: &impl ConnectionTrait,
    repository_id: i64,
    branch: &str,
    now: i64,
) -> Result<(), DbErr> {
    repository::Entity::update_many()
        .col_expr(repository::Column::DefaultBranch, Expr::value(branch))
        .col_expr(repository::Column::UpdatedAt, Expr::value(now))
        .filter(repository::COLUMN.id.eq(repository_id))
        .exec(transaction)
        .await?;
    Ok(())
}
