//! The rows of comments.

use std::collections::{BTreeSet, HashMap};

use migration::aggregates::Kind;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter, QuerySelect};
use storage::database::{Connection, ReadSource};
use storage::entities::{pull, repository, review, review_comment};

use crate::comments::authors::Authors;
use crate::comments::pages;
use crate::pulls::anchor::Anchor;

pub async fn comment(
    connection: &Connection,
    repository: i64,
    id: i64,
) -> Result<Option<review_comment::Model>, DbErr> {
    review_comment::Entity::find_by_id(id)
        .filter(review_comment::COLUMN.repository_id.eq(repository))
        .one(connection)
        .await
}

/// Deletes a comment, and its review if that has no other comment and no text. Replies
/// stay.
pub async fn delete(
    transaction: &Connection,
    comment: &review_comment::Model,
) -> Result<bool, DbErr> {
    let deleted = review_comment::Entity::delete_by_id(comment.id)
        .exec(transaction)
        .await?;
    let others = review_comment::Entity::find()
        .filter(review_comment::COLUMN.review_id.eq(comment.review_id))
        .select_only()
        .column(review_comment::Column::Id)
        .into_tuple::<i64>()
        .one(transaction)
        .await?;
    if others.is_none() {
        review::Entity::delete_many()
            .filter(review::COLUMN.id.eq(comment.review_id))
            .filter(review::COLUMN.state.eq(review::ReviewState::Commented))
            .filter(review::COLUMN.body.eq(""))
            .exec(transaction)
            .await?;
    }
    Ok(deleted.rows_affected == 1)
}

pub async fn pull(
    connection: &Connection,
    repository: i64,
    number: i64,
) -> Result<Option<pull::Model>, DbErr> {
    pull::Entity::find()
        .filter(pull::COLUMN.repository_id.eq(repository))
        .filter(pull::COLUMN.number.eq(number))
        .one(connection)
        .await
}

/// Sets the update time of a pull request that has a new comment.
pub async fn touch_pull(transaction: &Connection, id: i64, now: i64) -> Result<(), DbErr> {
    pull::Entity::update_many()
        .col_expr(pull::Column::UpdatedAt, Expr::value(now))
        .filter(pull::COLUMN.id.eq(id))
        .filter(pull::COLUMN.updated_at.lt(now))
        .exec(transaction)
        .await?;
    Ok(())
}

pub async fn comment_of_pull(
    connection: &Connection,
    pull: i64,
    id: i64,
) -> Result<Option<review_comment::Model>, DbErr> {
    review_comment::Entity::find_by_id(id)
        .filter(review_comment::COLUMN.pull_id.eq(pull))
        .one(connection)
        .await
}

/// A text by an author, and its place in a pull request.
pub struct CommentText<'a> {
    pub pull: i64,
    pub author: i64,
    /// The first comment of the thread.
    pub root: Option<i64>,
    pub anchor: &'a Anchor,
    pub body: &'a str,
}

/// How often an author has written the same text in the same place since a time.
pub async fn repetitions(
    connection: &Connection,
    new: CommentText<'_>,
    since: i64,
) -> Result<u64, DbErr> {
    let anchor = new.anchor;
    let same = Condition::all()
        .add(review_comment::COLUMN.pull_id.eq(new.pull))
        .add(review_comment::COLUMN.body.eq(new.body));
    let same = match new.root {
        Some(root) => same.add(review_comment::COLUMN.in_reply_to_id.eq(root)),
        None => same
            .add(review_comment::COLUMN.in_reply_to_id.is_null())
            .add(review_comment::COLUMN.path.eq(&anchor.path))
            .add(
                review_comment::COLUMN
                    .original_commit_sha
                    .eq(anchor.commit.to_string()),
            )
            .add(review_comment::Column::SubjectType.eq(anchor.subject))
            .add(review_comment::Column::Side.eq(anchor.side))
            .add(review_comment::COLUMN.original_line.eq(anchor.line))
            .add(match anchor.start {
                Some((_, line)) => review_comment::COLUMN.original_start_line.eq(line),
                None => review_comment::COLUMN.original_start_line.is_null(),
            }),
    };
    pages::repetitions::<review_comment::Entity>(connection, new.author, since, same).await
}

/// A new text for a comment.
pub struct NewText<'a> {
    pub body: &'a str,
    pub html: &'a str,
    pub text: &'a str,
}

pub async fn rewrite(
    transaction: &Connection,
    id: i64,
    text: NewText<'_>,
    now: i64,
) -> Result<(), DbErr> {
    use review_comment::Column;
    review_comment::Entity::update_many()
        .col_expr(Column::Body, Expr::value(text.body))
        .col_expr(Column::BodyHtml, Expr::value(text.html))
        .col_expr(Column::BodyText, Expr::value(text.text))
        .col_expr(Column::UpdatedAt, Expr::value(now))
        .filter(review_comment::COLUMN.id.eq(id))
        .exec(transaction)
        .await?;
    Ok(())
}

/// The accounts and pull requests that comments refer to.
#[derive(Debug, Default)]
pub struct Referenced {
    pub authors: BTreeSet<i64>,
    pub pulls: BTreeSet<i64>,
}

impl Referenced {
    pub fn by(comments: &[review_comment::Model]) -> Self {
        Self {
            authors: comments.iter().filter_map(|row| row.author_id).collect(),
            pulls: comments.iter().map(|row| row.pull_id).collect(),
        }
    }
}

/// The accounts and pull requests of a page of comments, loaded with one query for each kind.
#[derive(Debug, Default)]
pub struct CommentRelations {
    pub authors: Authors,
    /// The number of each pull request.
    pub numbers: HashMap<i64, i64>,
}

impl CommentRelations {
    pub async fn of(
        source: &impl ReadSource,
        repository: &repository::Model,
        Referenced { authors, pulls }: &Referenced,
    ) -> Result<Self, DbErr> {
        if pulls.is_empty() {
            return Ok(Self::default());
        }
        let authors = Authors::of(source, repository, authors).await?;
        let connection = source.reading(&[Kind::PullStates.of(repository.id)]).await;
        Ok(Self {
            authors,
            numbers: numbers(connection, pulls.iter().copied()).await?,
        })
    }
}

async fn numbers(
    connection: &Connection,
    pulls: impl Iterator<Item = i64>,
) -> Result<HashMap<i64, i64>, DbErr> {
    let rows: Vec<(i64, i64)> = pull::Entity::find()
        .select_only()
        .columns([pull::Column::Id, pull::Column::Number])
        .filter(pull::COLUMN.id.is_in(pulls))
        .into_tuple()
        .all(connection)
        .await?;
    Ok(rows.into_iter().collect())
}
