//! Selects the repositories that a caller may read, for responses that show data of many
//! repositories and omit what the caller must not see.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use migration::aggregates::Kind;

use super::{Access, RepositoryGrant};
use crate::explain;
use contract::call::Call;
use contract::operation::Operation;
use contract::problem::Problem;
use contract::reply::Outcome;
use contract::shared::address::RepoAddress;
use storage::database::rows_with;
use storage::entities::{account, repository};

impl Access {
    /// The repositories among these on which the caller may call a reading operation. Grants
    /// are cached, so a returning caller costs no query.
    pub async fn readable(
        &self,
        call: &Call,
        operation: &'static Operation,
        repositories: BTreeSet<i64>,
    ) -> Outcome<HashMap<i64, RepositoryGrant>> {
        let reading = Call::new((**call).clone(), operation);
        let mut readable = HashMap::new();
        for (id, at) in self.addresses(repositories).await? {
            // Omitting a repository is not a refusal of the request.
            let discarded = Some(Arc::default());
            match explain::recording(discarded, self.repository(&reading, &at)).await {
                Ok(grant) => {
                    readable.insert(id, grant);
                }
                Err(Problem::NotFound | Problem::Forbidden(_) | Problem::Unauthenticated) => {}
                Err(problem) => return Err(problem),
            }
        }
        Ok(readable)
    }

    async fn addresses(&self, repositories: BTreeSet<i64>) -> Outcome<Vec<(i64, RepoAddress)>> {
        let aggregates: Vec<_> = repositories
            .iter()
            .map(|id| Kind::Repository.of(*id))
            .collect();
        let reads = self.reading(&aggregates).await;
        let rows = rows_with(reads, repository::Column::Id, repositories).await?;
        let owners: BTreeSet<i64> = rows.iter().map(|row| row.owner_id).collect();
        let aggregates: Vec<_> = owners.iter().map(|id| Kind::Account.of(*id)).collect();
        let reads = self.reading(&aggregates).await;
        let owners = rows_with(reads, account::Column::Id, owners).await?;
        let login = |id: i64| owners.iter().find(|owner| owner.id == id);
        let addresses = rows.into_iter().filter_map(|row| {
            let at = RepoAddress {
                owner: login(row.owner_id)?.login.clone(),
                repo: row.name,
            };
            Some((row.id, at))
        });
        Ok(addresses.collect())
    }
}
