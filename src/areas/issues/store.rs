//! Lists of issues.

use sea_orm::sea_query::{Expr, ExprTrait, Order, Query, SelectStatement};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, Select,
};

use crate::contract::issues::{IssueList, IssueOrder};
use crate::contract::pulls::StateFilter;
use crate::contract::review_comments::Direction;
use crate::entities::issue::{Column, Entity, Model, State};
use crate::entities::{account, issue, issue_assignee, issue_label};
use crate::issues::labels;

/// A page of a list, and how long the list is.
pub async fn list(
    db: &impl ConnectionTrait,
    repository: i64,
    list: &IssueList,
) -> Result<(Vec<Model>, u64), DbErr> {
    let Some(all) = listed(db, repository, list).await? else {
        return Ok((Vec::new(), 0));
    };
    let total = all.clone().count(db).await?;
    if list.page.skipped() >= total {
        return Ok((Vec::new(), total));
    }
    let order = match list.direction {
        Direction::Ascending => Order::Asc,
        Direction::Descending => Order::Desc,
    };
    let key = match list.sort {
        IssueOrder::Created => Column::CreatedAt,
        IssueOrder::Updated => Column::UpdatedAt,
        IssueOrder::Comments => Column::Comments,
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

/// None if a label is asked for that does not exist.
async fn listed(
    db: &impl ConnectionTrait,
    repository: i64,
    list: &IssueList,
) -> Result<Option<Select<Entity>>, DbErr> {
    let mut query = Entity::find().filter(issue::COLUMN.repository_id.eq(repository));
    match list.state {
        StateFilter::Open => query = query.filter(issue::COLUMN.state.eq(State::Open)),
        StateFilter::Closed => query = query.filter(issue::COLUMN.state.eq(State::Closed)),
        StateFilter::All => {}
    }
    if let Some(since) = list.since {
        query = query.filter(issue::COLUMN.updated_at.gte(since.0));
    }
    if let Some(creator) = &list.creator {
        query = query.filter(Column::AuthorId.in_subquery(by_login(creator)));
    }
    query = match list.assignee.as_deref() {
        None => query,
        Some("*") => query.filter(Expr::exists(assigned(None))),
        Some("none") => query.filter(Expr::exists(assigned(None)).not()),
        Some(login) => query.filter(Expr::exists(assigned(Some(login)))),
    };
    let names = list.labels.iter().flat_map(|names| names.split(','));
    let names: Vec<&str> = names
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect();
    if names.is_empty() {
        return Ok(Some(query));
    }
    let Some(labels) = labels::ids_of(db, repository, &names).await? else {
        return Ok(None);
    };
    for label in labels {
        query = query.filter(Column::Id.in_subquery(labeled(label)));
    }
    Ok(Some(query))
}

fn by_login(login: &str) -> SelectStatement {
    Query::select()
        .column(account::Column::Id)
        .from(account::Entity)
        .and_where(account::Column::LoginKey.eq(login.to_lowercase()))
        .to_owned()
}

/// The assignments of an issue, to somebody or to anybody.
fn assigned(login: Option<&str>) -> SelectStatement {
    let mut assigned = Query::select()
        .column(issue_assignee::Column::UserId)
        .from(issue_assignee::Entity)
        .and_where(
            Expr::col((issue_assignee::Entity, issue_assignee::Column::IssueId))
                .equals((Entity, Column::Id)),
        )
        .to_owned();
    if let Some(login) = login {
        assigned.and_where(issue_assignee::Column::UserId.in_subquery(by_login(login)));
    }
    assigned
}

fn labeled(label: i64) -> SelectStatement {
    Query::select()
        .column(issue_label::Column::IssueId)
        .from(issue_label::Entity)
        .and_where(issue_label::Column::LabelId.eq(label))
        .to_owned()
}
