//! Pages and lengths of lists of comments, and repetitions.

use migration::counts::{self, CountedTable};
use sea_orm::sea_query::{CaseStatement, Expr, Func, Order, Query};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait,
};

use contract::review_comments::{CommentList, Direction, SortKey};
use storage::database::Connection;
use storage::database::counted::CountedList;
use storage::entities::{issue_comment, review_comment};

/// The comments that repetitions are counted among: as many as an account may write in a
/// minute by default.
const LATEST: u64 = 80;

/// A table of comments.
pub trait Comments: EntityTrait {
    const TABLE: &'static CountedTable;
    const ID: Self::Column;
    const AUTHOR: Self::Column;
    const REPOSITORY: Self::Column;
    /// The issue or the pull request that a comment is on.
    const SUBJECT: Self::Column;
    const CREATED: Self::Column;
    const UPDATED: Self::Column;

    /// The sort key of a comment; ids break ties.
    fn key(row: &Self::Model, sort: Option<SortKey>) -> (i64, i64);
}

macro_rules! comments {
    ($($entity:ident on $subject:ident, $table:ident;)*) => { $(
        impl Comments for $entity::Entity {
            const TABLE: &'static CountedTable = &counts::$table;
            const ID: Self::Column = $entity::Column::Id;
            const AUTHOR: Self::Column = $entity::Column::AuthorId;
            const REPOSITORY: Self::Column = $entity::Column::RepositoryId;
            const SUBJECT: Self::Column = $entity::Column::$subject;
            const CREATED: Self::Column = $entity::Column::CreatedAt;
            const UPDATED: Self::Column = $entity::Column::UpdatedAt;

            fn key(row: &Self::Model, sort: Option<SortKey>) -> (i64, i64) {
                match sort {
                    None => (row.id, row.id),
                    Some(SortKey::Created) => (row.created_at, row.id),
                    Some(SortKey::Updated) => (row.updated_at, row.id),
                }
            }
        }
    )* };
}

comments! {
    review_comment on PullId, REVIEW_COMMENTS;
    issue_comment on IssueId, ISSUE_COMMENTS;
}

/// The resource whose comments are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Repository(i64),
    /// An issue or a pull request.
    Subject(i64),
}

/// A page, and the length of the whole list.
#[derive(Debug)]
pub struct ListedComments<Row> {
    pub comments: Vec<Row>,
    pub total: u64,
}

pub async fn list<E: Comments>(
    connection: &Connection,
    scope: Scope,
    query: CommentList,
) -> Result<ListedComments<E::Model>, DbErr> {
    let all = list_of::<E>(scope, query.sort);
    // Without `sort` the direction is ignored (Spec, List query parameters).
    let order = match query.direction {
        Some(Direction::Descending) if query.sort.is_some() => Order::Desc,
        _ => Order::Asc,
    };
    let since = query.since.map(|since| (E::UPDATED, since.0));
    let (ids, total) = all.page(connection, query.page, &order, since).await?;
    let key = |row: &E::Model| E::key(row, query.sort);
    let comments = all.rows(connection, ids, &order, key).await?;
    Ok(ListedComments { comments, total })
}

/// The number of comments.
pub async fn total<E: Comments>(connection: &Connection, scope: Scope) -> Result<u64, DbErr> {
    list_of::<E>(scope, None).total(connection).await
}

/// How many of an author's latest comments since a time are the same. It checks only a limited
/// number, because programs may write many.
pub async fn repetitions<E: Comments>(
    connection: &Connection,
    author: i64,
    since: i64,
    same: Condition,
) -> Result<u64, DbErr> {
    let is_same = CaseStatement::new().case(same, 1).finally(0);
    let latest = E::find()
        .select_only()
        .expr_as(is_same, "same")
        .filter(E::AUTHOR.eq(author))
        .filter(E::CREATED.gt(since))
        .order_by_desc(E::CREATED)
        .limit(LATEST);
    let count = Query::select()
        .expr_as(Func::sum(Expr::col("same")), "found")
        .from_subquery(latest.into_query(), "latest")
        .to_owned();
    let row = connection.query_one(&count).await?;
    let count: Option<i64> = row
        .map(|row| row.try_get("", "found"))
        .transpose()?
        .flatten();
    Ok(count.map_or(0, i64::unsigned_abs))
}

fn list_of<E: Comments>(scope: Scope, sort: Option<SortKey>) -> CountedList<E> {
    CountedList {
        table: E::TABLE,
        owner: match scope {
            Scope::Repository(id) => (E::REPOSITORY, id),
            Scope::Subject(id) => (E::SUBJECT, id),
        },
        states: None,
        key: match sort {
            None => E::ID,
            Some(SortKey::Created) => E::CREATED,
            Some(SortKey::Updated) => E::UPDATED,
        },
        id: E::ID,
    }
}
