//! Pull requests as lists show them.

use std::collections::BTreeSet;

use crate::access::RepositoryGrant;
use crate::issues::showing::PullMarks;
use crate::urls::Urls;
use crate::views::accounts::accounts;
use crate::views::association::Associations;
use crate::views::pull::{PullRelations, pull as summary};
use crate::views::repository as repositories;
use crate::views::repository::RepositoryRelations;
use contract::call::Call;
use contract::problem::Problem;
use contract::pulls::PullSummary;
use contract::reply::Outcome;
use storage::database::Database;
use storage::entities::pull;

/// Pull requests of one repository, with their labels, assignees and other issue data.
pub async fn summaries(
    db: &Database,
    call: &Call,
    grant: &RepositoryGrant,
    rows: &[pull::Model],
    marks: &PullMarks,
) -> Outcome<Vec<PullSummary>> {
    let (urls, row) = (Urls::of(call), &grant.repository);
    let authors: BTreeSet<i64> = rows.iter().map(|pull| pull.author_id).collect();
    let associations = Associations::of(db, row, &authors).await?;
    let relations = RepositoryRelations::of(db, std::slice::from_ref(row), None).await?;
    let repository = repositories::nested(&urls, row, &relations)?;
    let accounts = accounts(db, authors).await?;
    let full_name = grant.full_name();
    let summaries = rows.iter().map(|pull| {
        let author = accounts.get(&pull.author_id);
        let author = author.ok_or_else(|| Problem::internal("a pull request has no author"))?;
        let relations = PullRelations {
            author: urls.user(author),
            association: associations.association(Some(author.id)),
            repository: repository.clone(),
        };
        let mut view = summary(&urls, pull, relations);
        marks.add_to(&mut view, &urls, &full_name);
        Ok(view)
    });
    summaries.collect()
}
