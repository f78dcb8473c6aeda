//! A repository as commit statuses and check suites show it.

use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};

use super::super::super::values::{Nullable, Url};
use super::super::user::User;
use super::{NestedRepository, RepositoryParts};

/// A repository, in short.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct MinimalRepository {
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    pub name: String,
    /// The owner and the name: `acme/gadgets`.
    pub full_name: String,
    pub private: bool,
    pub owner: User,
    pub html_url: Url,
    pub description: Nullable<String>,
    pub fork: bool,
    pub url: Url,
    #[oai(flatten)]
    #[serde(flatten)]
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
