//! The rows of reviews, of their comments, and of their notifications.

use std::collections::BTreeMap;

use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, PaginatorTrait,
    QueryFilter, QueryOrder, QuerySelect, Set,
};

use crate::views::markdown::Text;
use contract::paging::Page;
use storage::database::Connection;
use storage::entities::notification::{self, Reason};
use storage::entities::review::{self, Column, Entity, Model, ReviewState};
use storage::entities::{pending_review_comment, review_comment};

/// Notifications that one statement inserts.
const NOTIFICATIONS: usize = 1000;

/// Rows of a page, and how many the whole list has.
pub struct RowPage<T> {
    pub rows: Vec<T>,
    pub total: u64,
}

pub async fn review(connection: &Connection, pull: i64, id: i64) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(id)
        .filter(review::COLUMN.pull_id.eq(pull))
        .one(connection)
        .await
}

/// The pending review of an author. The literal is needed: the partial index of pending
/// reviews does not match a bound parameter.
pub async fn pending_of(
    connection: &Connection,
    pull: i64,
    author: i64,
) -> Result<Option<Model>, DbErr> {
    Entity::find()
        .filter(review::COLUMN.pull_id.eq(pull))
        .filter(review::COLUMN.author_id.eq(author))
        .filter(Expr::cust("state = 'PENDING'"))
        .one(connection)
        .await
}

/// The submitted reviews of a pull request, and after them the caller's pending one.
pub async fn list(
    connection: &Connection,
    pull: i64,
    caller: Option<i64>,
    page: Page,
) -> Result<RowPage<Model>, DbErr> {
    let submitted = Entity::find()
        .filter(review::COLUMN.pull_id.eq(pull))
        .filter(review::COLUMN.state.ne(ReviewState::Pending));
    let mut total = submitted.clone().count(connection).await?;
    let mut rows = Vec::new();
    if page.skipped() < total {
        rows = submitted
            .order_by_asc(Column::SubmittedAt)
            .order_by_asc(Column::Id)
            .offset(page.skipped())
            .limit(page.per_page)
            .all(connection)
            .await?;
    }
    if let Some(caller) = caller
        && let Some(pending) = pending_of(connection, pull, caller).await?
    {
        let end = page.skipped().saturating_add(page.per_page);
        if page.skipped() <= total && total < end {
            rows.push(pending);
        }
        total += 1;
    }
    Ok(RowPage { rows, total })
}

/// The comments of a submitted review.
pub async fn comments(
    connection: &Connection,
    review: i64,
    page: Page,
) -> Result<RowPage<review_comment::Model>, DbErr> {
    let all = review_comment::Entity::find().filter(review_comment::COLUMN.review_id.eq(review));
    let total = all.clone().count(connection).await?;
    let page = all
        .order_by_asc(review_comment::Column::Id)
        .offset(page.skipped().min(total))
        .limit(page.per_page);
    let rows = page.all(connection).await?;
    Ok(RowPage { rows, total })
}

/// The comments of a pending review, which has few.
pub async fn pending_comments(
    connection: &Connection,
    review: i64,
) -> Result<Vec<pending_review_comment::Model>, DbErr> {
    pending_review_comment::Entity::find()
        .filter(pending_review_comment::COLUMN.review_id.eq(review))
        .order_by_asc(pending_review_comment::Column::Id)
        .all(connection)
        .await
}

/// A review to insert.
pub struct NewReview<'a> {
    pub pull: i64,
    pub author: i64,
    pub state: ReviewState,
    pub commit: &'a str,
    pub text: &'a Text,
    pub now: i64,
}

pub async fn insert(transaction: &Connection, new: &NewReview<'_>) -> Result<Model, DbErr> {
    let mut row = Model {
        id: 0,
        pull_id: new.pull,
        author_id: Some(new.author),
        state: new.state,
        commit_sha: new.commit.to_owned(),
        submitted_at: new.now,
        body: new.text.body.clone(),
        body_html: new.text.rendered.html.clone(),
        body_text: new.text.rendered.text.clone(),
        dismissal_message: None,
    };
    let inserted = review::ActiveModel {
        id: sea_orm::NotSet,
        ..row.clone().into_active_model().reset_all()
    };
    let inserted = Entity::insert(inserted).exec(transaction).await?;
    row.id = inserted.last_insert_id;
    Ok(row)
}

/// Writes a review whose state or text has changed.
pub async fn update(transaction: &Connection, row: &Model) -> Result<(), DbErr> {
    Entity::update_many()
        .col_expr(Column::State, Expr::value(row.state))
        .col_expr(Column::SubmittedAt, Expr::value(row.submitted_at))
        .col_expr(Column::Body, Expr::value(row.body.as_str()))
        .col_expr(Column::BodyHtml, Expr::value(row.body_html.as_str()))
        .col_expr(Column::BodyText, Expr::value(row.body_text.as_str()))
        .col_expr(
            Column::DismissalMessage,
            Expr::value(row.dismissal_message.clone()),
        )
        .filter(review::COLUMN.id.eq(row.id))
        .exec(transaction)
        .await?;
    Ok(())
}

/// Deletes a review with its comments.
pub async fn delete(transaction: &Connection, id: i64) -> Result<(), DbErr> {
    Entity::delete_by_id(id).exec(transaction).await?;
    Ok(())
}

pub async fn insert_comments(
    transaction: &Connection,
    comments: &[review_comment::Model],
) -> Result<(), DbErr> {
    if comments.is_empty() {
        return Ok(());
    }
    let rows = comments
        .iter()
        .map(|comment| comment.clone().into_active_model().reset_all());
    review_comment::Entity::insert_many(rows)
        .exec_without_returning(transaction)
        .await?;
    Ok(())
}

pub async fn delete_pending_comments(transaction: &Connection, review: i64) -> Result<(), DbErr> {
    pending_review_comment::Entity::delete_many()
        .filter(pending_review_comment::COLUMN.review_id.eq(review))
        .exec(transaction)
        .await?;
    Ok(())
}

/// Queues the notifications of comments. `recipients` has those of each comment.
pub async fn insert_notifications(
    transaction: &Connection,
    comments: &[review_comment::Model],
    recipients: &[BTreeMap<i64, Reason>],
    now: i64,
) -> Result<(), DbErr> {
    let rows: Vec<notification::ActiveModel> = comments
        .iter()
        .zip(recipients)
        .flat_map(|(comment, recipients)| {
            let row = |(recipient, reason): (&i64, &Reason)| notification::ActiveModel {
                recipient_id: Set(*recipient),
                pull_id: Set(comment.pull_id),
                comment_id: Set(comment.id),
                reason: Set(*reason),
                created_at: Set(now),
                ..Default::default()
            };
            recipients.iter().map(row)
        })
        .collect();
    for rows in rows.chunks(NOTIFICATIONS) {
        notification::Entity::insert_many(rows.to_vec())
            .exec_without_returning(transaction)
            .await?;
    }
    Ok(())
}
