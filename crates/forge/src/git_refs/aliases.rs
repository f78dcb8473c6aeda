//! The older paths of references.

use async_trait::async_trait;

use super::GitRefs;
use super::listing::RefList;
use super::rules;
use super::rules::MatchingNames;
use crate::access::RepositoryGrant;
use crate::git_objects::view::GitObjectView;
use contract::call::Call;
use contract::git_ref_aliases::{FoundRefs, Operations};
use contract::problem::Problem;
use contract::reply::{Outcome, Reply};
use contract::shared::address::RepoAddress;

#[async_trait]
impl Operations for GitRefs {
    async fn find_refs(
        &self,
        call: Call,
        at: RepoAddress,
        name: String,
    ) -> Outcome<Reply<200, FoundRefs>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let refs = self.find(&call, &grant, &name).await?;
        let changed = self.changed_at(&grant, &name).await?;
        Ok(self.dated(refs, &grant, changed))
    }
}

impl GitRefs {
    /// In byte order a name comes before all names that it is a prefix of, so the first one shows
    /// whether it exists.
    async fn find(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        name: &str,
    ) -> Outcome<Reply<200, FoundRefs>> {
        let full = rules::full_name(name);
        if let Some(((name, sha, kind), _)) = self.find_ref(grant, &full).await? {
            let found = GitObjectView::new(call, grant).git_ref(name, sha, kind);
            return Ok(Reply::new(FoundRefs::One(found)));
        }
        match self.list(call, grant, MatchingNames::full(name)).await? {
            RefList::Few(refs) if refs.is_empty() => Err(Problem::NotFound),
            // It was created since the lookup.
            RefList::Few(mut refs) if refs.first().is_some_and(|first| first.name == full) => {
                Ok(Reply::new(FoundRefs::One(refs.swap_remove(0))))
            }
            refs => Ok(self.reply(call, grant, refs, FoundRefs::Many)),
        }
    }
}
