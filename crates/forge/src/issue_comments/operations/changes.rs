//! Changes of comments. Each change is one transaction, including its webhook events. The caller
//! has checked access.

use std::collections::HashMap;

use super::showing::{CommentContext, comment_view};
use crate::access::RepositoryGrant;
use crate::comments::authors::Authors;
use crate::comments::rules::{may_comment, not_spam};
use crate::events::Origin;
use crate::events::{self, Audience, CommentAction, Event, EventName};
use crate::issue_comments::creation::{COMMENT, NewIssueComment, batched, insert, prepared};
use crate::issue_comments::{IssueComments, rows};
use crate::issues;
use crate::issues::events::issue_value;
use crate::issues::showing::IssueName;
use crate::urls::Urls;
use crate::views::markdown::Text;
use contract::call::Call;
use contract::issue_comments::IssueComment;
use contract::media::Media;
use contract::problem::Problem;
use contract::reply::{Outcome, Reply};
use contract::values::Timestamp;
use storage::database::Transaction;
use storage::entities::collaborator::Permission;
use storage::entities::{issue, issue_comment};
use storage::limits::LimitedContent;

impl IssueComments {
    /// Reads and renders everything before the transaction, because the transaction blocks other
    /// writers.
    pub(super) async fn create(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        issue: issue::Model,
        body: String,
    ) -> Outcome<Reply<201, IssueComment>> {
        let author = call.caller.must_have_author()?;
        let now = self.app.clock.now();
        let text = prepared(self.app.db.reads(), body).await?;
        self.admit(author, &issue, &text.body, now).await?;
        let audience = self.app.audience(&grant.repository).await?;
        let authors = [author].into();
        let authors = Authors::cached(&self.app, &grant.repository, &authors).await?;
        let new = NewIssueComment {
            author,
            text: &text,
            now: now.0,
        };
        let batched = match audience.has_subscriber(EventName::IssueComment) {
            false => batched::insert(&self.creations, &self.app.db, &issue, new).await?,
            true => None,
        };
        let row = match batched {
            Some(row) => row,
            None => {
                let origin = self.app.origin(call, grant).before(audience);
                self.write(&origin, grant.role, &issue, new).await?
            }
        };
        let context = CommentContext {
            urls: &Urls::of(call),
            media: call.media,
            full_name: &grant.full_name(),
            authors: &authors,
            issues: &HashMap::from([(issue.id, IssueName::of(&issue))]),
        };
        let comment = comment_view(&context, &row)?;
        let location = comment.url.0.clone();
        Ok(Reply::new(comment).location(location))
    }

    /// Enforces the content limits of an author.
    async fn admit(
        &self,
        author: i64,
        issue: &issue::Model,
        body: &str,
        now: Timestamp,
    ) -> Outcome<()> {
        let (limits, reads) = (&self.app.content_limits, self.app.db.reads());
        if let Some(limit) = limits.repetition() {
            let since = now.0 - limit.window;
            let repetitions = rows::repetitions(reads, issue.id, author, body, since).await?;
            not_spam(COMMENT, repetitions, limit.most)?;
        }
        let stored = limits.stored(reads, LimitedContent::Comments, author, now);
        limits.admit(author, stored.await?, now)
    }

    /// Writes a comment, if its author still may, and queues its webhook event.
    async fn write(
        &self,
        origin: &Origin<'_>,
        role: Permission,
        issue: &issue::Model,
        new: NewIssueComment<'_>,
    ) -> Outcome<issue_comment::Model> {
        let transaction = self.app.db.begin().await?;
        let mut issue = issues::lock(&transaction, issue).await?;
        may_comment(issue.locked, role)?;
        issues::rows::touch(&transaction, &issue, new.now).await?;
        let row = insert(&transaction, &issue, new).await?;
        let row = row.ok_or(Problem::NotFound)?;
        issue.comments += 1;
        issue.updated_at = issue.updated_at.max(new.now);
        queue_comment_event(&transaction, origin, CommentAction::Created, &issue, &row).await?;
        transaction.commit().await?;
        Ok(row)
    }

    pub(super) async fn rewrite(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        comment: &issue_comment::Model,
        text: &Text,
    ) -> Outcome<issue_comment::Model> {
        let audience = self.app.audience(&grant.repository).await?;
        let (transaction, issue, mut row) = self.locked(comment).await?;
        if row.body == text.body {
            return Ok(row);
        }
        let before = row.body.clone();
        rows::rewrite(&transaction, &mut row, text, self.app.clock.now().0).await?;
        let origin = self.app.origin(call, grant).before(audience);
        let action = CommentAction::Edited { before };
        queue_comment_event(&transaction, &origin, action, &issue, &row).await?;
        transaction.commit().await?;
        Ok(row)
    }

    pub(super) async fn delete(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        comment: &issue_comment::Model,
    ) -> Outcome<()> {
        let audience = self.app.audience(&grant.repository).await?;
        let (transaction, mut issue, row) = self.locked(comment).await?;
        rows::delete(&transaction, row.id).await?;
        issue.comments -= 1;
        let origin = self.app.origin(call, grant).before(audience);
        queue_comment_event(&transaction, &origin, CommentAction::Deleted, &issue, &row).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Locks the issue of a comment, and reads the current rows of both.
    async fn locked(
        &self,
        comment: &issue_comment::Model,
    ) -> Outcome<(Transaction, issue::Model, issue_comment::Model)> {
        let issue = rows::issue_of(self.app.db.reads(), comment).await?;
        let issue = issue.ok_or(Problem::NotFound)?;
        let transaction = self.app.db.begin().await?;
        let issue = issues::lock(&transaction, &issue).await?;
        let row = rows::comment(&transaction, comment.repository_id, comment.id).await?;
        Ok((transaction, issue, row.ok_or(Problem::NotFound)?))
    }
}

/// Queues the webhook event of a change of a comment.
async fn queue_comment_event(
    transaction: &Transaction,
    origin: &Origin<'_>,
    action: CommentAction,
    issue: &issue::Model,
    row: &issue_comment::Model,
) -> Outcome<()> {
    let is_subscribed = |audience: &Audience| audience.has_subscriber(EventName::IssueComment);
    if !origin.audience.as_deref().is_none_or(is_subscribed) {
        return Ok(());
    }
    let authors = row.author_id.into_iter().collect();
    let context = CommentContext {
        urls: &origin.urls,
        media: Media::Raw,
        full_name: &origin.full_name(),
        authors: &Authors::of(transaction, origin.repository, &authors).await?,
        issues: &HashMap::from([(issue.id, IssueName::of(issue))]),
    };
    let comment = comment_view(&context, row)?;
    let event = Event::IssueComment {
        action,
        comment: &comment,
        issue: &issue_value(transaction, origin, issue).await?,
    };
    events::queue(transaction, origin, event).await
}
