//! The references that clients see: those of the repository, and the heads of its pull
//! requests.

use std::io;

use sea_orm::sea_query::Expr;
use sea_orm::{DbErr, EntityTrait, QueryFilter};

use super::list::ListWriter;
use crate::git_refs;
use crate::git_refs::pull_heads;
use git::refs::{NameRange, RefName};
use git::transport::listing::{AdvertisedRef, HeadTarget, peel};
use git::{GitError, Sha};
use storage::database::Connection;
use storage::entities::git_object::ObjectKind;
use storage::entities::repository;

/// References that are read at once.
const AT_ONCE: u64 = 1000;

/// Annotated tags that are searched for those of fetched objects. With more, clients request them
/// separately.
const MOST_TAGS: u64 = 20_000;

/// The references to list.
pub struct RefQuery<'a> {
    pub ranges: &'a [NameRange],
    pub peel: bool,
    pub pulls: bool,
}

/// Writes references in order of their names; stops and returns false if there are more than
/// `most`. Use a snapshot for a consistent list.
pub async fn list(
    connection: &Connection,
    repository: &repository::Model,
    listing: &RefQuery<'_>,
    most: Option<usize>,
    writer: &mut ListWriter<'_>,
) -> Result<bool, GitError> {
    let default_branch = format!("refs/heads/{}", repository.default_branch);
    let head = git_refs::rows::find(connection, repository.id, &default_branch).await?;
    let sha = head.map(|row| Sha::stored(&row.sha)).transpose()?;
    writer.start(&HeadTarget {
        default_branch,
        sha,
    });
    let mut count = 0;
    for range in listing.ranges {
        let mut from = Some(range.from.clone());
        while let Some(start) = from {
            let range = (&start[..], &range.until[..]);
            let page = read(connection, repository.id, range, listing).await?;
            count += page.refs.len();
            from = page.next;
            if most.is_some_and(|most| count > most || (count == most && from.is_some())) {
                return Ok(false);
            }
            for listed in &page.refs {
                writer
                    .push(listed)
                    .await
                    .map_err(|error| spool_error(&error))?;
            }
        }
    }
    Ok(true)
}

fn spool_error(error: &io::Error) -> GitError {
    GitError::Repository(format!("the temporary file cannot be written: {error}"))
}

/// A page of references, and where the next one begins.
struct RefPage {
    refs: Vec<AdvertisedRef>,
    next: Option<String>,
}

async fn read(
    connection: &Connection,
    repository_id: i64,
    (from, until): (&str, &str),
    listing: &RefQuery<'_>,
) -> Result<RefPage, GitError> {
    let rows = match listing.pulls {
        true => pull_heads::list(connection, repository_id, (from, until), AT_ONCE).await?,
        false => {
            git_refs::rows::list(connection, repository_id, from, until, Some(AT_ONCE)).await?
        }
    };
    let full = rows.len() as u64 == AT_ONCE;
    // No name contains a control character, so no name lies between.
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
        .filter(|(_, _, kind)| listing.peel && *kind == ObjectKind::Tag);
    let tags: Vec<Sha> = tags.map(|(_, sha, _)| *sha).collect();
    let behind = peel(connection, repository_id, &tags).await?;
    let refs = page.into_iter().map(|(name, sha, _)| AdvertisedRef {
        name,
        sha,
        peeled: behind.get(&sha).copied(),
    });
    let refs = refs.collect();
    Ok(RefPage { refs, next })
}

/// The annotated tags of a repository, if they are not too many.
pub async fn tags(connection: &Connection, repository_id: i64) -> Result<Vec<Sha>, DbErr> {
    let all = NameRange::beginning_with("refs/tags/");
    let most = Some(MOST_TAGS + 1);
    let rows = git_refs::rows::list(connection, repository_id, &all.from, &all.until, most).await?;
    if rows.len() as u64 > MOST_TAGS {
        return Ok(Vec::new());
    }
    let tags = rows.iter().filter(|(_, _, kind)| *kind == ObjectKind::Tag);
    tags.map(|(_, sha, _)| Sha::stored(sha)).collect()
}

/// Resolves references by their full names, or by the ends of them. One query per 25 texts, and one
/// for the heads of pull requests; the result has the text that no reference matches.
pub async fn resolve(
    connection: &Connection,
    repository_id: i64,
    texts: &[String],
) -> Result<Result<Vec<Sha>, String>, DbErr> {
    let full_names = |text: &String| -> Vec<RefName> {
        let roots = ["", "refs/", "refs/tags/", "refs/heads/"].iter();
        let names = roots.map(|root| RefName::parse(&format!("{root}{text}")));
        names.filter_map(Result::ok).collect()
    };
    let candidates: Vec<Vec<RefName>> = texts.iter().map(full_names).collect();
    let names: Vec<&str> = candidates.iter().flatten().map(RefName::as_str).collect();
    let heads = pull_heads::find_many(connection, repository_id, &names).await?;
    let rows = git_refs::rows::find_many(connection, repository_id, &names).await?;
    let mut resolved = Vec::with_capacity(texts.len());
    for (text, names) in texts.iter().zip(&candidates) {
        let found = names.iter().find_map(|name| {
            let row = || rows.get(name.as_str()).map(|row| &row.sha);
            heads.get(name.as_str()).or_else(row)
        });
        match found {
            Some(sha) => resolved.push(Sha::stored(sha)?),
            None => return Ok(Err(text.clone())),
        }
    }
    Ok(Ok(resolved))
}

/// Whether a repository has a branch.
pub async fn has_branch(connection: &Connection, repository_id: i64) -> Result<bool, DbErr> {
    let all = NameRange::branches();
    let first =
        git_refs::rows::list(connection, repository_id, &all.from, &all.until, Some(1)).await?;
    Ok(!first.is_empty())
}

/// Makes a branch the default.
pub async fn set_default_branch(
    transaction: &Connection,
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
