//! Pages of long lists whose rows are counted (`migration::counts`). A covering index gives the
//! ids of a page, walked from the nearer end of the list. A deep page does not walk all the way:
//! the counts name the bucket that holds it, and the walk starts at the edge of that bucket.
//!
//! The counts cannot help where rows before some time are left out and the order is by another
//! column. Then every row on the way is looked at, in a covering index.

use migration::counts::{Counts, List};
use sea_orm::sea_query::{Asterisk, Expr, ExprTrait, Order, Query, SelectStatement};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IdenStatic, QueryFilter, QueryResult,
    QuerySelect, QueryTrait, Select, Statement, Value,
};

use super::window::{NEAR, SortedIds, Window};
use crate::contract::paging::{Length, Page};

/// If fewer than one row in so many is listed, sorting those is cheaper than picking them out of
/// the sorted list.
const FEW: u64 = 16;

/// Rows that fit a filter, which are counted and sorted for each page. Where there are more, a
/// page is picked out of the sorted list, and nobody counts them.
const COUNTED: u64 = 5_000;

/// More rows than any list has, and few enough for the databases to count.
const BEYOND: u64 = 1 << 62;

/// A list of rows in one order; ids break ties.
#[derive(Debug, Clone, Copy)]
pub struct CountedList<E: EntityTrait> {
    pub counts: &'static Counts,
    /// Whose list it is.
    pub owner: (E::Column, i64),
    /// The states that its rows may have, where only some are listed.
    pub states: Option<States<E>>,
    /// By which it is sorted. Where that is not counted, a deep page is walked to.
    pub key: E::Column,
    pub id: E::Column,
}

/// Some of the states that rows may have.
#[derive(Debug, Clone, Copy)]
pub struct States<E: EntityTrait> {
    pub column: E::Column,
    pub listed: &'static [&'static str],
    /// Whether an index has the list in its order; otherwise rows of other states are in between.
    pub indexed: bool,
}

/// A bucket, and how many rows come before it in the order of the search.
#[derive(Debug)]
struct Bucket {
    number: i64,
    before: u64,
}

impl<E: EntityTrait> CountedList<E> {
    fn list(&self, key: &str) -> Option<&'static List> {
        let owner = self.owner.0.as_str();
        let mut lists = self.counts.lists.iter();
        lists.find(|list| list.owner == owner && list.key == key)
    }

    /// What the list is called in the table of counts, in each of its states.
    fn names(&self, list: &List) -> Vec<String> {
        let every = self.counts.states;
        list.names(self.states.map_or(every, |states| states.listed))
    }

    /// The condition for the counts of a list, whose owner is the first parameter.
    fn counted(&self, list: &List) -> String {
        let names = match &self.names(list)[..] {
            [name] => format!("= '{name}'"),
            names => format!("IN ('{}')", names.join("', '")),
        };
        format!("list {names} AND owner_id = $1")
    }

    /// How many rows there are.
    pub async fn total(&self, connection: &impl ConnectionTrait) -> Result<u64, DbErr> {
        let owner = self.owner.0.as_str();
        let mut lists = self.counts.lists.iter();
        let Some(list) = lists.find(|list| list.owner == owner) else {
            return Ok(0);
        };
        let Counts { table, column, .. } = self.counts;
        let sql = format!(
            "SELECT CAST(COALESCE(SUM({column}), 0) AS BIGINT) AS found
             FROM {table} WHERE {}",
            self.counted(list)
        );
        let row = one(connection, &sql, [self.owner.1.into()]).await?;
        row.map_or(Ok(0), |row| number(&row, "found"))
    }

    /// How many rows have a time in the column that is not later than `moment`. Whole buckets are
    /// added up; the rest of the last one is counted in the index.
    async fn up_to(
        &self,
        connection: &impl ConnectionTrait,
        column: E::Column,
        moment: i64,
    ) -> Result<u64, DbErr> {
        let Some(list) = self.list(column.as_str()) else {
            return Ok(0);
        };
        let bucket = moment >> list.bits();
        let start = bucket << list.bits();
        let state = self.states.map(|States { column, listed, .. }| {
            let (column, listed) = (column.as_str(), listed.join("', '"));
            format!("AND {column} IN ('{listed}')")
        });
        let Counts {
            table, column, of, ..
        } = self.counts;
        let sql = format!(
            "SELECT CAST(COALESCE(SUM({column}), 0) AS BIGINT)
                 + (SELECT COUNT(*) FROM {of}
                    WHERE {owner} = $1 AND {key} BETWEEN $3 AND $4 {state}) AS found
             FROM {table} WHERE {counted} AND bucket < $2",
            owner = list.owner,
            key = list.key,
            state = state.unwrap_or_default(),
            counted = self.counted(list),
        );
        let values = [self.owner.1, bucket, start, moment].map(Value::from);
        let row = one(connection, &sql, values).await?;
        row.map_or(Ok(0), |row| number(&row, "found"))
    }

    /// The bucket that holds the row with `skip` others before it, seen from the end at which
    /// `order` begins. Only one fits, so the sums stop there.
    async fn bucket_at(
        &self,
        connection: &impl ConnectionTrait,
        list: &List,
        order: &Order,
        skip: u64,
    ) -> Result<Option<Bucket>, DbErr> {
        let direction = match order {
            Order::Desc => "DESC",
            _ => "ASC",
        };
        let Counts { table, column, .. } = self.counts;
        let counted = self.counted(list);
        let buckets = match self.names(list).len() {
            1 => format!("SELECT bucket, {column} AS there FROM {table} WHERE {counted}"),
            _ => format!(
                "SELECT bucket, CAST(SUM({column}) AS BIGINT) AS there
                 FROM {table} WHERE {counted} GROUP BY bucket"
            ),
        };
        let sql = format!(
            "SELECT bucket, through - there AS before FROM (
                 SELECT bucket, there, CAST(SUM(there) OVER
                     (ORDER BY bucket {direction} ROWS UNBOUNDED PRECEDING) AS BIGINT) AS through
                 FROM ({buckets}) AS buckets
             ) AS running WHERE through > $2 AND through - there <= $2 LIMIT 1"
        );
        let skip = i64::try_from(skip).unwrap_or(i64::MAX);
        let row = one(connection, &sql, [self.owner.1, skip].map(Value::from)).await?;
        row.map(|row| {
            Ok(Bucket {
                number: row.try_get("", "bucket")?,
                before: number(&row, "before")?,
            })
        })
        .transpose()
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

    /// The query for the ids of a page, of those whose column has a later time than is given, and
    /// how long the list of those is.
    pub async fn page(
        &self,
        connection: &impl ConnectionTrait,
        page: Page,
        order: &Order,
        since: Option<(E::Column, i64)>,
    ) -> Result<(Option<Select<E>>, u64), DbErr> {
        let whole = self.total(connection).await?;
        if since.is_none() && self.is_rare(connection, whole).await? {
            let window = Window::of(page, whole);
            let ids = window.map(|window| self.all().sorted(window, order));
            return Ok((ids, whole));
        }
        let excluded = match since {
            None => 0,
            Some((column, moment)) => self.up_to(connection, column, moment).await?,
        };
        let total = whole.saturating_sub(excluded);
        let by = |column: E::Column| column.as_str() == self.key.as_str();
        let ids = match (Window::of(page, total), since) {
            (None, _) => None,
            (Some(window), Some(since)) if excluded > 0 && !by(since.0) => {
                let few = total < whole / FEW;
                Some(self.all().beyond(window, order, since, few))
            }
            (Some(window), _) => {
                let window = window.with_excluded(excluded, order);
                Some(self.ids(connection, window, order).await?)
            }
        };
        Ok((ids, total))
    }

    /// Whether few rows have the states of the list, which has so many, and no index has it in
    /// its order.
    async fn is_rare(&self, connection: &impl ConnectionTrait, total: u64) -> Result<bool, DbErr> {
        if self.states.is_none_or(|states| states.indexed) {
            return Ok(false);
        }
        let every = Self {
            states: None,
            ..*self
        };
        Ok(total < every.total(connection).await? / FEW)
    }

    /// The rows with the ids that a query gives, in order.
    pub async fn rows<Key: Ord>(
        &self,
        connection: &impl ConnectionTrait,
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

    /// The query for the ids of a page of what fits a filter, and how long that list is. If few
    /// rows fit, they are counted and sorted. Otherwise the list is walked until the page is
    /// full. The two queries give the same ids: the first finds them by the filter, the second
    /// picks them out of the list.
    pub async fn filtered(
        &self,
        connection: &impl ConnectionTrait,
        page: Page,
        order: &Order,
        (few, many): (Select<E>, Select<E>),
    ) -> Result<(Option<Select<E>>, Length), DbErr> {
        let some = few.clone().limit(COUNTED + 1).into_query();
        let found = count(connection, some).await?;
        if found <= COUNTED {
            let window = Window::of(page, found);
            let few = SortedIds {
                ids: few,
                ..self.all()
            };
            let ids = window.map(|window| few.sorted(window, order));
            return Ok((ids, Length::Counted(found)));
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

    /// The query for the ids of a page.
    async fn ids(
        &self,
        connection: &impl ConnectionTrait,
        window: Window,
        order: &Order,
    ) -> Result<Select<E>, DbErr> {
        let (order, mut skip) = window.walk(order);
        let mut all = self.all();
        if skip >= NEAR
            && let Some(list) = self.list(self.key.as_str())
            && let Some(bucket) = self.bucket_at(connection, list, &order, skip).await?
        {
            let (key, bits) = (Expr::col(self.key), list.bits());
            all.ids = all.ids.filter(match order {
                Order::Desc => key.lt((bucket.number + 1) << bits),
                _ => key.gte(bucket.number << bits),
            });
            skip -= bucket.before;
        }
        Ok(all.slice(order, skip, window.count))
    }
}

/// How many rows a query gives.
async fn count(connection: &impl ConnectionTrait, rows: SelectStatement) -> Result<u64, DbErr> {
    let count = Query::select()
        .expr_as(Expr::col(Asterisk).count(), "found")
        .from_subquery(rows, "some")
        .to_owned();
    let row = connection.query_one(&count).await?;
    row.map_or(Ok(0), |row| number(&row, "found"))
}

async fn one(
    connection: &impl ConnectionTrait,
    sql: &str,
    values: impl IntoIterator<Item = Value>,
) -> Result<Option<QueryResult>, DbErr> {
    let backend = connection.get_database_backend();
    let statement = Statement::from_sql_and_values(backend, sql, values);
    connection.query_one_raw(statement).await
}

fn number(row: &QueryResult, column: &str) -> Result<u64, DbErr> {
    let value: i64 = row.try_get("", column)?;
    Ok(u64::try_from(value).unwrap_or(0))
}
