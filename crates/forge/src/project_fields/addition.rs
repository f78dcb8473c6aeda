//! Adds a field inside the caller's transaction: that of a request, or that of a world file. The
//! caller commits.

use std::collections::BTreeSet;

use sea_orm::{DbErr, SqlErr};

use super::draft::{MirroredIssueField, NewProjectField, NewProjectFieldRow};
use super::{rows, rules};
use crate::projects::rows as projects;
use contract::problem::Problem;
use contract::reply::Outcome;
use storage::database::Connection;
use storage::entities::repository::Visibility;
use storage::entities::{project, project_field};
use storage::entropy::Entropy;

/// The context of adding a field.
pub struct Adding<'a> {
    pub project: i64,
    pub new_row: NewProjectFieldRow,
    /// The source of the ids of options and iterations.
    pub entropy: &'a dyn Entropy,
    /// Whether the visibility of issue fields is enforced.
    pub issue_field_visibility: bool,
}

/// Adds a field to a project, if there is room, its name is free, and its issue field, if any, is
/// allowed there.
pub async fn add(
    connection: &Connection,
    draft: &NewProjectField,
    adding: &Adding<'_>,
) -> Outcome<project_field::Model> {
    let project = rows::lock_project(connection, adding.project).await?;
    let project = project.ok_or(Problem::NotFound)?;
    rules::check_room(rows::count(connection, project.id).await?)?;
    let keys = match draft {
        NewProjectField::FromIssueField(mirrored) => {
            check_issue_field(connection, &project, mirrored, adding).await?;
            Vec::new()
        }
        NewProjectField::Own(own) => {
            let holder = rows::find_by_name(connection, project.id, &own.name).await?;
            if holder.is_some() {
                return Err(rules::name_taken().into());
            }
            distinct_ids(adding.entropy, own.form.parts())
        }
    };
    rows::insert(connection, project.id, draft, adding.new_row, &keys)
        .await
        .map_err(unique_conflict)
}

async fn check_issue_field(
    connection: &Connection,
    project: &project::Model,
    mirrored: &MirroredIssueField,
    adding: &Adding<'_>,
) -> Outcome<()> {
    let field = rows::lock_issue_field(connection, project.owner_id, mirrored.id).await?;
    let field = field.ok_or_else(rules::issue_field_unknown)?;
    let options = match mirrored.options {
        Some(_) => projects::issue_options(connection, [field.id]).await?,
        None => Vec::new(),
    };
    rules::check_agreement(&field, &options, mirrored)?;
    let public = adding.issue_field_visibility && project.visibility == Visibility::Public;
    rules::check_issue_field(&field, public)?;
    match rows::find_by_issue_field(connection, project.id, mirrored.id).await? {
        Some(_) => Err(rules::issue_field_taken().into()),
        None => Ok(()),
    }
}

/// As many distinct ids as requested.
fn distinct_ids(entropy: &dyn Entropy, count: usize) -> Vec<String> {
    let mut ids = BTreeSet::new();
    let mut drawn = Vec::with_capacity(count);
    while drawn.len() < count {
        let id = entropy.short_id();
        if ids.insert(id.clone()) {
            drawn.push(id);
        }
    }
    drawn
}

/// The lock makes the checks above sufficient; for writers that bypass it, the unique constraints
/// report the same errors.
fn unique_conflict(error: DbErr) -> Problem {
    match error.sql_err() {
        Some(SqlErr::UniqueConstraintViolation(on)) if on.contains("name_key") => {
            rules::name_taken().into()
        }
        Some(SqlErr::UniqueConstraintViolation(on)) if on.contains("issue_field_id") => {
            rules::issue_field_taken().into()
        }
        _ => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Returns each of its bytes four times, in order.
    struct Scripted(Mutex<Vec<u8>>);

    impl Entropy for Scripted {
        fn fill(&self, bytes: &mut [u8]) {
            let byte = self.0.lock().unwrap().remove(0);
            bytes.fill(byte);
        }
    }

    #[test]
    fn an_id_that_was_drawn_before_is_drawn_again() {
        let entropy = Scripted(Mutex::new(vec![1, 1, 1, 2]));
        assert_eq!(distinct_ids(&entropy, 2), ["01010101", "02020202"]);
    }
}
