//! A view of a repository that needs only its row and its owner.

use std::collections::HashMap;

use super::{RepositoryRelations, nested};
use crate::urls::Urls;
use contract::reply::Outcome;
use contract::shared::repository::MinimalRepository;
use storage::entities::{account, repository};

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
