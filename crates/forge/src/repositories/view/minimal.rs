//! A view of a repository that needs only its row and its owner.

use super::nested;
use crate::repositories::relations::RepositoryRelations;
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
    let relations = RepositoryRelations::of_owner(owner);
    Ok(nested(urls, row, &relations)?.into())
}
