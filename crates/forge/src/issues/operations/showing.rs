//! Views of issues.

use migration::aggregates::Kind;

use crate::access::RepositoryGrant;
use crate::issues::showing::show_all;
use crate::issues::{Issues, rows};
use crate::views::page;
use contract::call::Call;
use contract::issues::{Issue, IssueList};
use contract::reply::{Outcome, Reply};

impl Issues {
    pub(super) async fn list(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        list: &IssueList,
    ) -> Outcome<Reply<200, Vec<Issue>>> {
        let id = grant.repository.id;
        let mut aggregates = vec![Kind::RepositoryIssues.of(id)];
        if list.labels.is_some() {
            aggregates.push(Kind::Labels.of(id));
        }
        let reads = self.app.db.reading(&aggregates).await;
        let (rows, length) = rows::list(reads, id, list).await?;
        let views = show_all(&self.app, call, grant, &rows).await?;
        // An account with the login may be created later, which changes no version.
        let by_login = list.creator.is_some() || list.assignee.is_some();
        let bytes = rows.iter().filter_map(|row| Some(row.body.as_ref()?.len()));
        let reply = page::reply(bytes.sum(), views).await?;
        Ok(reply
            .link(list.page.link(call, length))
            .uncacheable_if(call.media.is_rendered() || by_login))
    }
}
