//! Creation of a review, and submission of a pending one. Each is one transaction, including
//! its notifications and webhook events.

use std::collections::BTreeMap;

use super::changing::locked;
use super::events::queue_review_event;
use crate::access::RepositoryGrant;
use crate::comments::rules::may_comment;
use crate::events::Origin;
use crate::events::{CommentAction, ReviewAction};
use crate::issues::rows::lock_pull;
use crate::notifications;
use crate::pulls::comparison::BranchHeads;
use crate::review_comments::cached;
use crate::review_comments::events::queue_comment_events;
use crate::review_comments::pending;
use crate::review_comments::pending::as_comment;
use crate::review_comments::rows as comments;
use crate::reviews::draft::{Located, ReviewDraft, place_again};
use crate::reviews::rows::NewReview;
use crate::reviews::{Reviews, rows, rules};
use crate::views::markdown::{Text, mentions};
use contract::call::Call;
use contract::problem::Problem;
use contract::reply::{Outcome, Reply};
use contract::reviews::{CreateReview, Review, ReviewEvent, SubmitReview};
use storage::database::{Transaction, reserve_ids};
use storage::entities::collaborator::Permission;
use storage::entities::notification::Reason;
use storage::entities::review::ReviewState;
use storage::entities::{account, pull, review, review_comment};
use storage::heavy;
use storage::limits::LimitedContent;

impl Reviews {
    /// Locates and renders the comments before the transaction, because the transaction blocks
    /// other writers. If the pull request has moved since, the transaction locates them again.
    pub(super) async fn create(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        pull: &pull::Model,
        body: CreateReview,
    ) -> Outcome<Reply<200, Review>> {
        let author = call.caller.must_have_author()?;
        rules::may_judge(body.event, author, pull.author_id)?;
        let reads = self.app.db.reads();
        if rows::pending_of(reads, pull.id, author).await?.is_some() {
            return Err(rules::one_pending());
        }
        let draft = ReviewDraft::of(reads, author, body).await?;
        let branches = cached::branches(&self.app, pull).await?;
        let located = draft.locate(reads, branches).await?;
        self.admit(author, draft.comments.len().max(1)).await?;
        let mentioned = draft
            .comments
            .iter()
            .map(|comment| comment.text.mentioned.clone());
        let audience = self.audience(pull, author, mentioned.collect()).await?;
        let new = ReviewCreation {
            pull,
            draft,
            located,
            audience,
        };
        let origin = self.origin(call, grant).await?;
        let (pull, row) = self.write(&origin, grant.role, new).await?;
        self.show(call, grant, &pull, &row).await
    }

    /// Every comment of a review counts against the limits. If they leave room for one comment,
    /// they admit the whole review.
    async fn admit(&self, author: i64, items: usize) -> Outcome<()> {
        let (limits, now) = (&self.app.content_limits, self.app.clock.now());
        let reads = self.app.db.reads();
        let stored = limits.stored(reads, LimitedContent::Comments, author, now);
        limits.admit_together(author, items, stored.await?, now)
    }

    async fn write(
        &self,
        origin: &Origin<'_>,
        role: Permission,
        mut new: ReviewCreation<'_>,
    ) -> Outcome<(pull::Model, review::Model)> {
        let draft = &new.draft;
        let transaction = self.app.db.begin().await?;
        let current = lock_pull(&transaction, new.pull.id).await?;
        let current = current.ok_or(Problem::NotFound)?;
        may_comment(current.locked, role)?;
        let pending = rows::pending_of(&transaction, current.id, draft.author).await?;
        if pending.is_some() {
            return Err(rules::one_pending());
        }
        if has_moved(new.pull, &current) {
            let branches = BranchHeads::of(&transaction, &current).await?;
            new.located = heavy::without_waiting(draft.locate(&transaction, branches)).await?;
        }
        let review = NewReview {
            pull: current.id,
            author: draft.author,
            state: rules::state(draft.event),
            commit: &new.located.commit.to_string(),
            text: &draft.text,
            now: origin.now,
        };
        let row = rows::insert(&transaction, &review).await?;
        let ids = reserve_ids(&transaction, "review_comment", draft.comments.len()).await?;
        let rows = new
            .located
            .rows(&current, row.id, draft, &ids, origin.now)?;
        if row.state == ReviewState::Pending {
            pending::insert(&transaction, &rows).await?;
        } else {
            rows::insert_comments(&transaction, &rows).await?;
            let published = (&row, rows.as_slice());
            announce(&transaction, origin, &current, published, &new.audience).await?;
        }
        transaction.commit().await?;
        self.app.outbox.wake();
        Ok((current, row))
    }

    /// Submits a pending review, with its comments located in the diff to the current head.
    pub(super) async fn submit(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        pull: &pull::Model,
        review: review::Model,
        body: SubmitReview,
    ) -> Outcome<Reply<200, Review>> {
        let author = review.author_id.ok_or(Problem::NotFound)?;
        rules::may_judge(Some(body.event), author, pull.author_id)?;
        let reads = self.app.db.reads();
        let rows = rows::pending_comments(reads, review.id).await?;
        let rows = rows.into_iter().map(|row| as_comment(row, Some(author)));
        let mut rows: Vec<review_comment::Model> = rows.collect();
        let review_text = body.body.as_deref().unwrap_or(&review.body);
        rules::has_content(Some(body.event), review_text, rows.len())?;
        rules::text(review_text)?;
        let text = match body.body {
            Some(body) => Some(Text::render(reads, body).await?),
            None => None,
        };
        let bodies = rows.iter().map(|row| row.body.clone()).collect();
        let (_, mentioned) = mentions(reads, bodies).await?;
        let audience = self.audience(pull, author, mentioned).await?;
        place_again(reads, pull, &mut rows).await?;
        let submission = Submission {
            pull,
            review,
            event: body.event,
            text,
            rows,
            audience,
        };
        let origin = self.origin(call, grant).await?;
        let (pull, row) = self.publish(&origin, grant.role, submission).await?;
        self.show(call, grant, &pull, &row).await
    }

    async fn publish(
        &self,
        origin: &Origin<'_>,
        role: Permission,
        mut new: Submission<'_>,
    ) -> Outcome<(pull::Model, review::Model)> {
        let transaction = self.app.db.begin().await?;
        let (current, mut row) = locked(&transaction, &new.review).await?;
        rules::may_submit(row.state)?;
        may_comment(current.locked, role)?;
        if has_moved(new.pull, &current) {
            let again = place_again(&transaction, &current, &mut new.rows);
            heavy::without_waiting(again).await?;
        }
        for comment in &mut new.rows {
            comment.updated_at = origin.now;
        }
        row.state = rules::state(Some(new.event));
        row.submitted_at = origin.now;
        if let Some(text) = new.text {
            set_text(&mut row, text);
        }
        rows::update(&transaction, &row).await?;
        rows::delete_pending_comments(&transaction, row.id).await?;
        rows::insert_comments(&transaction, &new.rows).await?;
        announce(
            &transaction,
            origin,
            &current,
            (&row, &new.rows),
            &new.audience,
        )
        .await?;
        transaction.commit().await?;
        self.app.outbox.wake();
        Ok((current, row))
    }

    /// The recipients of each comment. One query checks which of them can read the repository.
    async fn audience(
        &self,
        pull: &pull::Model,
        author: i64,
        mentioned: Vec<Vec<account::Model>>,
    ) -> Outcome<Vec<BTreeMap<i64, Reason>>> {
        if mentioned.is_empty() {
            return Ok(Vec::new());
        }
        let all: Vec<account::Model> = mentioned.iter().flatten().cloned().collect();
        let notified = notifications::NotifiedComment {
            author,
            pull,
            root: None,
            mentioned: &all,
        };
        let readers = notifications::recipients(&self.app, notified).await?;
        let of_comment = |mentioned: &Vec<account::Model>| {
            let mentioned = mentioned
                .iter()
                .map(|account| (account.id, Reason::Mention));
            let reasons = [(pull.author_id, Reason::Author)]
                .into_iter()
                .chain(mentioned);
            let reasons = reasons.filter(|(id, _)| readers.contains_key(id));
            reasons.collect()
        };
        Ok(mentioned.iter().map(of_comment).collect())
    }
}

/// A review to write, and the pull request for which its comments were located.
struct ReviewCreation<'a> {
    pull: &'a pull::Model,
    draft: ReviewDraft,
    located: Located,
    audience: Vec<BTreeMap<i64, Reason>>,
}

/// A pending review that is being submitted.
struct Submission<'a> {
    /// The pull request for which the comments were located.
    pull: &'a pull::Model,
    review: review::Model,
    event: ReviewEvent,
    /// The new text, if any.
    text: Option<Text>,
    rows: Vec<review_comment::Model>,
    audience: Vec<BTreeMap<i64, Reason>>,
}

/// Queues the notifications and webhook events of a submitted review and its comments.
async fn announce(
    transaction: &Transaction,
    origin: &Origin<'_>,
    pull: &pull::Model,
    (review, rows): (&review::Model, &[review_comment::Model]),
    audience: &[BTreeMap<i64, Reason>],
) -> Outcome<()> {
    rows::insert_notifications(transaction, rows, audience, origin.now).await?;
    comments::touch_pull(transaction, pull.id, origin.now).await?;
    queue_comment_events(transaction, origin, &CommentAction::Created, pull, rows).await?;
    queue_review_event(transaction, origin, ReviewAction::Submitted, pull, review).await
}

/// Whether a pull request has changed since it was read. Another comment, which only changes
/// `updated_at`, does not count.
fn has_moved(earlier: &pull::Model, current: &pull::Model) -> bool {
    let updated_at = current.updated_at;
    let earlier = pull::Model {
        updated_at,
        ..earlier.clone()
    };
    earlier != *current
}

pub(super) fn set_text(row: &mut review::Model, text: Text) {
    row.body = text.body;
    row.body_html = text.rendered.html;
    row.body_text = text.rendered.text;
}
