//! Pages of long lists whose rows are counted (`migration::counts`). The ids of a page are read
//! from a covering index, from the nearer end of the list. For a deep page the scan starts at the
//! edge of the bucket that contains it, which the counts give.
//!
//! The counts do not help if the list excludes rows before some time and is sorted by another
//! column. Then the query scans every row before the page, in a covering index.

use migration::counts::{Counts, List};
use sea_orm::sea_query::{Asterisk, Expr, ExprTrait, Order, Query, SelectStatement};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IdenStatic, QueryFilter, QueryResult,
    QuerySelect, QueryTrait, Select, Statement, Value,
};

use super::Connection;
use super::window::{NEAR, SortedIds, Window};
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
    pub counts: &'static Counts,
    /// The column and the id of the owner of the list.
    pub owner: (E::Column, i64),
    /// The listed states; None lists all.
    pub states: Option<States<E>>,
    /// The sort column. If the counts do not have it, a deep page is found by a scan.
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

/// A bucket, and the number of rows before it in the scan order.
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

    /// The names of the list in the table of counts, one for each state.
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

    /// The number of rows.
    pub async fn total(&self, connection: &Connection) -> Result<u64, DbErr> {
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

    /// The number of rows whose time in the column is not later than `time`. The counts of whole
    /// buckets are added up; the rest of the last one is counted in the index.
    async fn up_to(
        &self,
        connection: &Connection,
        column: E::Column,
        time: i64,
    ) -> Result<u64, DbErr> {
        let Some(list) = self.list(column.as_str()) else {
            return Ok(0);
        };
        let bucket = time >> list.bits();
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
        let values = [self.owner.1, bucket, start, time].map(Value::from);
        let row = one(connection, &sql, values).await?;
        row.map_or(Ok(0), |row| number(&row, "found"))
    }

    /// The bucket of the row with `skip` rows before it in this order. Only one matches, so the sums
    /// stop there.
    async fn bucket_at(
        &self,
        connection: &Connection,
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
        if since.is_none() && self.is_rare(connection, whole).await? {
            let window = Window::of(page, whole);
            let ids = window.map(|window| self.all().sorted(window, order));
            return Ok((ids, whole));
        }
        let excluded = match since {
            None => 0,
            Some((column, time)) => self.up_to(connection, column, time).await?,
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

    /// The query for the ids of a page.
    async fn ids(
        &self,
        connection: &Connection,
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

/// The number of rows that a query returns.
async fn count(connection: &Connection, rows: SelectStatement) -> Result<u64, DbErr> {
    let count = Query::select()
        .expr_as(Expr::col(Asterisk).count(), "found")
        .from_subquery(rows, "some")
        .to_owned();
    let row = connection.query_one(&count).await?;
    row.map_or(Ok(0), |row| number(&row, "found"))
}

async fn one(
    connection: &Connection,
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
