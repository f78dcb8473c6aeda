//! Who can be assigned to issues: those who may write to the repository, and members of its
//! organization who may read it.

use std::collections::BTreeSet;

use migration::aggregates::Kind;
use sea_orm::sea_query::{Condition, Query, SelectStatement};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, Select, Set,
};

use crate::access::RepositoryGrant;
use crate::contract::paging::Page;
use crate::contract::problem::FieldProblem;
use crate::contract::reply::Outcome;
use crate::database::{ReadSource, rows_with};
use crate::entities::collaborator::Permission;
use crate::entities::{account, collaborator, issue, issue_assignee, membership};

/// The most users who are assigned to one issue.
const MOST: usize = 10;

/// Everybody who can be assigned to issues of a repository.
fn assignable(grant: &RepositoryGrant) -> Select<account::Entity> {
    let (repository, owner) = (&grant.repository, &grant.owner);
    let writers = [Permission::Write, Permission::Maintain, Permission::Admin];
    let collaborators = Query::select()
        .column(collaborator::Column::UserId)
        .from(collaborator::Entity)
        .and_where(collaborator::Column::RepositoryId.eq(repository.id))
        .and_where(collaborator::Column::Permission.is_in(writers))
        .to_owned();
    let somehow = Condition::any()
        .add(account::Column::Id.eq(owner.id))
        .add(account::Column::Id.in_subquery(collaborators))
        .add(account::Column::Id.in_subquery(members(grant)));
    account::Entity::find()
        .filter(account::Column::Kind.eq(account::AccountKind::User))
        .filter(somehow)
}

fn members(grant: &RepositoryGrant) -> SelectStatement {
    let owner = &grant.owner;
    let mut members = Query::select()
        .column(membership::Column::UserId)
        .from(membership::Entity)
        .and_where(membership::Column::OrganizationId.eq(owner.id))
        .to_owned();
    let base = owner.base_permission.unwrap_or(Permission::Read);
    if base < Permission::Read && !grant.repository.internal {
        members.and_where(membership::Column::Role.eq(membership::Role::Admin));
    }
    members
}

/// A page of those who can be assigned, and how many there are.
pub async fn page(
    source: &impl ReadSource,
    grant: &RepositoryGrant,
    page: Page,
) -> Result<(Vec<account::Model>, u64), DbErr> {
    let aggregates = [
        Kind::Account.of(grant.owner.id),
        Kind::Repository.of(grant.repository.id),
    ];
    let connection = source.reading(&aggregates).await;
    let total = assignable(grant).count(connection).await?;
    if page.skipped() >= total {
        return Ok((Vec::new(), total));
    }
    let rows = assignable(grant)
        .order_by_asc(account::Column::Id)
        .offset(page.skipped())
        .limit(page.per_page)
        .all(connection)
        .await?;
    // Their profiles are shown as well.
    let shown: Vec<_> = rows.iter().map(|row| Kind::Account.of(row.id)).collect();
    source.reading(&shown).await;
    Ok((rows, total))
}

/// Those of some users, by login, who can be assigned.
pub async fn named(
    connection: &impl ConnectionTrait,
    grant: &RepositoryGrant,
    logins: &[String],
) -> Result<Vec<account::Model>, DbErr> {
    if logins.is_empty() {
        return Ok(Vec::new());
    }
    let keys = logins.iter().map(|login| login.to_lowercase());
    assignable(grant)
        .filter(account::Column::LoginKey.is_in(keys))
        .order_by_asc(account::Column::Id)
        .all(connection)
        .await
}

/// All of some users; 422 if one cannot be assigned.
pub async fn all_named(
    connection: &impl ConnectionTrait,
    grant: &RepositoryGrant,
    logins: &[String],
) -> Outcome<Vec<account::Model>> {
    let found = named(connection, grant, logins).await?;
    let keys: BTreeSet<String> = logins.iter().map(|login| login.to_lowercase()).collect();
    match found.len() == keys.len() {
        true => Ok(found),
        false => Err(FieldProblem::invalid("Issue", "assignees").into()),
    }
}

/// Who is assigned to an issue, in the order of their ids.
pub async fn of_issue(
    connection: &impl ConnectionTrait,
    issue: i64,
) -> Result<Vec<account::Model>, DbErr> {
    let rows = rows_with(connection, issue_assignee::Column::IssueId, [issue]).await?;
    let ids = rows.iter().map(|row| row.user_id);
    let mut users = rows_with(connection, account::Column::Id, ids).await?;
    users.sort_unstable_by_key(|user| user.id);
    Ok(users)
}

/// What became of the assignees of an issue.
#[derive(Debug, Default)]
pub struct Reassigned {
    pub added: Vec<account::Model>,
    pub removed: Vec<account::Model>,
}

impl Reassigned {
    pub fn is_nothing(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }
}

/// Assigns users to an issue, beside those who are or in place of them. The issue must be
/// locked.
pub async fn assign(
    transaction: &impl ConnectionTrait,
    issue: &issue::Model,
    users: Vec<account::Model>,
    replace: bool,
) -> Outcome<Reassigned> {
    let before = of_issue(transaction, issue.id).await?;
    let held: BTreeSet<i64> = before.iter().map(|user| user.id).collect();
    let wanted: BTreeSet<i64> = users.iter().map(|user| user.id).collect();
    let added: Vec<_> = users
        .into_iter()
        .filter(|user| !held.contains(&user.id))
        .collect();
    let removed: Vec<_> = match replace {
        true => before
            .into_iter()
            .filter(|user| !wanted.contains(&user.id))
            .collect(),
        false => Vec::new(),
    };
    if held.len() + added.len() - removed.len() > MOST {
        let message = format!("an issue may have no more than {MOST} assignees");
        return Err(FieldProblem::custom("Issue", "assignees", message).into());
    }
    let rows = added.iter().map(|user| issue_assignee::ActiveModel {
        issue_id: Set(issue.id),
        user_id: Set(user.id),
    });
    if !added.is_empty() {
        issue_assignee::Entity::insert_many(rows)
            .exec_without_returning(transaction)
            .await?;
    }
    unassign(transaction, issue, &removed).await?;
    Ok(Reassigned { added, removed })
}

/// Takes users off an issue.
pub async fn unassign(
    transaction: &impl ConnectionTrait,
    issue: &issue::Model,
    users: &[account::Model],
) -> Result<(), DbErr> {
    if users.is_empty() {
        return Ok(());
    }
    issue_assignee::Entity::delete_many()
        .filter(issue_assignee::COLUMN.issue_id.eq(issue.id))
        .filter(issue_assignee::Column::UserId.is_in(users.iter().map(|user| user.id)))
        .exec(transaction)
        .await?;
    Ok(())
}
