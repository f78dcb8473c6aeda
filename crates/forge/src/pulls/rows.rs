//! The rows of pull requests.

use migration::counts::PULLS;
use sea_orm::sea_query::{Expr, ExprTrait, Func};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, Order, QueryFilter, Select};

use crate::comments::pages::{Scope, total};
use contract::paging::Length;
use contract::pulls::{PullList, PullOrder};
use contract::review_comments::Direction;
use contract::shared::state::StateFilter;
use storage::database::Connection;
use storage::database::counted::{CountedList, States};
use storage::entities::pull::{Column, Entity, Model};
use storage::entities::{pull, review_comment};

/// In seconds.
const MONTH: i64 = 30 * 24 * 3600;

pub async fn pull(db: &Connection, repository: i64, number: i64) -> Result<Option<Model>, DbErr> {
    Entity::find()
        .filter(pull::COLUMN.repository_id.eq(repository))
        .filter(pull::COLUMN.number.eq(number))
        .one(db)
        .await
}

pub async fn count_comments(db: &Connection, pull: i64) -> Result<u64, DbErr> {
    total::<review_comment::Entity>(db, Scope::Subject(pull)).await
}

/// A page of a list, and the length of the list. `head` is a branch.
pub async fn list(
    db: &Connection,
    repository: i64,
    request: &PullList,
    head: Option<&str>,
    now: i64,
) -> Result<(Vec<Model>, Length), DbErr> {
    let list = counted(repository, request);
    let order = match request.direction {
        Direction::Ascending => Order::Asc,
        Direction::Descending => Order::Desc,
    };
    let unfiltered =
        head.is_none() && request.base.is_none() && request.sort != PullOrder::LongRunning;
    let (ids, length) = match unfiltered {
        true => {
            let (ids, total) = list.page(db, request.page, &order, None).await?;
            (ids, total.into())
        }
        false => {
            let [few, many] = [true, false].map(|by_branch| {
                let all = list.all().ids;
                matching(all, request, head, now, by_branch)
            });
            list.filtered(db, request.page, &order, (few, many)).await?
        }
    };
    let key = |row: &Model| match request.sort {
        PullOrder::Created | PullOrder::LongRunning => (row.created_at, row.id),
        PullOrder::Updated => (row.updated_at, row.id),
    };
    let rows = list.rows(db, ids, &order, key).await?;
    Ok((rows, length))
}

fn counted(repository: i64, request: &PullList) -> CountedList<Entity> {
    let listed: Option<&'static [&'static str]> = match request.state {
        StateFilter::Open => Some(&["open"]),
        StateFilter::Closed => Some(&["closed", "merged"]),
        StateFilter::All => None,
    };
    let by_update = request.sort == PullOrder::Updated;
    CountedList {
        table: &PULLS,
        owner: (Column::RepositoryId, repository),
        states: listed.map(|listed| States {
            column: Column::State,
            listed,
            indexed: request.state == StateFilter::Open && !by_update,
        }),
        key: match by_update {
            true => Column::UpdatedAt,
            false => Column::CreatedAt,
        },
        id: Column::Id,
    }
}

/// The matching pull requests, found by their branches or by filtering the list. In the latter
/// case an expression keeps the database from using the index of the branch.
fn matching(
    mut ids: Select<Entity>,
    request: &PullList,
    head: Option<&str>,
    now: i64,
    by_branch: bool,
) -> Select<Entity> {
    let branches = [
        (Column::HeadRef, head),
        (Column::BaseRef, request.base.as_deref()),
    ];
    for (column, name) in branches {
        let Some(name) = name else { continue };
        ids = ids.filter(match by_branch {
            true => column.eq(name),
            false => Expr::from(Func::coalesce([Expr::col(column), Expr::val("")])).eq(name),
        });
    }
    if request.sort == PullOrder::LongRunning {
        ids = ids
            .filter(pull::COLUMN.created_at.lt(now - MONTH))
            .filter(pull::COLUMN.updated_at.gt(now - MONTH));
    }
    ids
}
