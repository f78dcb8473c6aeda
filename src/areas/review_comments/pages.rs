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

use sea_orm::sea_query::{Expr, ExprTrait, Order};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait, Select,
};

use crate::contract::paging::Page;
use crate::contract::review_comments::{CommentList, Direction, SortKey};
use crate::entities::comment_count::List;
use crate::entities::review_comment::{Column, Entity, Model};

/// A page with no more comments before it than this is walked to without help,
/// from the end at which its list begins.
const NEAR: u64 = 1000;

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
    let comments = match (CommentWindow::of(asked.page, total), asked.since) {
        (None, _) => Vec::new(),
        (Some(window), Some(since)) if excluded > 0 && asked.sort != Some(SortKey::Updated) => {
            let few = total < whole / FEW;
            let ids = ordered.ids_since(window, &order, since.0, few);
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

/// The comments of a page, and how many come before and after them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CommentWindow {
    before: u64,
    count: u64,
    after: u64,
}

impl CommentWindow {
    /// None beyond the end of the list.
    fn of(page: Page, total: u64) -> Option<Self> {
        let before = page.skipped();
        let rest = total.checked_sub(before).filter(|rest| *rest > 0)?;
        let count = std::cmp::min(rest, page.per_page);
        let after = rest - count;
        Some(Self {
            before,
            count,
            after,
        })
    }

    /// The same comments in the list that also has the oldest ones.
    fn with_excluded(mut self, excluded: u64, order: &Order) -> Self {
        match order {
            Order::Desc => self.after += excluded,
            _ => self.before += excluded,
        }
        self
    }

    /// The order in which to walk to the page, and how many comments to skip.
    fn walk(self, order: &Order) -> (Order, u64) {
        match order {
            _ if self.before < NEAR || self.before <= self.after => (order.clone(), self.before),
            Order::Desc => (Order::Asc, self.after),
            _ => (Order::Desc, self.after),
        }
    }
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

    fn sorted(self, rows: Select<Entity>, order: Order) -> Select<Entity> {
        let rows = rows.order_by(self.key, order.clone());
        match self.key {
            Column::Id => rows,
            _ => rows.order_by(Column::Id, order),
        }
    }

    /// The ids of all comments of the list.
    fn all_ids(self) -> Select<Entity> {
        let (column, owner) = self.owner();
        let ids = Entity::find().select_only().column(Column::Id);
        ids.filter(column.eq(owner))
    }

    /// The query for the ids of a page.
    async fn ids(
        self,
        connection: &impl ConnectionTrait,
        window: CommentWindow,
        order: &Order,
    ) -> Result<Select<Entity>, DbErr> {
        let (order, mut skip) = window.walk(order);
        let mut ids = self.all_ids();
        if skip >= NEAR
            && let Some(bucket) = counts::bucket_at(connection, self, &order, skip).await?
        {
            let bits = self.list().bucket_bits();
            ids = ids.filter(match order {
                Order::Desc => self.key.lt((bucket.number + 1) << bits),
                _ => self.key.gte(bucket.number << bits),
            });
            skip -= bucket.before;
        }
        let ids = self.sorted(ids, order);
        Ok(ids.offset(skip).limit(window.count))
    }

    /// The same of those updated after a moment, in another order. Adding 0 to a
    /// column keeps the database from using it to choose an index.
    fn ids_since(
        self,
        window: CommentWindow,
        order: &Order,
        since: i64,
        few: bool,
    ) -> Select<Entity> {
        let (order, skip) = window.walk(order);
        let ids = self.all_ids();
        let ids = if few {
            ids.filter(Column::UpdatedAt.gt(since))
                .order_by(Expr::col(self.key).add(0), order.clone())
                .order_by(Column::Id, order)
        } else {
            let updated = Expr::col(Column::UpdatedAt).add(0).gt(since);
            self.sorted(ids.filter(updated), order)
        };
        ids.offset(skip).limit(window.count)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn window(number: u64, per_page: u64, total: u64) -> Option<(u64, u64, u64)> {
        let page = Page { per_page, number };
        let window = CommentWindow::of(page, total);
        window.map(|window| (window.before, window.count, window.after))
    }

    #[test]
    fn a_window_ends_with_its_list() {
        assert_eq!(window(1, 3, 10), Some((0, 3, 7)));
        assert_eq!(window(4, 3, 10), Some((9, 1, 0)));
        assert_eq!(window(5, 3, 10), None);
        assert_eq!(window(1, 3, 0), None);
        assert_eq!(window(u64::MAX, 100, 10), None);
    }

    #[test]
    fn a_deep_page_is_walked_to_from_the_nearer_end() {
        let walk = |before, after, order: Order| {
            let count = 100;
            let window = CommentWindow {
                before,
                count,
                after,
            };
            window.walk(&order)
        };
        assert_eq!(walk(NEAR - 1, 0, Order::Asc), (Order::Asc, NEAR - 1));
        assert_eq!(walk(5000, 9000, Order::Asc), (Order::Asc, 5000));
        assert_eq!(walk(9000, 5000, Order::Asc), (Order::Desc, 5000));
        assert_eq!(walk(9000, 5000, Order::Desc), (Order::Asc, 5000));
    }
}
