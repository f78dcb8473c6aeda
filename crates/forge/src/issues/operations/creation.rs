//! Creates issues.

use sea_orm::{EntityTrait, Set};

use crate::access::RepositoryGrant;
use crate::assignees;
use crate::events::IssueAction;
use crate::issues::Issues;
use crate::issues::events::{IssueTransition, queue_issue_events};
use crate::issues::rows;
use crate::issues::rules::NewIssue;
use crate::labels;
use crate::repositories::rows::lock_repository;
use contract::call::Call;
use contract::reply::Outcome;
use storage::entities::issue;
use storage::limits::LimitedContent;

impl Issues {
    pub(super) async fn create(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        new: NewIssue,
    ) -> Outcome<issue::Model> {
        let author = call.caller.must_have_author()?;
        let (now, reads) = (self.app.clock.now(), self.app.db.reads());
        let limits = &self.app.content_limits;
        let stored = limits
            .stored(reads, LimitedContent::Issues, author, now)
            .await?;
        let transaction = self.app.db.begin().await?;
        lock_repository(&transaction, grant).await?;
        let number = rows::next_number(&transaction, grant.repository.id).await?;
        let assigned =
            assignees::rows::require_assignable(&transaction, grant, &new.assignees).await?;
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
            .exec_with_returning(&*transaction)
            .await?;
        let mut transition = IssueTransition {
            actions: vec![IssueAction::Opened],
            ..IssueTransition::default()
        };
        if let Some(names) = new.labels {
            let change =
                labels::rows::label_issue(&transaction, Some(grant), &row, names, false, now.0);
            transition.labels = change.await?;
        }
        transition.assignees = assignees::rows::assign(&transaction, &row, assigned, false).await?;
        // Only valid issues count.
        limits.admit(author, stored, now)?;
        let origin = self.app.origin(call, grant);
        queue_issue_events(&transaction, &origin, &row, transition).await?;
        transaction.commit().await?;
        Ok(row)
    }
}
