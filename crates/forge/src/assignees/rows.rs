//! Assignees of issues. People with write access to the repository can be assigned, and members
//! of its organization with read access.

use std::collections::BTreeSet;

use migration::aggregates::Kind;
use sea_orm::sea_query::{Condition, Query, SelectStatement};
use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select,
    Set,
};

use crate::access::RepositoryGrant;
use contract::paging::Page;
use contract::problem::FieldProblem;
use contract::reply::Outcome;
use storage::database::{Connection, ReadSource, rows_with};
use storage::entities::collaborator::Permission;
use storage::entities::{account, collaborator, issue, issue_assignee, membership};

/// The most assignees of an issue.
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
    let any_role = Condition::any()
        .add(account::Column::Id.eq(owner.id))
        .add(account::Column::Id.in_subquery(collaborators))
        .add(account::Column::Id.in_subquery(members(grant)));
    account::Entity::find()
        .filter(account::Column::Kind.eq(account::AccountKind::User))
        .filter(any_role)
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

/// A page of the users who can be assigned, and their total number.
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
    // The response also shows their profiles.
    let accounts: Vec<_> = rows.iter().map(|row| Kind::Account.of(row.id)).collect();
    source.reading(&accounts).await;
    Ok((rows, total))
}

/// The users with these logins who can be assigned.
pub async fn find_assignable(
    connection: &Connection,
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

/// The users with these logins; 422 if one of them cannot be assigned.
pub async fn require_assignable(
    connection: &Connection,
    grant: &RepositoryGrant,
    logins: &[String],
) -> Outcome<Vec<account::Model>> {
    let users = find_assignable(connection, grant, logins).await?;
    let keys: BTreeSet<String> = logins.iter().map(|login| login.to_lowercase()).collect();
    match users.len() == keys.len() {
        true => Ok(users),
        false => Err(FieldProblem::invalid("Issue", "assignees").into()),
    }
}

/// The assignees of an issue, in the order of their ids.
pub async fn of_issue(connection: &Connection, issue: i64) -> Result<Vec<account::Model>, DbErr> {
    let rows = rows_with(connection, issue_assignee::Column::IssueId, [issue]).await?;
    let ids = rows.iter().map(|row| row.user_id);
    let mut users = rows_with(connection, account::Column::Id, ids).await?;
    users.sort_unstable_by_key(|user| user.id);
    Ok(users)
}

/// The added and removed assignees of an issue.
#[derive(Debug, Default)]
pub struct AssigneeChanges {
    pub added: Vec<account::Model>,
    pub removed: Vec<account::Model>,
}

impl AssigneeChanges {
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }
}

/// Assigns users to an issue, in addition to its assignees or instead of them. The issue must
/// be locked.
pub async fn assign(
    transaction: &Connection,
    issue: &issue::Model,
    users: Vec<account::Model>,
    replace: bool,
) -> Outcome<AssigneeChanges> {
    let before = of_issue(transaction, issue.id).await?;
    let assigned: BTreeSet<i64> = before.iter().map(|user| user.id).collect();
    let requested: BTreeSet<i64> = users.iter().map(|user| user.id).collect();
    let added: Vec<_> = users
        .into_iter()
        .filter(|user| !assigned.contains(&user.id))
        .collect();
    let removed: Vec<_> = match replace {
        true => before
            .into_iter()
            .filter(|user| !requested.contains(&user.id))
            .collect(),
        false => Vec::new(),
    };
    if assigned.len() + added.len() - removed.len() > MOST {
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
    Ok(AssigneeChanges { added, removed })
}

/// Removes assignees from an issue.
pub async fn unassign(
    transaction: &Connection,
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
