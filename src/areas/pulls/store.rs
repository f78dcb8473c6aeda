//! Queries for pull requests.

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, Order, PaginatorTrait, QueryFilter,
    QueryOrder, QuerySelect, Select,
};

use crate::contract::pulls::{PullList, PullOrder, StateFilter};
use crate::contract::review_comments::Direction;
use crate::entities::pull::{Column, Entity, Model, State};
use crate::entities::{pull, review_comment};

/// In seconds.
const MONTH: i64 = 30 * 24 * 3600;

pub async fn pull(
    db: &impl ConnectionTrait,
    repository: i64,
    number: i64,
) -> Result<Option<Model>, DbErr> {
    Entity::find()
        .filter(pull::COLUMN.repository_id.eq(repository))
        .filter(pull::COLUMN.number.eq(number))
        .one(db)
        .await
}

pub async fn count_comments(db: &impl ConnectionTrait, pull: i64) -> Result<u64, DbErr> {
    review_comment::Entity::find()
        .filter(review_comment::COLUMN.pull_id.eq(pull))
        .count(db)
        .await
}

/// A page of a list, and how long the list is. `head` is a branch.
pub async fn list(
    db: &impl ConnectionTrait,
    repository: i64,
    list: &PullList,
    head: Option<&str>,
    now: i64,
) -> Result<(Vec<Model>, u64), DbErr> {
    let all = listed(repository, list, head, now);
    let total = all.clone().count(db).await?;
    if list.page.skipped() >= total {
        return Ok((Vec::new(), total));
    }
    let order = match list.direction {
        Direction::Ascending => Order::Asc,
        Direction::Descending => Order::Desc,
    };
    let key = match list.sort {
        PullOrder::Created | PullOrder::LongRunning => Column::CreatedAt,
        PullOrder::Updated => Column::UpdatedAt,
    };
    let rows = all
        .order_by(key, order.clone())
        .order_by(Column::Id, order)
        .offset(list.page.skipped())
        .limit(list.page.per_page)
        .all(db)
        .await?;
    Ok((rows, total))
}

fn listed(repository: i64, list: &PullList, head: Option<&str>, now: i64) -> Select<Entity> {
    let mut query = Entity::find().filter(pull::COLUMN.repository_id.eq(repository));
    match list.state {
        StateFilter::Open => query = query.filter(pull::COLUMN.state.eq(State::Open)),
        StateFilter::Closed => {
            query = query.filter(Column::State.is_in([State::Closed, State::Merged]));
        }
        StateFilter::All => {}
    }
    if let Some(head) = head {
        query = query.filter(pull::COLUMN.head_ref.eq(head));
    }
    if let Some(base) = &list.base {
        query = query.filter(pull::COLUMN.base_ref.eq(base.as_str()));
    }
    if list.sort == PullOrder::LongRunning {
        query = query
            .filter(pull::COLUMN.created_at.lt(now - MONTH))
            .filter(pull::COLUMN.updated_at.gt(now - MONTH));
    }
    query
}
