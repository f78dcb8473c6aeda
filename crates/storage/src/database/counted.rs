//! Pages of long lists whose length is stored (`migration::counts`). The ids of a page are read
//! from a covering index, from the nearer end of the list.
//!
//! If the list excludes rows before some time, the others are counted in an index. If it is sorted
//! by another column, the query scans every row before the page.

use migration::counts::CountedTable;
use sea_orm::sea_query::{Asterisk, Expr, ExprTrait, Order, Query, SelectStatement};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IdenStatic, QueryFilter, QueryResult,
    QuerySelect, QueryTrait, Select, Statement,
};

use super::Connection;
use super::window::{SortedIds, Window};
use contract::paging::{Length, Page};

/// If less than this fraction of the rows (one in 16) is listed, sorting those is cheaper than
/// filtering the sorted list.
const FEW: u64 = 16;

/// Up to this number, the rows that match a filter are counted and sorted for each page. If there
/// are more, the page is read from the sorted list, and they are not counted.
const COUNTED: u64 = 5_000;

/// An offset beyond every list that does not overflow in the databases.
const BEYOND: u64 = 1 << 62;

/// A list of rows in one order; ids break ties.
#[derive(Debug, Clone, Copy)]
pub struct CountedList<E: EntityTrait> {
    pub table: &'static CountedTable,
    /// The column and the id of the owner of the list.
    pub owner: (E::Column, i64),
    /// The listed states; None lists all.
    pub states: Option<States<E>>,
    /// The sort column.
    pub key: E::Column,
    pub id: E::Column,
}

/// The listed states of a list.
#[derive(Debug, Clone, Copy)]
pub struct States<E: EntityTrait> {
    pub column: E::Column,
    pub listed: &'static [&'static str],
    /// Whether an index has the rows of these states in order, without rows of other states.
    pub indexed: bool,
}

impl<E: EntityTrait> CountedList<E> {
    /// The number of rows.
    pub async fn total(&self, connection: &Connection) -> Result<u64, DbErr> {
        let (column, owner) = self.owner;
        let states = self.states.map(|states| states.listed);
        let lists = self.table.lists(column.as_str(), states);
        let sql = format!(
            "SELECT CAST(COALESCE(SUM(length), 0) AS BIGINT) AS found
             FROM list_length WHERE list IN ('{}') AND owner_id = $1",
            lists.join("', '")
        );
        let backend = connection.get_database_backend();
        let statement = Statement::from_sql_and_values(backend, sql, [owner.into()]);
        found(connection.query_one_raw(statement).await?)
    }

    /// The ids of all rows of the list.
    pub fn all(&self) -> SortedIds<E> {
        let (column, owner) = self.owner;
        let mut ids = E::find().select_only().column(self.id);
        ids = ids.filter(column.eq(owner));
        if let Some(States { column, listed, .. }) = self.states {
            ids = ids.filter(match listed {
                [state] => column.eq(*state),
                states => column.is_in(states.iter().copied()),
            });
        }
        SortedIds {
            ids,
            key: (self.key.as_str() != self.id.as_str()).then_some(self.key),
            id: self.id,
        }
    }

    /// The query for the ids of a page, and the length of the list. `since` excludes rows whose
    /// column has no later time.
    pub async fn page(
        &self,
        connection: &Connection,
        page: Page,
        order: &Order,
        since: Option<(E::Column, i64)>,
    ) -> Result<(Option<Select<E>>, u64), DbErr> {
        let whole = self.total(connection).await?;
        let all = self.all();
        let Some((column, time)) = since else {
            let rare = self.is_rare(connection, whole).await?;
            let ids = Window::of(page, whole).map(|window| match rare {
                true => all.sorted(window, order),
                false => all.walked(window, order),
            });
            return Ok((ids, whole));
        };
        let recent = all.clone().filtered(column.gt(time));
        let total = count(connection, recent.ids.clone().into_query()).await?;
        let ids = Window::of(page, total).map(|window| {
            if column.as_str() == self.key.as_str() {
                recent.walked(window, order)
            } else if total < whole / FEW {
                recent.sorted(window, order)
            } else {
                // Adding 0 keeps the database from choosing an index by the column.
                let recent = Expr::col(column).add(0).gt(time);
                all.filtered(recent).walked(window, order)
            }
        });
        Ok((ids, total))
    }

    /// Whether few rows have the listed states, and no index has them in order. `total` is the
    /// length of the list.
    async fn is_rare(&self, connection: &Connection, total: u64) -> Result<bool, DbErr> {
        if self.states.is_none_or(|states| states.indexed) {
            return Ok(false);
        }
        let every = Self {
            states: None,
            ..*self
        };
        Ok(total < every.total(connection).await? / FEW)
    }

    /// The rows with the ids that a query returns, in order.
    pub async fn rows<Key: Ord>(
        &self,
        connection: &Connection,
        ids: Option<Select<E>>,
        order: &Order,
        key: impl Fn(&E::Model) -> Key,
    ) -> Result<Vec<E::Model>, DbErr> {
        let Some(ids) = ids else {
            return Ok(Vec::new());
        };
        let rows = E::find().filter(self.id.in_subquery(ids.into_query()));
        let mut rows = rows.all(connection).await?;
        rows.sort_unstable_by_key(key);
        if *order == Order::Desc {
            rows.reverse();
        }
        Ok(rows)
    }

    /// The query for the ids of a page of a filtered list, and the length of that list. If few
    /// rows match, they are counted and sorted. Otherwise the query scans the list until the page
    /// is full. `few` and `many` return the same ids: `few` starts from the filter, `many` filters
    /// the sorted list.
    pub async fn filtered(
        &self,
        connection: &Connection,
        page: Page,
        order: &Order,
        (few, many): (Select<E>, Select<E>),
    ) -> Result<(Option<Select<E>>, Length), DbErr> {
        let counted_rows = few.clone().limit(COUNTED + 1).into_query();
        let matches = count(connection, counted_rows).await?;
        if matches <= COUNTED {
            let window = Window::of(page, matches);
            let few = SortedIds {
                ids: few,
                ..self.all()
            };
            let ids = window.map(|window| few.sorted(window, order));
            return Ok((ids, Length::Counted(matches)));
        }
        let many = SortedIds {
            ids: many,
            ..self.all()
        };
        let before = std::cmp::min(page.skipped(), BEYOND);
        let end = before + page.per_page;
        let next = many.clone().slice(order.clone(), end, 1);
        let goes_on = next.into_tuple::<i64>().one(connection).await?.is_some();
        let ids = many.slice(order.clone(), before, page.per_page);
        Ok((Some(ids), Length::Uncounted { goes_on }))
    }
}

/// The number of rows that a query returns.
async fn count(connection: &Connection, rows: SelectStatement) -> Result<u64, DbErr> {
    let count = Query::select()
        .expr_as(Expr::col(Asterisk).count(), "found")
        .from_subquery(rows, "some")
        .to_owned();
    found(connection.query_one(&count).await?)
}

/// The number that a query has found.
fn found(row: Option<QueryResult>) -> Result<u64, DbErr> {
    let found = row.map(|row| row.try_get::<i64>("", "found")).transpose()?;
    Ok(found
        .and_then(|found| u64::try_from(found).ok())
        .unwrap_or(0))
}
