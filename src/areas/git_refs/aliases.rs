//! What the older paths of references answer that no other operation does.

use async_trait::async_trait;

use super::listing::RefList;
use super::{GitRefs, rules};
use crate::access::RepositoryGrant;
use crate::contract::call::Call;
use crate::contract::git_ref_aliases::{FoundRefs, Operations};
use crate::contract::problem::Problem;
use crate::contract::reply::{Outcome, Reply};
use crate::contract::shared::address::RepoAddress;
use crate::views::git_object::GitObjectView;

#[async_trait]
impl Operations for GitRefs {
    async fn find_refs(
        &self,
        call: Call,
        at: RepoAddress,
        name: String,
    ) -> Outcome<Reply<200, FoundRefs>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let found = self.find(&call, &grant, &name).await?;
        let pushed_at = self.pushed_at(&grant).await?;
        Ok(self.dated(found, &grant, pushed_at))
    }
}

impl GitRefs {
    /// In byte order a name comes before all that it begins, so the first one
    /// tells whether it is there.
    async fn find(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        name: &str,
    ) -> Outcome<Reply<200, FoundRefs>> {
        let full = rules::full_name(name);
        let row = self.find_ref(grant, &full).await?;
        if let Some(one) = row {
            let one = GitObjectView::new(call, grant).git_ref(one.name, one.sha, one.kind);
            return Ok(Reply::new(FoundRefs::One(one)));
        }
        match self.list(call, grant, name).await? {
            RefList::Few(found) if found.is_empty() => Err(Problem::NotFound),
            // It was made since it was looked for.
            RefList::Few(mut found) if found.first().is_some_and(|first| first.name == full) => {
                Ok(Reply::new(FoundRefs::One(found.swap_remove(0))))
            }
            found => Ok(self.reply(call, grant, found, FoundRefs::Many)),
        }
    }
}
