//! Pages of the lists of comments, and how long the lists are.
//!
//! A covering index gives the ids of a page, walked from the nearer end of the
//! list; then the rows are fetched by id. A deep page does not walk all the way:
//! the maintained counts (`entities/comment_count.rs`) name the bucket that holds
//! it, and the walk starts at the edge of that bucket.
//!
//! The counts cannot help `since` with another order than by update. Then every
//! comment on the way is looked at, in a covering index.

mod counts;

use sea_orm::sea_query::Order;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait, Select,
};

use crate::contract::review_comments::{CommentList, Direction, SortKey};
use crate::database::window::{NEAR, SortedIds, Window};
use crate::entities::comment_count::List;
use crate::entities::review_comment::{Column, Entity, Model};

/// If fewer than one comment in so many was updated since a moment, sorting them
/// is cheaper than picking them out of the sorted list.
const FEW: u64 = 16;

/// Whose comments are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Repository(i64),
    Pull(i64),
}

/// A page, and how many comments the whole list has.
#[derive(Debug)]
pub struct ListedComments {
    pub comments: Vec<Model>,
    pub total: u64,
}

/// A list and its sort key. Ids break ties.
#[derive(Debug, Clone, Copy)]
struct Ordered {
    scope: Scope,
    key: Column,
}

pub async fn list(
    connection: &impl ConnectionTrait,
    scope: Scope,
    asked: CommentList,
) -> Result<ListedComments, DbErr> {
    let key = match asked.sort {
        None => Column::Id,
        Some(SortKey::Created) => Column::CreatedAt,
        Some(SortKey::Updated) => Column::UpdatedAt,
    };
    let ordered = Ordered { scope, key };
    // Without `sort` the direction does not count (Spec, List query parameters).
    let order = match asked.direction {
        Some(Direction::Descending) if asked.sort.is_some() => Order::Desc,
        _ => Order::Asc,
    };
    let whole = counts::total(connection, scope).await?;
    let excluded = match asked.since {
        None => 0,
        Some(since) => {
            let key = Column::UpdatedAt;
            counts::up_to(connection, Ordered { scope, key }, since.0).await?
        }
    };
    let total = whole.saturating_sub(excluded);
    let comments = match (Window::of(asked.page, total), asked.since) {
        (None, _) => Vec::new(),
        (Some(window), Some(since)) if excluded > 0 && asked.sort != Some(SortKey::Updated) => {
            let few = total < whole / FEW;
            let updated = (Column::UpdatedAt, since.0);
            let ids = ordered.all_ids().beyond(window, &order, updated, few);
            ordered.rows(connection, ids, order).await?
        }
        (Some(window), _) => {
            let window = window.with_excluded(excluded, &order);
            let ids = ordered.ids(connection, window, &order).await?;
            ordered.rows(connection, ids, order).await?
        }
    };
    Ok(ListedComments { comments, total })
}

impl Ordered {
    fn list(self) -> List {
        match (self.scope, self.key) {
            (Scope::Repository(_), Column::CreatedAt) => List::RepositoryByCreated,
            (Scope::Repository(_), Column::UpdatedAt) => List::RepositoryByUpdated,
            (Scope::Repository(_), _) => List::RepositoryById,
            (Scope::Pull(_), Column::CreatedAt) => List::PullByCreated,
            (Scope::Pull(_), Column::UpdatedAt) => List::PullByUpdated,
            (Scope::Pull(_), _) => List::PullById,
        }
    }

    fn owner(self) -> (Column, i64) {
        match self.scope {
            Scope::Repository(id) => (Column::RepositoryId, id),
            Scope::Pull(id) => (Column::PullId, id),
        }
    }

    /// The ids of all comments of the list.
    fn all_ids(self) -> SortedIds<Entity> {
        let (column, owner) = self.owner();
        let ids = Entity::find().select_only().column(Column::Id);
        SortedIds {
            ids: ids.filter(column.eq(owner)),
            key: match self.key {
                Column::Id => None,
                key => Some(key),
            },
            id: Column::Id,
        }
    }

    /// The query for the ids of a page.
    async fn ids(
        self,
        connection: &impl ConnectionTrait,
        window: Window,
        order: &Order,
    ) -> Result<Select<Entity>, DbErr> {
        let (order, mut skip) = window.walk(order);
        let mut all = self.all_ids();
        if skip >= NEAR
            && let Some(bucket) = counts::bucket_at(connection, self, &order, skip).await?
        {
            let bits = self.list().bucket_bits();
            all.ids = all.ids.filter(match order {
                Order::Desc => self.key.lt((bucket.number + 1) << bits),
                _ => self.key.gte(bucket.number << bits),
            });
            skip -= bucket.before;
        }
        Ok(all.slice(order, skip, window.count))
    }

    /// The comments with the ids that a query gives, in order.
    async fn rows(
        self,
        connection: &impl ConnectionTrait,
        ids: Select<Entity>,
        order: Order,
    ) -> Result<Vec<Model>, DbErr> {
        let rows = Entity::find().filter(Column::Id.in_subquery(ids.into_query()));
        let mut rows = rows.all(connection).await?;
        rows.sort_unstable_by_key(|row| match self.key {
            Column::CreatedAt => (row.created_at, row.id),
            Column::UpdatedAt => (row.updated_at, row.id),
            _ => (row.id, row.id),
        });
        if order == Order::Desc {
            rows.reverse();
        }
        Ok(rows)
    }
}
