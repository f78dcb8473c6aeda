//! Pages of the lists of comments, and how long the lists are.
//!
//! A covering index gives the ids of a page, walked from the nearer end of the list; then the
//! rows are fetched by id. Each issue knows how many comments it has.

use sea_orm::sea_query::{Expr, ExprTrait, Func, Order};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QuerySelect,
    QueryTrait, Select,
};

use crate::contract::review_comments::{CommentList, Direction, SortKey};
use crate::database::window::{SortedIds, Window};
use crate::entities::issue;
use crate::entities::issue_comment::{Column, Entity, Model};

/// If fewer than one comment in so many was updated since a moment, sorting them is cheaper
/// than picking them out of the sorted list.
const FEW: u64 = 16;

/// Whose comments are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Repository(i64),
    /// With the number of its comments.
    Issue(i64, u64),
}

/// A page, and how many comments the whole list has.
#[derive(Debug)]
pub struct ListedComments {
    pub comments: Vec<Model>,
    pub total: u64,
}

pub async fn list(
    connection: &impl ConnectionTrait,
    scope: Scope,
    asked: CommentList,
) -> Result<ListedComments, DbErr> {
    // Without `sort` the direction does not count.
    let order = match asked.direction {
        Some(Direction::Descending) if asked.sort.is_some() => Order::Desc,
        _ => Order::Asc,
    };
    let whole = scope.total(connection).await?;
    let total = match asked.since {
        None => whole,
        Some(since) => {
            let all = scope.sorted(None).ids;
            let updated = all.filter(Column::UpdatedAt.gt(since.0));
            updated.count(connection).await?
        }
    };
    let Some(window) = Window::of(asked.page, total) else {
        let comments = Vec::new();
        return Ok(ListedComments { comments, total });
    };
    let mut all = scope.sorted(asked.sort);
    let ids = match (asked.since, asked.sort) {
        (Some(since), sort) if total < whole && sort != Some(SortKey::Updated) => {
            let few = total < whole / FEW;
            all.beyond(window, &order, (Column::UpdatedAt, since.0), few)
        }
        (since, _) => {
            let (order, skip) = window.walk(&order);
            if let Some(since) = since.filter(|_| total < whole) {
                all.ids = all.ids.filter(Column::UpdatedAt.gt(since.0));
            }
            all.slice(order, skip, window.count)
        }
    };
    let comments = rows(connection, ids, asked.sort, order).await?;
    Ok(ListedComments { comments, total })
}

impl Scope {
    fn comments(self) -> Select<Entity> {
        Entity::find().filter(match self {
            Self::Repository(id) => Column::RepositoryId.eq(id),
            Self::Issue(id, _) => Column::IssueId.eq(id),
        })
    }

    fn sorted(self, sort: Option<SortKey>) -> SortedIds<Entity> {
        SortedIds {
            ids: self.comments().select_only().column(Column::Id),
            key: sort.map(|sort| match sort {
                SortKey::Created => Column::CreatedAt,
                SortKey::Updated => Column::UpdatedAt,
            }),
            id: Column::Id,
        }
    }

    async fn total(self, connection: &impl ConnectionTrait) -> Result<u64, DbErr> {
        let repository = match self {
            Self::Issue(_, comments) => return Ok(comments),
            Self::Repository(id) => id,
        };
        let sum = Func::sum(Expr::col(issue::Column::Comments)).cast_as("BIGINT");
        let sum: Option<Option<i64>> = issue::Entity::find()
            .select_only()
            .column_as(sum, "comments")
            .filter(issue::COLUMN.repository_id.eq(repository))
            .filter(issue::COLUMN.comments.gt(0))
            .into_tuple()
            .one(connection)
            .await?;
        Ok(u64::try_from(sum.flatten().unwrap_or(0)).unwrap_or(0))
    }
}

/// The comments with the ids that a query gives, in order.
async fn rows(
    connection: &impl ConnectionTrait,
    ids: Select<Entity>,
    sort: Option<SortKey>,
    order: Order,
) -> Result<Vec<Model>, DbErr> {
    let rows = Entity::find().filter(Column::Id.in_subquery(ids.into_query()));
    let mut rows = rows.all(connection).await?;
    rows.sort_unstable_by_key(|row| match sort {
        Some(SortKey::Created) => (row.created_at, row.id),
        Some(SortKey::Updated) => (row.updated_at, row.id),
        None => (row.id, row.id),
    });
    if order == Order::Desc {
        rows.reverse();
    }
    Ok(rows)
}
