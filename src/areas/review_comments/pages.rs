//! A page of a long list, without walking to it. The database counts comments in
//! stretches, and in sections of many stretches (`entities/comment_block.rs`): the
//! stretch that holds the first comment of the page is found by adding up a few
//! numbers, and what is read from there is at most a stretch and a page. So the
//! thirty-thousandth page costs about as much as the first, and the length of the
//! list is known. A page near the end from which its list is read is walked to.
//!
//! The one exception is `since` in an order other than by update: then as much is
//! looked at, in the index alone, as there is to list.

mod stretches;

use sea_orm::sea_query::{Expr, ExprTrait, Order};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, Select, Statement,
};

use self::stretches::{Place, Stretch};
use crate::contract::paging::Page;
use crate::contract::review_comments::{CommentList, Direction, SortKey};
use crate::entities::comment_block::List;
use crate::entities::review_comment::{Column, Entity, Model};

/// Comments that are walked over rather than looked for; about as many as in a
/// stretch.
const NEAR: u64 = 1000;

/// Whose comments are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Repository(i64),
    Pull(i64),
}

/// A page, and how many comments the whole list has.
#[derive(Debug)]
pub struct Listed {
    pub comments: Vec<Model>,
    pub total: u64,
}

/// One list in one order.
#[derive(Debug, Clone, Copy)]
struct Ordered {
    scope: Scope,
    key: Column,
}

pub async fn list(
    connection: &impl ConnectionTrait,
    scope: Scope,
    asked: CommentList,
) -> Result<Listed, DbErr> {
    let key = match asked.sort {
        None => Column::Id,
        Some(SortKey::Created) => Column::CreatedAt,
        Some(SortKey::Updated) => Column::UpdatedAt,
    };
    let ordered = Ordered { scope, key };
    // Without `sort` the direction does not count (Spec, List query parameters).
    let falling = asked.sort.is_some() && asked.direction == Some(Direction::Descending);
    let whole = stretches::length(connection, ordered.list(), ordered.owner().1).await?;
    let skipped = match asked.since {
        None => 0,
        Some(since) => {
            let by_update = Ordered {
                key: Column::UpdatedAt,
                ..ordered
            };
            by_update.up_to(connection, since.0).await?
        }
    };
    let total = whole.saturating_sub(skipped);
    let Some((offset, count)) = window(asked.page, total, falling) else {
        let comments = Vec::new();
        return Ok(Listed { comments, total });
    };
    let mut comments = match asked.since {
        Some(since) if skipped > 0 && asked.sort != Some(SortKey::Updated) => {
            ordered
                .slice_since(connection, since.0, offset, count)
                .await?
        }
        _ if falling && asked.page.skipped() < NEAR => {
            let from_end = asked.page.skipped();
            let comments = ordered.ending(connection, from_end, count).await?;
            return Ok(Listed { comments, total });
        }
        _ => ordered.slice(connection, skipped + offset, count).await?,
    };
    if falling {
        comments.reverse();
    }
    Ok(Listed { comments, total })
}

/// The part of a rising list that a page shows: where it begins, and how much.
fn window(page: Page, total: u64, falling: bool) -> Option<(u64, u64)> {
    let before = page.skipped();
    let rest = total.checked_sub(before).filter(|rest| *rest > 0)?;
    let count = std::cmp::min(rest, page.per_page);
    Some(if falling {
        (rest - count, count)
    } else {
        (before, count)
    })
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

    fn rows(self) -> Select<Entity> {
        let (column, id) = self.owner();
        Entity::find().filter(column.eq(id))
    }

    fn sorted(self, rows: Select<Entity>, order: Order) -> Select<Entity> {
        let rows = rows.order_by(self.key, order.clone());
        match self.key {
            Column::Id => rows,
            _ => rows.order_by(Column::Id, order),
        }
    }

    /// How many comments there are up to a moment, in a list by time.
    async fn up_to(self, connection: &impl ConnectionTrait, moment: i64) -> Result<u64, DbErr> {
        let Some(stretch) = self.stretch(connection, Place::Key(moment)).await? else {
            return Ok(0);
        };
        let within = self
            .rows()
            .filter(self.from(&stretch))
            .filter(self.key.lte(moment))
            .count(connection)
            .await?;
        Ok(stretch.before + within)
    }

    /// A part of the rising list.
    async fn slice(
        self,
        connection: &impl ConnectionTrait,
        offset: u64,
        count: u64,
    ) -> Result<Vec<Model>, DbErr> {
        let mut rows = self.rows();
        let mut left = offset;
        if offset >= NEAR {
            let Some(stretch) = self.stretch(connection, Place::Before(offset)).await? else {
                return Ok(Vec::new());
            };
            rows = rows.filter(self.from(&stretch));
            left -= stretch.before;
        }
        self.sorted(rows, Order::Asc)
            .offset(left)
            .limit(count)
            .all(connection)
            .await
    }

    /// A part of the falling list.
    async fn ending(
        self,
        connection: &impl ConnectionTrait,
        offset: u64,
        count: u64,
    ) -> Result<Vec<Model>, DbErr> {
        self.sorted(self.rows(), Order::Desc)
            .offset(offset)
            .limit(count)
            .all(connection)
            .await
    }

    /// A part of the rising list of what was updated after a moment, in another
    /// order. The ids are chosen first, in the index by update: either database
    /// would otherwise walk the list from its beginning.
    async fn slice_since(
        self,
        connection: &impl ConnectionTrait,
        moment: i64,
        offset: u64,
        count: u64,
    ) -> Result<Vec<Model>, DbErr> {
        let (column, owner) = self.owner();
        let column = match column {
            Column::PullId => "pull_id",
            _ => "repository_id",
        };
        let order = match self.key {
            Column::CreatedAt => "created_at, id",
            _ => "id",
        };
        let sql = format!(
            "WITH updated AS MATERIALIZED (
                 SELECT id, created_at FROM review_comment
                 WHERE {column} = $1 AND updated_at > $2
             ) SELECT id FROM updated ORDER BY {order} LIMIT $3 OFFSET $4"
        );
        let backend = connection.get_database_backend();
        let [count, offset] = [count, offset].map(|n| i64::try_from(n).unwrap_or(i64::MAX));
        let values = [owner, moment, count, offset].map(Into::into);
        let rows = connection
            .query_all_raw(Statement::from_sql_and_values(backend, sql, values))
            .await?;
        let ids: Vec<i64> = rows
            .iter()
            .map(|row| row.try_get("", "id"))
            .collect::<Result<_, _>>()?;
        self.sorted(Entity::find().filter(Column::Id.is_in(ids)), Order::Asc)
            .all(connection)
            .await
    }

    /// The comments from where a stretch begins.
    fn from(self, stretch: &Stretch) -> sea_orm::sea_query::SimpleExpr {
        if matches!(self.key, Column::Id) {
            return self.key.gte(stretch.first_key);
        }
        Expr::tuple([Expr::col(self.key), Expr::col(Column::Id)]).gte(Expr::tuple([
            Expr::value(stretch.first_key),
            Expr::value(stretch.first_id),
        ]))
    }

    async fn stretch(
        self,
        connection: &impl ConnectionTrait,
        place: Place,
    ) -> Result<Option<Stretch>, DbErr> {
        stretches::last(connection, self.list(), self.owner().1, place).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(number: u64, per_page: u64) -> Page {
        Page { per_page, number }
    }

    #[test]
    fn a_page_of_a_falling_list_is_counted_from_the_end() {
        assert_eq!(window(page(1, 3), 10, false), Some((0, 3)));
        assert_eq!(window(page(1, 3), 10, true), Some((7, 3)));
        assert_eq!(window(page(4, 3), 10, false), Some((9, 1)));
        assert_eq!(window(page(4, 3), 10, true), Some((0, 1)));
        assert_eq!(window(page(5, 3), 10, true), None);
        assert_eq!(window(page(1, 3), 0, false), None);
        assert_eq!(window(page(u64::MAX, 100), 10, false), None);
    }
}
