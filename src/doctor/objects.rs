//! Checks the content of Git objects: each matches its name, and the objects that it names are
//! stored. Reads them one by one, so that memory stays small.

use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter,
    QueryOrder, QuerySelect, Statement,
};

use super::Violation;
use super::storage::violation;
use git::ancestry::is_ancestor;
use git::objects::{Commit, Object, Tag};
use git::tree::{Mode, Tree};
use git::{GitError, Sha, store};
use storage::database::Connection;
use storage::entities::git_object::{self, ObjectKind};
use storage::entities::git_upload;

/// Names read at a time.
const BATCH: u64 = 500;

/// The most violations that are collected.
const MOST_VIOLATIONS: usize = 1000;

/// Reads every object, and returns the violations of each rule.
pub async fn check(db: &Connection) -> Result<[Option<Violation>; 2], DbErr> {
    let mut damaged = Vec::new();
    let mut disagreeing = Vec::new();
    let mut last = (i64::MIN, String::new());
    loop {
        let names = names_after(db, &last).await?;
        let Some(end) = names.last() else { break };
        last = end.clone();
        for (repository, name) in names {
            let list = match is_consistent(db, repository, &name).await {
                Ok(true) => continue,
                Ok(false) => &mut disagreeing,
                Err(GitError::Database(error)) => return Err(error),
                Err(_) => &mut damaged,
            };
            if list.len() < MOST_VIOLATIONS {
                list.push(format!("{repository}/{name}"));
            }
        }
    }
    Ok([
        violation(
            "objects-are-what-they-are-named",
            "The content of each Git object is complete and hashes to its name",
            damaged,
        ),
        violation(
            "objects-agree-with-the-graph",
            "Each object that a Git object refers to is stored, and the graph has all parents",
            disagreeing,
        ),
    ])
}

async fn names_after(
    db: &Connection,
    (repository, sha): &(i64, String),
) -> Result<Vec<(i64, String)>, DbErr> {
    use git_object::Column;
    let later = Condition::any()
        .add(Column::RepositoryId.gt(*repository))
        .add(
            Condition::all()
                .add(Column::RepositoryId.eq(*repository))
                .add(Column::Sha.gt(sha)),
        );
    // What an unfinished push refers to may not be stored yet.
    let unfinished = Query::select()
        .column(git_upload::Column::Id)
        .from(git_upload::Entity)
        .and_where(
            Expr::col((git_upload::Entity, git_upload::Column::Id))
                .equals((git_object::Entity, Column::UploadId)),
        )
        .take();
    git_object::Entity::find()
        .select_only()
        .columns([Column::RepositoryId, Column::Sha])
        .filter(later)
        .filter(Expr::not_exists(unfinished))
        .order_by_asc(Column::RepositoryId)
        .order_by_asc(Column::Sha)
        .limit(BATCH)
        .into_tuple()
        .all(db)
        .await
}

/// Whether an object is consistent with the others; an error if it is damaged itself.
async fn is_consistent(db: &Connection, repository: i64, name: &str) -> Result<bool, GitError> {
    let sha = Sha::stored(name)?;
    let Some(Object { kind, content }) = store::load(db, repository, sha).await? else {
        return Ok(true);
    };
    if Sha::of(kind, &content) != sha {
        return Err(GitError::Damaged(name.to_owned()));
    }
    match kind {
        ObjectKind::Blob => Ok(true),
        ObjectKind::Commit => commit_agrees(db, repository, sha, &content).await,
        ObjectKind::Tree => {
            let tree = Tree::parse(&content)?;
            let entries = tree.entries.iter();
            let mut entry_shas: Vec<Sha> = entries
                .filter(|entry| entry.mode != Mode::Submodule)
                .map(|entry| entry.sha)
                .collect();
            entry_shas.sort_unstable();
            entry_shas.dedup();
            let heads = store::heads(db, repository, &entry_shas).await?;
            Ok(tree.entries.iter().all(|entry| match entry.mode.kind() {
                None => true,
                Some(ObjectKind::Tree) if entry.sha == Sha::EMPTY_TREE => true,
                Some(kind) => heads.get(&entry.sha).is_some_and(|head| head.kind == kind),
            }))
        }
        ObjectKind::Tag => {
            let tag = Tag::parse(&content)?;
            let kind = store::kind_of(db, repository, tag.target).await?;
            Ok(kind == Some(tag.target_kind))
        }
    }
}

/// The graph has the parents of a commit in their order, and reaches each.
async fn commit_agrees(
    db: &Connection,
    repository: i64,
    sha: Sha,
    content: &[u8],
) -> Result<bool, GitError> {
    let parents_of_content = Commit::parse(content)?.parents;
    let stored = parents(db, repository, &sha.to_string()).await?;
    if !parents_of_content.iter().map(Sha::to_string).eq(stored) {
        return Ok(false);
    }
    for parent in parents_of_content {
        if !is_ancestor(db, repository, parent, sha).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

#[derive(FromQueryResult)]
struct Parent {
    sha: String,
}

async fn parents(db: &Connection, repository: i64, sha: &str) -> Result<Vec<String>, DbErr> {
    let sql = "SELECT parent.sha AS sha FROM git_commit AS child
         JOIN git_commit_parent AS edge ON edge.commit_id = child.id
         JOIN git_commit AS parent ON parent.id = edge.parent_id
         WHERE child.repository_id = $1 AND child.sha = $2 ORDER BY edge.ordinal";
    let values = [repository.into(), sha.into()];
    let statement = Statement::from_sql_and_values(db.get_database_backend(), sql, values);
    let rows = Parent::find_by_statement(statement).all(db).await?;
    Ok(rows.into_iter().map(|row| row.sha).collect())
}
