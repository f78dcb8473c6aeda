//! Pages of repositories and installations.

use std::collections::HashMap;

use contract::installations::{InstallationRepositories, UserInstallations};
use contract::problem::Problem;
use contract::reply::Outcome;
use contract::shared::installation::{Installation, InstallationCore, RepositorySelection};
use contract::values::Timestamp;
use storage::entities::collaborator::Permission;
use storage::entities::{installation, repository, token};

use super::relations::InstallationRelations;
use crate::access::credential::parsed;
use crate::repositories::relations::RepositoryRelations;
use crate::repositories::view as repositories;
use crate::repositories::view::Extras;
use crate::urls::Urls;

/// The repositories that an installation token can access.
pub fn own_repositories(
    urls: &Urls,
    (rows, total): (&[repository::Model], u64),
    relations: &RepositoryRelations,
    selection: RepositorySelection,
) -> Outcome<InstallationRepositories> {
    let extras = Extras {
        custom_properties: true,
        ..Extras::default()
    };
    let views = rows
        .iter()
        .map(|row| repositories::repository(urls, row, relations, extras));
    Ok(InstallationRepositories {
        total_count: count(total),
        repository_selection: selection,
        repositories: views.collect::<Outcome<_>>()?,
    })
}

/// The repositories of an installation that a user can access, each with the user's role.
pub fn user_repositories(
    urls: &Urls,
    (rows, total): (&[repository::Model], u64),
    relations: &RepositoryRelations,
    roles: &HashMap<i64, Permission>,
    selection: RepositorySelection,
) -> Outcome<InstallationRepositories> {
    let views = rows.iter().map(|row| {
        let extras = Extras {
            role: Some(roles.get(&row.id).copied().unwrap_or(Permission::None)),
            ..Extras::default()
        };
        repositories::repository(urls, row, relations, extras)
    });
    Ok(InstallationRepositories {
        total_count: count(total),
        repository_selection: selection,
        repositories: views.collect::<Outcome<_>>()?,
    })
}

/// The installations that a user can access.
pub fn user_installations(
    urls: &Urls,
    (rows, total): (&[installation::Model], u64),
    relations: &InstallationRelations,
) -> Outcome<UserInstallations> {
    let views = rows.iter().map(|row| installation(urls, row, relations));
    Ok(UserInstallations {
        total_count: count(total),
        installations: views.collect::<Outcome<_>>()?,
    })
}

/// A limited token has a selection, even if its installation does not.
pub fn token_selection(
    installation: &installation::Model,
    token: &token::Model,
) -> RepositorySelection {
    match token.repository_selection {
        Some(token::TokenSelection::Selected) => RepositorySelection::Selected,
        _ => selection(installation.repository_selection),
    }
}

fn count(total: u64) -> i64 {
    i64::try_from(total).unwrap_or(i64::MAX)
}

/// The installation as clients see it.
pub fn installation(
    urls: &Urls,
    row: &installation::Model,
    relations: &InstallationRelations,
) -> Outcome<Installation> {
    let lost = || Problem::internal("an installation has no account or no app");
    let account = |id: i64| relations.accounts.get(&id);
    let app = relations.apps.get(&row.app_id).ok_or_else(lost)?;
    let suspended_by = row.suspended_by_id.and_then(account);
    let core = InstallationCore {
        id: row.id,
        app_id: app.id,
        app_slug: app.slug.clone(),
        client_id: app.client_id.clone(),
        account: urls.user(account(row.account_id).ok_or_else(lost)?),
        repository_selection: selection(row.repository_selection),
        permissions: parsed(&row.permissions)?,
        events: parsed(&row.events)?,
        single_file_paths: parsed(&row.single_file_paths)?,
        created_at: Timestamp(row.created_at),
        updated_at: Timestamp(row.updated_at),
        suspended_by: suspended_by.map(|account| urls.user(account)),
        suspended_at: row.suspended_at.map(Timestamp),
    };
    Ok(Installation::new(&urls.api, &urls.web, core))
}

pub fn selection(selection: installation::RepositorySelection) -> RepositorySelection {
    match selection {
        installation::RepositorySelection::All => RepositorySelection::All,
        installation::RepositorySelection::Selected => RepositorySelection::Selected,
    }
}
