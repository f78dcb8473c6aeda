//! A repository in commit statuses and check suites.

use contract_macros::schema;
use poem_openapi::types::Example;

use super::super::super::values::{Nullable, Url};
use super::super::user::User;
use super::{NestedRepository, RepositoryParts};

/// A repository with its basic properties.
#[schema(example)]
pub struct MinimalRepository {
    /// The identifier of the repository.
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    /// The name of the repository.
    pub name: String,
    /// The owner and the name: `acme/gadgets`.
    pub full_name: String,
    /// Whether the repository is private.
    pub private: bool,
    pub owner: User,
    /// The URL of the repository's page.
    pub html_url: Url,
    /// The description of the repository.
    pub description: Nullable<String>,
    /// Whether the repository is a fork.
    pub fork: bool,
    /// The API URL of the repository.
    pub url: Url,
    #[schema(flatten)]
    pub parts: RepositoryParts,
}

impl From<NestedRepository> for MinimalRepository {
    fn from(repository: NestedRepository) -> Self {
        Self {
            id: repository.id,
            node_id: repository.node_id,
            name: repository.name,
            full_name: repository.full_name,
            private: repository.private,
            owner: repository.owner,
            html_url: repository.html_url,
            description: repository.description,
            fork: repository.fork,
            url: repository.url,
            parts: repository.parts,
        }
    }
}

impl Example for MinimalRepository {
    fn example() -> Self {
        NestedRepository::example().into()
    }
}
