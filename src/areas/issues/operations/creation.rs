//! Creates issues.

use sea_orm::{EntityTrait, Set};

use super::super::Issues;
use super::super::rules::NewIssue;
use crate::access::RepositoryGrant;
use crate::contract::call::Call;
use crate::contract::reply::Outcome;
use crate::entities::issue;
use crate::issues::telling::{Happened, tell};
use crate::issues::{assignees, labels, store};
use crate::notify::IssueAction;
use crate::origin::Origin;
use crate::refs;

impl Issues {
    pub(super) async fn create(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        new: NewIssue,
    ) -> Outcome<issue::Model> {
        let author = call.caller.must_have_author()?;
        let (now, reads) = (self.app.clock.now(), self.app.db.reads());
        let recent_times = match self.app.content_limits.lookback() {
            Some((most, age)) => store::written_lately(reads, author, most, now.0 - age).await?,
            None => Vec::new(),
        };
        let transaction = self.app.db.begin().await?;
        refs::lock(&transaction, grant).await?;
        let number = store::next_number(&transaction, grant.repository.id).await?;
        let assigned = assignees::all_named(&transaction, grant, &new.assignees).await?;
        self.app.content_limits.admit(author, &recent_times, now)?;
        let row = issue::ActiveModel {
            repository_id: Set(grant.repository.id),
            number: Set(number),
            title: Set(new.title),
            body: Set(new.body),
            author_id: Set(author),
            state: Set(issue::IssueState::Open),
            created_at: Set(now.0),
            updated_at: Set(now.0),
            ..Default::default()
        };
        let row = issue::Entity::insert(row)
            .exec_with_returning(&transaction)
            .await?;
        let mut happened = Happened {
            itself: vec![IssueAction::Opened],
            ..Happened::default()
        };
        if let Some(names) = new.labels {
            happened.labels = labels::give(&transaction, &row, names, false, now.0).await?;
        }
        happened.assignees = assignees::assign(&transaction, &row, assigned, false).await?;
        let origin = Origin::of(&self.app, call, grant);
        tell(&transaction, &origin, &row, happened).await?;
        transaction.commit().await?;
        Ok(row)
    }
}
