//! The rows of comments and of the issues that they are on.

use std::collections::{BTreeSet, HashMap};

use migration::aggregates::Kind;
use sea_orm::sea_query::Expr;
use sea_orm::{Condition, DbErr, EntityTrait, QueryFilter, QuerySelect};

use crate::comments::pages;
use crate::issues::showing::IssueName;
use crate::views::markdown::Text;
use storage::database::{Connection, ReadSource};
use storage::entities::issue;
use storage::entities::issue_comment::{COLUMN, Column, Entity, Model};

pub async fn comment(
    connection: &Connection,
    repository: i64,
    id: i64,
) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(id)
        .filter(COLUMN.repository_id.eq(repository))
        .one(connection)
        .await
}

/// How often an author has written the same text on an issue since a time.
pub async fn repetitions(
    connection: &Connection,
    issue: i64,
    author: i64,
    body: &str,
    since: i64,
) -> Result<u64, DbErr> {
    let same = Condition::all()
        .add(COLUMN.issue_id.eq(issue))
        .add(COLUMN.body.eq(body));
    pages::repetitions::<Entity>(connection, author, since, same).await
}

/// Gives a comment a new text.
pub async fn rewrite(
    transaction: &Connection,
    row: &mut Model,
    text: &Text,
    now: i64,
) -> Result<(), DbErr> {
    row.body.clone_from(&text.body);
    row.body_html.clone_from(&text.rendered.html);
    row.body_text.clone_from(&text.rendered.text);
    row.updated_at = now;
    Entity::update_many()
        .col_expr(Column::Body, Expr::value(&row.body))
        .col_expr(Column::BodyHtml, Expr::value(&row.body_html))
        .col_expr(Column::BodyText, Expr::value(&row.body_text))
        .col_expr(Column::UpdatedAt, Expr::value(now))
        .filter(COLUMN.id.eq(row.id))
        .exec(transaction)
        .await?;
    Ok(())
}

pub async fn delete(transaction: &Connection, id: i64) -> Result<(), DbErr> {
    Entity::delete_by_id(id).exec(transaction).await?;
    Ok(())
}

/// The issue of a comment.
pub async fn issue_of(
    connection: &Connection,
    comment: &Model,
) -> Result<Option<issue::Model>, DbErr> {
    issue::Entity::find_by_id(comment.issue_id)
        .one(connection)
        .await
}

/// The number of each issue of comments, and whether it is a pull request.
pub async fn names(
    source: &impl ReadSource,
    comments: &[Model],
) -> Result<HashMap<i64, IssueName>, DbErr> {
    let ids: BTreeSet<i64> = comments.iter().map(|row| row.issue_id).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let aggregates: Vec<_> = ids.iter().map(|id| Kind::Issue.of(*id)).collect();
    let connection = source.reading(&aggregates).await;
    let rows: Vec<(i64, i64, Option<i64>)> = issue::Entity::find()
        .select_only()
        .columns([
            issue::Column::Id,
            issue::Column::Number,
            issue::Column::PullId,
        ])
        .filter(issue::COLUMN.id.is_in(ids))
        .into_tuple()
        .all(connection)
        .await?;
    let names = rows.into_iter().map(|(id, number, pull)| {
        let name = IssueName {
            number,
            is_pull: pull.is_some(),
        };
        (id, name)
    });
    Ok(names.collect())
}
