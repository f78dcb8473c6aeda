//! The rows of issues, and their lists.

use crate::labels;
use contract::issues::{IssueList, IssueOrder};
use contract::paging::Length;
use contract::review_comments::Direction;
use contract::shared::state::StateFilter;
use migration::counts::ISSUES;
use sea_orm::sea_query::{
    Alias, Expr, ExprTrait, IntoColumnRef, LockType, Order, Query, SelectStatement,
};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, JoinType, QueryFilter,
    QuerySelect, Select,
};
use storage::database::Connection;
use storage::database::counted::{CountedList, States};
use storage::entities::issue::{Column, Entity, Model};
use storage::entities::{account, issue, issue_assignee, issue_label, pull};

/// A page of a list, and the length of the list.
pub async fn list(
    db: &Connection,
    repository: i64,
    request: &IssueList,
) -> Result<(Vec<Model>, Length), DbErr> {
    let listed = IssueListQuery::of(repository, request);
    let (ids, length) = match IssueFilter::of(db, repository, request).await? {
        Some(filter) if filter.is_empty() => listed.all(db).await?,
        Some(filter) => listed.filtered(db, &filter).await?,
        None => (None, Length::Counted(0)),
    };
    let key = |row: &Model| match request.sort {
        IssueOrder::Created => (row.created_at, row.id),
        IssueOrder::Updated => (row.updated_at, row.id),
        IssueOrder::Comments => (row.comments, row.id),
    };
    let rows = listed.list.rows(db, ids, &listed.order, key).await?;
    Ok((rows, length))
}

/// The query for the ids of a page, unless there are none, and the length of the list.
type IdQuery = (Option<Select<Entity>>, Length);

/// A list query before filtering.
struct IssueListQuery<'a> {
    request: &'a IssueList,
    list: CountedList<Entity>,
    order: Order,
}

impl<'a> IssueListQuery<'a> {
    fn of(repository: i64, request: &'a IssueList) -> Self {
        let listed: Option<&'static [&'static str]> = match request.state {
            StateFilter::Open => Some(&["open"]),
            StateFilter::Closed => Some(&["closed"]),
            StateFilter::All => None,
        };
        Self {
            request,
            list: CountedList {
                table: &ISSUES,
                owner: (Column::RepositoryId, repository),
                states: listed.map(|listed| States {
                    column: Column::State,
                    listed,
                    indexed: request.sort == IssueOrder::Created,
                }),
                key: match request.sort {
                    IssueOrder::Created => Column::CreatedAt,
                    IssueOrder::Updated => Column::UpdatedAt,
                    IssueOrder::Comments => Column::Comments,
                },
                id: Column::Id,
            },
            order: match request.direction {
                Direction::Ascending => Order::Asc,
                Direction::Descending => Order::Desc,
            },
        }
    }

    async fn all(&self, db: &Connection) -> Result<IdQuery, DbErr> {
        // Includes issues that were updated at exactly that time.
        let since = self.request.since.map(|since| since.0.saturating_sub(1));
        let since = since.map(|since| (Column::UpdatedAt, since));
        let page = self.list.page(db, self.request.page, &self.order, since);
        let (ids, total) = page.await?;
        Ok((ids, total.into()))
    }

    async fn filtered(&self, db: &Connection, filter: &IssueFilter<'_>) -> Result<IdQuery, DbErr> {
        let few = filter.few(self.base(!filter.finds_ids()));
        let many = filter.many(self.base(true));
        let list = &self.list;
        list.filtered(db, self.request.page, &self.order, (few, many))
            .await
    }

    /// The ids of the issues of the repository with the requested state, updated since then. Adding
    /// 0 keeps the database from using the index of that column.
    fn base(&self, by_repository: bool) -> Select<Entity> {
        let (column, repository) = self.list.owner;
        let mut ids = Entity::find().select_only().column(Column::Id);
        ids = ids.filter(match by_repository {
            true => column.eq(repository),
            false => Expr::col((Entity, column)).add(0).eq(repository),
        });
        if let Some(States { column, listed, .. }) = self.list.states {
            ids = ids.filter(column.is_in(listed.iter().copied()));
        }
        match self.request.since {
            Some(since) => {
                let updated = Expr::col((Entity, Column::UpdatedAt)).add(0);
                ids.filter(updated.gte(since.0))
            }
            None => ids,
        }
    }
}

/// The conditions of a list of issues.
#[derive(Debug)]
struct IssueFilter<'a> {
    labels: Vec<i64>,
    creator: Option<&'a str>,
    assignee: Option<&'a str>,
}

impl<'a> IssueFilter<'a> {
    /// None if a requested label does not exist.
    async fn of(
        db: &Connection,
        repository: i64,
        request: &'a IssueList,
    ) -> Result<Option<Self>, DbErr> {
        let names = request.labels.iter().flat_map(|names| names.split(','));
        let names: Vec<&str> = names
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .collect();
        let labels = match names.is_empty() {
            true => Some(Vec::new()),
            false => labels::rows::ids_of(db, repository, &names).await?,
        };
        Ok(labels.map(|labels| Self {
            labels,
            creator: request.creator.as_deref(),
            assignee: request.assignee.as_deref(),
        }))
    }

    fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.creator.is_none() && self.assignee.is_none()
    }

    /// The login of the assignee; None for anybody or nobody.
    fn assigned_to(&self) -> Option<&'a str> {
        self.assignee.filter(|login| !["*", "none"].contains(login))
    }

    /// Whether the filter can find candidates in another table.
    fn finds_ids(&self) -> bool {
        !self.labels.is_empty() || self.assigned_to().is_some()
    }

    /// The matching issues, found by a label or by assignments if the filter has any.
    fn few(&self, ids: Select<Entity>) -> Select<Entity> {
        let candidates = match (self.labels.first(), self.assigned_to()) {
            (Some(label), _) => {
                let labels = issue_label::Entity::belongs_to(Entity)
                    .from(issue_label::Column::IssueId)
                    .to(Column::Id);
                let labeled = ids.join_rev(JoinType::InnerJoin, labels.into());
                labeled.filter(issue_label::Column::LabelId.eq(*label))
            }
            (None, Some(login)) => {
                let assignments = issue_assignee::Entity::belongs_to(Entity)
                    .from(issue_assignee::Column::IssueId)
                    .to(Column::Id);
                let assigned = ids.join_rev(JoinType::InnerJoin, assignments.into());
                assigned.filter(issue_assignee::Column::UserId.in_subquery(by_login(login)))
            }
            (None, None) => ids,
        };
        self.many(candidates)
    }

    /// The matching issues of a list: looks up labels and assignments for each issue.
    fn many(&self, mut ids: Select<Entity>) -> Select<Entity> {
        for label in &self.labels {
            ids = ids.filter(Expr::exists(labeled(*label)));
        }
        if let Some(creator) = self.creator {
            ids = ids.filter(Column::AuthorId.in_subquery(by_login(creator)));
        }
        match self.assignee {
            None => ids,
            Some("*") => ids.filter(Expr::exists(assigned(None))),
            Some("none") => ids.filter(Expr::exists(assigned(None)).not()),
            Some(login) => ids.filter(Expr::exists(assigned(Some(login)))),
        }
    }
}

fn by_login(login: &str) -> SelectStatement {
    Query::select()
        .column(account::Column::Id)
        .from(account::Entity)
        .and_where(account::Column::LoginKey.eq(login.to_lowercase()))
        .to_owned()
}

/// The assignment of a label to the current issue.
fn labeled(label: i64) -> SelectStatement {
    let labels = Alias::new("labels");
    Query::select()
        .expr(Expr::val(1))
        .from_as(issue_label::Entity, labels.clone())
        .and_where(Expr::col((labels.clone(), issue_label::Column::LabelId)).eq(label))
        .and_where(of_issue((labels, issue_label::Column::IssueId)))
        .to_owned()
}

/// The assignments of the current issue, to one user or to anybody.
fn assigned(login: Option<&str>) -> SelectStatement {
    let assignments = Alias::new("assignments");
    let mut assigned = Query::select()
        .expr(Expr::val(1))
        .from_as(issue_assignee::Entity, assignments.clone())
        .and_where(of_issue((
            assignments.clone(),
            issue_assignee::Column::IssueId,
        )))
        .to_owned();
    if let Some(login) = login {
        let user = Expr::col((assignments, issue_assignee::Column::UserId));
        assigned.and_where(user.in_subquery(by_login(login)));
    }
    assigned
}

fn of_issue(column: impl IntoColumnRef) -> Expr {
    Expr::col(column).equals((Entity, Column::Id))
}

pub async fn issue(
    connection: &Connection,
    repository: i64,
    number: i64,
) -> Result<Option<Model>, DbErr> {
    Entity::find()
        .filter(issue::COLUMN.repository_id.eq(repository))
        .filter(issue::COLUMN.number.eq(number))
        .one(connection)
        .await
}

/// Locks an issue, and reads its current row. For a pull request it also takes the lock of
/// changes of pull requests.
pub async fn lock(transaction: &Connection, row: &Model) -> Result<Option<Model>, DbErr> {
    if let Some(pull) = row.pull_id {
        lock_pull(transaction, pull).await?;
    }
    lock_row(transaction, row.id).await
}

/// Reads a pull request again, and blocks other changes of it and its comments.
/// SQLite's transaction locks the whole file anyway.
pub async fn lock_pull(transaction: &Connection, id: i64) -> Result<Option<pull::Model>, DbErr> {
    pull::Entity::find_by_id(id)
        .lock(LockType::NoKeyUpdate)
        .one(transaction)
        .await
}

/// Reads an issue again, and blocks other changes of it.
pub async fn lock_row(transaction: &Connection, id: i64) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(id)
        .lock(LockType::NoKeyUpdate)
        .one(transaction)
        .await
}

/// The number of the next issue or pull request. The repository must be locked.
pub async fn next_number(transaction: &Connection, repository: i64) -> Result<i64, DbErr> {
    let last: Option<Option<i64>> = Entity::find()
        .select_only()
        .column_as(Column::Number.max(), "last")
        .filter(issue::COLUMN.repository_id.eq(repository))
        .into_tuple()
        .one(transaction)
        .await?;
    Ok(last.flatten().unwrap_or(0) + 1)
}

/// Sets the update time of an issue, unless it is already set to this second.
pub async fn touch(transaction: &Connection, row: &Model, now: i64) -> Result<(), DbErr> {
    if row.updated_at >= now {
        return Ok(());
    }
    match row.pull_id {
        Some(pull) => {
            pull::Entity::update_many()
                .col_expr(pull::Column::UpdatedAt, Expr::value(now))
                .filter(pull::COLUMN.id.eq(pull))
                .filter(pull::COLUMN.updated_at.lt(now))
                .exec(transaction)
                .await?;
        }
        None => {
            Entity::update_many()
                .col_expr(Column::UpdatedAt, Expr::value(now))
                .filter(issue::COLUMN.id.eq(row.id))
                .filter(issue::COLUMN.updated_at.lt(now))
                .exec(transaction)
                .await?;
        }
    }
    Ok(())
}

/// Writes a changed row, except the number of comments, which triggers maintain.
pub async fn save(transaction: &Connection, row: &Model) -> Result<(), DbErr> {
    let mut row = row.clone().into_active_model().reset_all();
    row.comments = sea_orm::ActiveValue::NotSet;
    Entity::update(row).exec(transaction).await?;
    Ok(())
}
