//! A view of a repository that needs only its row and its owner.

use std::collections::HashMap;

use super::{RepositoryRelations, nested};
use crate::contract::reply::Outcome;
use crate::contract::shared::repository::MinimalRepository;
use crate::entities::{account, repository};
use crate::urls::Urls;

/// The repository as commit statuses and check suites show it.
pub fn minimal(
    urls: &Urls,
    row: &repository::Model,
    owner: &account::Model,
) -> Outcome<MinimalRepository> {
    let relations = RepositoryRelations {
        owners: HashMap::from([(row.owner_id, owner.clone())]),
        ..RepositoryRelations::default()
    };
    Ok(nested(urls, row, &relations)?.into())
}
