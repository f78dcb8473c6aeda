//! Reactions to comments on issues and on diffs. Callers who may read a comment may react to it,
//! once with each reaction, and remove their own; in a locked conversation only callers with write
//! access may.

mod counts;
mod operations;
mod rows;
mod view;

use std::sync::Arc;

use contract::paging::Page;
use sea_orm::sea_query::{Expr, LockType};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    Select, Set,
};
use storage::database::Connection;
use storage::entities::reaction::{self, Content};
use storage::entities::{issue_comment, review_comment};

use crate::app::App;
pub use crate::reactions::counts::{Counts, rollup};

/// The reactions.
pub struct Reactions {
    app: Arc<App>,
}

impl Reactions {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}

/// The comment that a reaction belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comment {
    OfIssue(i64),
    OfReview(i64),
}

impl Comment {
    pub fn id(self) -> i64 {
        match self {
            Self::OfIssue(id) | Self::OfReview(id) => id,
        }
    }

    fn reactions(self) -> Select<reaction::Entity> {
        let all = reaction::Entity::find();
        match self {
            Self::OfIssue(id) => all.filter(reaction::COLUMN.issue_comment_id.eq(id)),
            Self::OfReview(id) => all.filter(reaction::COLUMN.review_comment_id.eq(id)),
        }
    }

    /// The counts of reactions, locked in a transaction that changes them; None if the comment
    /// was deleted.
    async fn lock(self, transaction: &Connection) -> Result<Option<Counts>, DbErr> {
        let stored = match self {
            Self::OfIssue(id) => issue_comment::Entity::find_by_id(id)
                .lock(LockType::NoKeyUpdate)
                .one(transaction)
                .await?
                .map(|row| row.reactions),
            Self::OfReview(id) => review_comment::Entity::find_by_id(id)
                .lock(LockType::NoKeyUpdate)
                .one(transaction)
                .await?
                .map(|row| row.reactions),
        };
        Ok(stored.map(|text| Counts::read(text.as_deref())))
    }

    async fn count(self, transaction: &Connection, counts: &Counts) -> Result<(), DbErr> {
        let counts = Expr::value(counts.written());
        match self {
            Self::OfIssue(id) => {
                issue_comment::Entity::update_many()
                    .col_expr(issue_comment::Column::Reactions, counts)
                    .filter(issue_comment::COLUMN.id.eq(id))
                    .exec(transaction)
                    .await?;
            }
            Self::OfReview(id) => {
                review_comment::Entity::update_many()
                    .col_expr(review_comment::Column::Reactions, counts)
                    .filter(review_comment::COLUMN.id.eq(id))
                    .exec(transaction)
                    .await?;
            }
        }
        Ok(())
    }
}

/// A page of the reactions to a comment, oldest first.
pub async fn page(
    connection: &Connection,
    comment: Comment,
    content: Option<Content>,
    page: Page,
) -> Result<Vec<reaction::Model>, DbErr> {
    let mut query = comment.reactions();
    if let Some(content) = content {
        query = query.filter(reaction::Column::Content.eq(content));
    }
    query
        .order_by_asc(reaction::Column::Id)
        .offset(page.skipped())
        .limit(page.per_page)
        .all(connection)
        .await
}

/// The outcome of adding a reaction.
#[derive(Debug)]
pub enum Reacted {
    Now(reaction::Model),
    Before(reaction::Model),
}

/// Adds a reaction, unless its author has already added it. None if the comment was deleted.
pub async fn add(
    transaction: &Connection,
    comment: Comment,
    author: i64,
    content: Content,
    now: i64,
) -> Result<Option<Reacted>, DbErr> {
    let Some(mut counts) = comment.lock(transaction).await? else {
        return Ok(None);
    };
    let existing = comment
        .reactions()
        .filter(reaction::COLUMN.user_id.eq(author))
        .filter(reaction::Column::Content.eq(content))
        .one(transaction)
        .await?;
    if let Some(row) = existing {
        return Ok(Some(Reacted::Before(row)));
    }
    let (issue_comment, review_comment) = match comment {
        Comment::OfIssue(id) => (Some(id), None),
        Comment::OfReview(id) => (None, Some(id)),
    };
    let row = reaction::ActiveModel {
        issue_comment_id: Set(issue_comment),
        review_comment_id: Set(review_comment),
        user_id: Set(Some(author)),
        content: Set(content),
        created_at: Set(now),
        ..Default::default()
    };
    let row = row.insert(transaction).await?;
    counts.add(content);
    comment.count(transaction, &counts).await?;
    Ok(Some(Reacted::Now(row)))
}

/// The reaction to a comment with this id.
pub async fn find(
    connection: &Connection,
    comment: Comment,
    id: i64,
) -> Result<Option<reaction::Model>, DbErr> {
    let by_id = reaction::COLUMN.id.eq(id);
    comment.reactions().filter(by_id).one(connection).await
}

/// Removes a reaction; false if it was already removed.
pub async fn remove(
    transaction: &Connection,
    comment: Comment,
    row: &reaction::Model,
) -> Result<bool, DbErr> {
    let Some(mut counts) = comment.lock(transaction).await? else {
        return Ok(false);
    };
    let deleted = reaction::Entity::delete_by_id(row.id);
    if deleted.exec(transaction).await?.rows_affected == 0 {
        return Ok(false);
    }
    counts.subtract(row.content);
    comment.count(transaction, &counts).await?;
    Ok(true)
}
