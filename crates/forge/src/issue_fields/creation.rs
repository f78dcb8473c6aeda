//! Creates an issue field inside the caller's transaction: that of a request, or that of a world
//! file. The caller commits.

use sea_orm::{DbErr, SqlErr};

use super::draft::{NewIssueField, NewIssueFieldRow};
use super::{rows, rules};
use contract::problem::Problem;
use contract::reply::Outcome;
use storage::database::Connection;
use storage::entities::issue_field;

/// Creates a field of an organization, if there is room and its name is free.
pub async fn create(
    connection: &Connection,
    organization: i64,
    draft: &NewIssueField,
    new_row: NewIssueFieldRow,
) -> Outcome<issue_field::Model> {
    if !rows::lock_organization(connection, organization).await? {
        return Err(Problem::NotFound);
    }
    rules::check_room(rows::count(connection, organization).await?)?;
    if rows::find_by_name(connection, organization, &draft.name)
        .await?
        .is_some()
    {
        return Err(rules::name_taken().into());
    }
    rows::insert(connection, organization, draft, new_row)
        .await
        .map_err(name_conflict)
}

/// Rejects a new name that another field has; a field may change the case of its own.
pub(super) async fn check_rename(
    connection: &Connection,
    field: &issue_field::Model,
    name: &str,
) -> Outcome<()> {
    let holder = rows::find_by_name(connection, field.organization_id, name).await?;
    match holder.filter(|holder| holder.id != field.id) {
        Some(_) => Err(rules::name_taken().into()),
        None => Ok(()),
    }
}

/// The lock makes the checks above sufficient; for writers that bypass it, the unique constraint
/// reports the same error.
pub(super) fn name_conflict(error: DbErr) -> Problem {
    match error.sql_err() {
        Some(SqlErr::UniqueConstraintViolation(on)) if on.contains("name_key") => {
            rules::name_taken().into()
        }
        _ => error.into(),
    }
}
