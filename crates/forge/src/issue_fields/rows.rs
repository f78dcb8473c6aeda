//! The rows of issue fields and their options. It decides nothing and begins no transaction: the
//! caller has made the checks, and commits.

use sea_orm::sea_query::{Expr, LockType, Query};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, Set,
};

use super::draft::{
    IssueFieldUpdate, NewIssueField, NewIssueFieldOption, NewIssueFieldRow, name_key,
};
use storage::database::Connection;
use storage::entities::repository::Visibility;
use storage::entities::{account, issue_field, issue_field_option, project, project_field};

/// Serializes changes to the fields of an organization. SQLite has one writer anyway. `false` if
/// the organization does not exist.
pub async fn lock_organization(connection: &Connection, organization: i64) -> Result<bool, DbErr> {
    // Weaker than FOR UPDATE, so that writers of rows that refer to the account need not wait.
    let row = account::Entity::find_by_id(organization)
        .lock(LockType::NoKeyUpdate)
        .one(connection)
        .await?;
    Ok(row.is_some())
}

pub async fn count(connection: &Connection, organization: i64) -> Result<u64, DbErr> {
    issue_field::Entity::find()
        .filter(issue_field::COLUMN.organization_id.eq(organization))
        .count(connection)
        .await
}

/// Every field of an organization, oldest first; the rules keep them few.
pub async fn list(
    connection: &Connection,
    organization: i64,
) -> Result<Vec<issue_field::Model>, DbErr> {
    issue_field::Entity::find()
        .filter(issue_field::COLUMN.organization_id.eq(organization))
        .order_by_asc(issue_field::Column::Id)
        .all(connection)
        .await
}

pub async fn find(
    connection: &Connection,
    organization: i64,
    id: i64,
) -> Result<Option<issue_field::Model>, DbErr> {
    issue_field::Entity::find_by_id(id)
        .filter(issue_field::COLUMN.organization_id.eq(organization))
        .one(connection)
        .await
}

/// The field with this name, ignoring case.
pub async fn find_by_name(
    connection: &Connection,
    organization: i64,
    name: &str,
) -> Result<Option<issue_field::Model>, DbErr> {
    issue_field::Entity::find()
        .filter(issue_field::COLUMN.organization_id.eq(organization))
        .filter(issue_field::COLUMN.name_key.eq(name_key(name)))
        .one(connection)
        .await
}

pub async fn insert(
    connection: &Connection,
    organization: i64,
    draft: &NewIssueField,
    new_row: NewIssueFieldRow,
) -> Result<issue_field::Model, DbErr> {
    let mut row = issue_field::ActiveModel {
        organization_id: Set(organization),
        name: Set(draft.name.clone()),
        name_key: Set(name_key(&draft.name)),
        description: Set(draft.description.clone()),
        data_type: Set(draft.data_type),
        visibility: Set(draft.visibility),
        created_at: Set(new_row.created_at),
        updated_at: Set(new_row.created_at),
        ..Default::default()
    };
    if let Some(id) = new_row.id {
        row.id = Set(id);
    }
    let field = row.insert(connection).await?;
    insert_options(connection, field.id, &draft.options, new_row.created_at).await?;
    Ok(field)
}

async fn insert_options(
    connection: &Connection,
    field: i64,
    options: &[NewIssueFieldOption],
    at: i64,
) -> Result<(), DbErr> {
    if options.is_empty() {
        return Ok(());
    }
    let rows = options
        .iter()
        .map(|option| issue_field_option::ActiveModel {
            field_id: Set(field),
            created_at: Set(at),
            ..option_row(option, at)
        });
    issue_field_option::Entity::insert_many(rows)
        .exec_without_returning(connection)
        .await?;
    Ok(())
}

/// The row of an option, without its id and field.
fn option_row(option: &NewIssueFieldOption, at: i64) -> issue_field_option::ActiveModel {
    issue_field_option::ActiveModel {
        name: Set(option.name.clone()),
        name_key: Set(name_key(&option.name)),
        color: Set(option.color),
        description: Set(option.description.clone()),
        priority: Set(option.priority),
        updated_at: Set(at),
        ..Default::default()
    }
}

/// Applies a revision to a field. Options are deleted, then changed, then added, so that a
/// name can pass from one to another.
pub async fn revise(
    connection: &Connection,
    field: &issue_field::Model,
    revision: &IssueFieldUpdate,
    at: i64,
) -> Result<issue_field::Model, DbErr> {
    let mut row = issue_field::ActiveModel {
        id: Set(field.id),
        updated_at: Set(at),
        ..Default::default()
    };
    if let Some(name) = &revision.name {
        row.name = Set(name.clone());
        row.name_key = Set(name_key(name));
    }
    if let Some(description) = &revision.description {
        row.description = Set(description.clone());
    }
    if let Some(visibility) = revision.visibility {
        row.visibility = Set(visibility);
    }
    let field = row.update(connection).await?;
    remove_options(connection, &revision.removed).await?;
    change_options(connection, &revision.changed, at).await?;
    insert_options(connection, field.id, &revision.added, at).await?;
    Ok(field)
}

async fn remove_options(connection: &Connection, ids: &[i64]) -> Result<(), DbErr> {
    if ids.is_empty() {
        return Ok(());
    }
    issue_field_option::Entity::delete_many()
        .filter(issue_field_option::Column::Id.is_in(ids.iter().copied()))
        .exec(connection)
        .await?;
    Ok(())
}

async fn change_options(
    connection: &Connection,
    changed: &[(i64, NewIssueFieldOption)],
    at: i64,
) -> Result<(), DbErr> {
    for (id, _) in changed {
        // Two options may swap names. Until all have theirs, each gets a key that
        // no name has, because keys are trimmed.
        issue_field_option::Entity::update_many()
            .col_expr(
                issue_field_option::Column::NameKey,
                Expr::value(format!(" {id}")),
            )
            .filter(issue_field_option::COLUMN.id.eq(*id))
            .exec(connection)
            .await?;
    }
    for (id, option) in changed {
        let row = issue_field_option::ActiveModel {
            id: Set(*id),
            ..option_row(option, at)
        };
        row.update(connection).await?;
    }
    Ok(())
}

/// Deletes a field; the database deletes dependent rows. `false` if there
/// was none.
pub async fn delete(connection: &Connection, organization: i64, id: i64) -> Result<bool, DbErr> {
    let outcome = issue_field::Entity::delete_many()
        .filter(issue_field::COLUMN.id.eq(id))
        .filter(issue_field::COLUMN.organization_id.eq(organization))
        .exec(connection)
        .await?;
    Ok(outcome.rows_affected > 0)
}

/// Removes a field from every public project.
pub async fn leave_public_projects(connection: &Connection, id: i64) -> Result<(), DbErr> {
    let public = Query::select()
        .column(project::Column::Id)
        .from(project::Entity)
        .and_where(project::Column::Visibility.eq(Visibility::Public))
        .to_owned();
    project_field::Entity::delete_many()
        .filter(project_field::Column::IssueFieldId.eq(id))
        .filter(project_field::Column::ProjectId.in_subquery(public))
        .exec(connection)
        .await?;
    Ok(())
}
