//! A repository with no more than its row and its owner tell.

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
