//! Pages of repositories and installations.

use std::collections::HashMap;

use crate::urls::Urls;
use crate::views::repository::Extras;
use crate::views::{installation as installations, repository as repositories};
use contract::installations::{InstallationRepositories, UserInstallations};
use contract::reply::Outcome;
use contract::shared::installation::RepositorySelection;
use storage::entities::collaborator::Permission;
use storage::entities::{installation, repository, token};

/// The repositories that an installation token can access.
pub fn own_repositories(
    urls: &Urls,
    (rows, total): (&[repository::Model], u64),
    relations: &repositories::RepositoryRelations,
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
    relations: &repositories::RepositoryRelations,
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
    relations: &installations::InstallationRelations,
) -> Outcome<UserInstallations> {
    let views = rows
        .iter()
        .map(|row| installations::installation(urls, row, relations));
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
        _ => installations::selection(installation.repository_selection),
    }
}

fn count(total: u64) -> i64 {
    i64::try_from(total).unwrap_or(i64::MAX)
}
