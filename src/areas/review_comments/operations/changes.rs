//! What changes comments: each change in one transaction, with all that it owes to
//! others. Who may ask for it was decided before.

use super::super::draft::{Standing, Text};
use super::super::placement::Placement;
use super::super::{ReviewComments, creation, rules, store};
use super::showing::shown;
use crate::access::RepositoryGrant;
use crate::contract::call::Call;
use crate::contract::media::Media;
use crate::contract::problem::Problem;
use crate::contract::reply::{Outcome, Reply};
use crate::contract::review_comments::ReviewComment;
use crate::database::Transaction;
use crate::entities::{installation, pull, review_comment};
use crate::notify::{self, Action, Event};
use crate::urls::Urls;

impl ReviewComments {
    /// Everything about a new comment is found out before the transaction, which
    /// others wait for; if the pull request moved meanwhile, once more within.
    pub(super) async fn create(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        pull: pull::Model,
        placement: Placement,
        body: String,
    ) -> Outcome<Reply<201, ReviewComment>> {
        let author = call
            .caller
            .author()
            .ok_or_else(|| Problem::Forbidden("Resource not accessible by integration".into()))?;
        let now = self.app.clock.now();
        let reads = self.app.db.reads();
        let text = Text::prepare(reads, body).await?;
        let standing = self.find_standing(&pull, &placement).await?;
        if let Some(limit) = self.app.content_limits.repetition() {
            let new = store::Written {
                pull: pull.id,
                author,
                root: standing.root,
                anchor: &standing.anchor,
                body: &text.body,
            };
            let written = store::repetitions(reads, new, now.0 - limit.window).await?;
            rules::not_spam(written, limit.most)?;
        }
        let written = match self.app.content_limits.memory() {
            Some((most, age)) => store::written_lately(reads, author, most, now.0 - age).await?,
            None => Vec::new(),
        };
        self.app.content_limits.admit(author, &written, now)?;
        let receivers = self.receivers(&grant.repository).await?;
        let named = store::Named {
            authors: [author].into(),
            pulls: [pull.id].into(),
        };
        let around = self.surroundings(&grant.repository, &named).await?;
        let transaction = self.app.db.begin().await?;
        store::lock(&transaction, pull.repository_id).await?;
        let new = creation::NewComment {
            id: None,
            author,
            now: now.0,
            standing: &standing,
            text: &text,
        };
        let shown_whole = !receivers.is_empty();
        let (current, row) = write(&transaction, pull, &placement, new, shown_whole).await?;
        let event = self.event(call, grant, current, row.clone(), Action::Created);
        let told = notify::tell_people(&transaction, &event, &text.mentioned).await?;
        self.tell_apps(&transaction, &event, &receivers).await?;
        transaction.commit().await?;
        if told || !receivers.is_empty() {
            self.app.outbox.wake();
        }
        let name = grant.full_name();
        let shown = shown(&Urls::of(call), call.media, &name, &row, &around)?;
        let location = shown.url.0.clone();
        Ok(Reply::new(shown).location(location))
    }

    pub(super) async fn rewrite(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        id: i64,
        text: &Text,
    ) -> Outcome<review_comment::Model> {
        let receivers = self.receivers(&grant.repository).await?;
        let transaction = self.app.db.begin().await?;
        store::lock(&transaction, grant.repository.id).await?;
        let found = store::comment(&transaction, grant.repository.id, id).await?;
        let mut row = found.ok_or(Problem::NotFound)?;
        if row.body == text.body {
            return Ok(row);
        }
        let new = store::NewText {
            body: &text.body,
            html: &text.rendered.html,
            text: &text.rendered.text,
        };
        row.updated_at = self.app.clock.now().0;
        store::rewrite(&transaction, id, new, row.updated_at).await?;
        let before = std::mem::replace(&mut row.body, text.body.clone());
        row.body_html.clone_from(&text.rendered.html);
        row.body_text.clone_from(&text.rendered.text);
        let pull = store::pull_by_id(&transaction, row.pull_id).await?;
        let pull = pull.ok_or(Problem::NotFound)?;
        let event = self.event(call, grant, pull, row.clone(), Action::Edited { before });
        self.tell_apps(&transaction, &event, &receivers).await?;
        transaction.commit().await?;
        if !receivers.is_empty() {
            self.app.outbox.wake();
        }
        Ok(row)
    }

    pub(super) async fn delete(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        id: i64,
    ) -> Outcome<()> {
        let receivers = self.receivers(&grant.repository).await?;
        let transaction = self.app.db.begin().await?;
        store::lock(&transaction, grant.repository.id).await?;
        let found = store::comment(&transaction, grant.repository.id, id).await?;
        let row = found.ok_or(Problem::NotFound)?;
        let pull = store::pull_by_id(&transaction, row.pull_id).await?;
        let pull = pull.ok_or(Problem::NotFound)?;
        store::delete(&transaction, &row).await?;
        let event = self.event(call, grant, pull, row, Action::Deleted);
        self.tell_apps(&transaction, &event, &receivers).await?;
        transaction.commit().await?;
        if !receivers.is_empty() {
            self.app.outbox.wake();
        }
        Ok(())
    }

    fn event(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        pull: pull::Model,
        comment: review_comment::Model,
        action: Action,
    ) -> Event {
        Event {
            action,
            comment,
            pull,
            repository: grant.repository.clone(),
            owner: grant.owner.clone(),
            sender: call.caller.author(),
            urls: Urls::of(call),
            now: self.app.clock.now().0,
        }
    }

    /// Apps are told in the shape in which a caller would be shown the comment.
    async fn tell_apps(
        &self,
        transaction: &Transaction,
        event: &Event,
        receivers: &[installation::Model],
    ) -> Outcome<()> {
        if receivers.is_empty() {
            return Ok(());
        }
        let around = store::Surroundings::of(
            transaction,
            &event.repository,
            &store::Named::by(std::slice::from_ref(&event.comment)),
        )
        .await?;
        let full_name = format!("{}/{}", event.owner.login, event.repository.name);
        let shown = shown(&event.urls, Media::Raw, &full_name, &event.comment, &around)?;
        notify::tell_apps(transaction, event, &shown, receivers, &*self.app.entropy).await
    }
}

/// Writes a comment where it was found to stand, or, if the pull request moved
/// meanwhile, where it stands now. `shown_whole`: the pull request must be as it is
/// now down to its title.
async fn write(
    transaction: &Transaction,
    found: pull::Model,
    placement: &Placement,
    mut new: creation::NewComment<'_>,
    shown_whole: bool,
) -> Outcome<(pull::Model, review_comment::Model)> {
    // The root of a thread may have been deleted meanwhile.
    let in_thread = new.standing.root.is_some();
    if !shown_whole
        && !in_thread
        && let Some(row) = creation::insert_if_unmoved(transaction, &found, &new).await?
    {
        return Ok((found, row));
    }
    let current = store::pull_by_id(transaction, found.id).await?;
    let current = current.ok_or(Problem::NotFound)?;
    // That somebody else commented meanwhile moves nothing.
    let updated_at = current.updated_at;
    let standing;
    if in_thread
        || current
            != (pull::Model {
                updated_at,
                ..found
            })
    {
        standing = Standing::find(transaction, &current, placement).await?;
        new.standing = &standing;
    }
    let row = creation::insert(transaction, &current, &new).await?;
    Ok((current, row))
}
