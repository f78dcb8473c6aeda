//! What callers are shown of issues.

use migration::aggregates::Kind;

use super::super::{Issues, store};
use crate::access::RepositoryGrant;
use crate::contract::call::Call;
use crate::contract::issues::{Issue, IssueList};
use crate::contract::problem::Problem;
use crate::contract::reply::{Outcome, Reply};
use crate::entities::issue;
use crate::issues::showing::show_all;

/// Whom a text mentions may come to exist, which no version tells.
pub fn is_fleeting(call: &Call) -> bool {
    call.media.has_text() || call.media.has_html()
}

impl Issues {
    pub(super) async fn list(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        list: &IssueList,
    ) -> Outcome<Reply<200, Vec<Issue>>> {
        let id = grant.repository.id;
        let mut named = vec![Kind::RepositoryIssues.of(id)];
        if list.labels.is_some() {
            named.push(Kind::Labels.of(id));
        }
        let reads = self.app.db.reading(&named).await;
        let (rows, total) = store::list(reads, id, list).await?;
        let shown = show_all(&self.app, call, grant, &rows).await?;
        // Whose login is asked for may come to exist, which no version tells.
        let by_login = list.creator.is_some() || list.assignee.is_some();
        Ok(Reply::new(shown)
            .link(list.page.link(call, total))
            .uncacheable_if(is_fleeting(call) || by_login))
    }

    pub(super) async fn show(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        row: issue::Model,
    ) -> Outcome<Issue> {
        let shown = show_all(&self.app, call, grant, std::slice::from_ref(&row)).await?;
        let shown = shown.into_iter().next();
        shown.ok_or_else(|| Problem::internal("an issue was not shown"))
    }
}
