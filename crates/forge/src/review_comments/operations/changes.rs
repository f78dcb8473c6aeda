//! Changes of comments. Each change is one transaction, including its notifications and
//! webhook events. The caller has checked access.

use crate::access::RepositoryGrant;
use crate::comments::rules::may_comment;
use crate::events::Origin;
use crate::events::{CommentAction, EventName};
use crate::issues::rows::lock_pull;
use crate::notifications;
use crate::review_comments::events::queue_comment_events;
use crate::review_comments::location::{CommentLocation, prepared};
use crate::review_comments::placement::Placement;
use crate::review_comments::showing::comment_view;
use crate::review_comments::{ReviewComments, rows};
use crate::review_comments::{cached, creation, rules};
use crate::urls::Urls;
use crate::views::markdown::Text;
use contract::call::Call;
use contract::problem::Problem;
use contract::reply::{Outcome, Reply};
use contract::review_comments::ReviewComment;
use storage::database::Transaction;
use storage::entities::collaborator::Permission;
use storage::entities::{pull, review_comment};
use storage::heavy;
use storage::limits::LimitedContent;

impl ReviewComments {
    /// Locates and renders the comment before the transaction, because the transaction blocks
    /// other writers. If the pull request has moved since, the transaction locates it again.
    pub(super) async fn create(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        pull: pull::Model,
        placement: Placement,
        body: String,
    ) -> Outcome<Reply<201, ReviewComment>> {
        let author = call.caller.must_have_author()?;
        let now = self.app.clock.now();
        let reads = self.app.db.reads();
        let text = prepared(reads, body).await?;
        let location = cached::location(&self.app, &pull, &placement, author).await?;
        if let Some(limit) = self.app.content_limits.repetition() {
            let new = rows::CommentText {
                pull: pull.id,
                author,
                root: location.root,
                anchor: &location.anchor,
                body: &text.body,
            };
            let since = now.0 - limit.window;
            let repetitions = rows::repetitions(reads, new, since).await?;
            rules::not_spam(repetitions, limit.most)?;
        }
        let limits = &self.app.content_limits;
        let stored = limits.stored(reads, LimitedContent::Comments, author, now);
        limits.admit(author, stored.await?, now)?;
        let audience = self.app.audience(&grant.repository).await?;
        let references = rows::Referenced {
            authors: [author].into(),
            pulls: [pull.id].into(),
        };
        let relations = cached::relations(&self.app, &grant.repository, &references).await?;
        let notified = notifications::NotifiedComment {
            author,
            pull: &pull,
            root: location.root,
            mentioned: &text.mentioned,
        };
        let recipients = notifications::recipients(&self.app, notified).await?;
        let new = creation::NewComment {
            id: None,
            author,
            now: now.0,
            location: &location,
            text: &text,
            recipients: &recipients,
        };
        // A batch cannot check the thread of a reply, nor queue webhook events.
        let is_subscribed = audience.has_subscriber(EventName::PullRequestReviewComment);
        let batched = match is_subscribed || location.root.is_some() {
            false => creation::batched::insert(&self.creations, &self.app.db, &pull, &new).await?,
            true => None,
        };
        let row = match batched {
            Some(row) => row,
            None => {
                let create = CommentCreation {
                    pull,
                    placement: &placement,
                    new,
                };
                let origin = self.app.origin(call, grant).before(audience);
                self.write(&origin, grant.role, create).await?
            }
        };
        if !recipients.is_empty() {
            self.app.outbox.wake();
        }
        let name = grant.full_name();
        let comment = comment_view(&Urls::of(call), call.media, &name, &row, &relations)?;
        let location = comment.url.0.clone();
        Ok(Reply::new(comment).location(location))
    }

    /// Writes a comment, if its author still may. Locates it again if the pull request has moved.
    async fn write(
        &self,
        origin: &Origin<'_>,
        role: Permission,
        CommentCreation {
            pull,
            placement,
            mut new,
        }: CommentCreation<'_>,
    ) -> Outcome<review_comment::Model> {
        let transaction = self.app.db.begin().await?;
        let current = lock_pull(&transaction, pull.id).await?;
        let current = current.ok_or(Problem::NotFound)?;
        may_comment(current.locked, role)?;
        // Another comment only changes `updated_at`. The root of a thread may have been
        // deleted.
        let updated_at = current.updated_at;
        let moved = pull::Model { updated_at, ..pull } != current;
        let location;
        if moved || new.location.root.is_some() {
            let find = CommentLocation::find(&transaction, &current, placement);
            location = heavy::without_waiting(find).await?;
            new.location = &location;
        }
        let row = creation::insert(&transaction, &current, &new).await?;
        notifications::queue_notifications(&transaction, &row, new.recipients).await?;
        queue_comment_event(&transaction, origin, CommentAction::Created, &current, &row).await?;
        transaction.commit().await?;
        Ok(row)
    }

    pub(super) async fn rewrite(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        comment: &review_comment::Model,
        text: &Text,
    ) -> Outcome<review_comment::Model> {
        let audience = self.app.audience(&grant.repository).await?;
        let transaction = self.app.db.begin().await?;
        let (pull, mut row) = locked(&transaction, comment).await?;
        if row.body == text.body {
            return Ok(row);
        }
        let new = rows::NewText {
            body: &text.body,
            html: &text.rendered.html,
            text: &text.rendered.text,
        };
        row.updated_at = self.app.clock.now().0;
        rows::rewrite(&transaction, row.id, new, row.updated_at).await?;
        let before = std::mem::replace(&mut row.body, text.body.clone());
        row.body_html.clone_from(&text.rendered.html);
        row.body_text.clone_from(&text.rendered.text);
        let origin = self.app.origin(call, grant).before(audience);
        let action = CommentAction::Edited { before };
        queue_comment_event(&transaction, &origin, action, &pull, &row).await?;
        transaction.commit().await?;
        Ok(row)
    }

    pub(super) async fn delete(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        comment: &review_comment::Model,
    ) -> Outcome<()> {
        let audience = self.app.audience(&grant.repository).await?;
        let transaction = self.app.db.begin().await?;
        let (pull, row) = locked(&transaction, comment).await?;
        rows::delete(&transaction, &row).await?;
        let origin = self.app.origin(call, grant).before(audience);
        queue_comment_event(&transaction, &origin, CommentAction::Deleted, &pull, &row).await?;
        transaction.commit().await?;
        Ok(())
    }
}

async fn queue_comment_event(
    transaction: &Transaction,
    origin: &Origin<'_>,
    action: CommentAction,
    pull: &pull::Model,
    row: &review_comment::Model,
) -> Outcome<()> {
    let rows = std::slice::from_ref(row);
    queue_comment_events(transaction, origin, &action, pull, rows).await
}

/// A comment to write, and the pull request for which it was located.
struct CommentCreation<'a> {
    pull: pull::Model,
    placement: &'a Placement,
    new: creation::NewComment<'a>,
}

/// Locks the pull request of a comment, and reads the current rows of both.
async fn locked(
    transaction: &Transaction,
    comment: &review_comment::Model,
) -> Outcome<(pull::Model, review_comment::Model)> {
    let pull = lock_pull(transaction, comment.pull_id).await?;
    let row = rows::comment_of_pull(transaction, comment.pull_id, comment.id).await?;
    pull.zip(row).ok_or(Problem::NotFound)
}
