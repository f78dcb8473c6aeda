//! What writes comments: a new review, and the submission of a pending one. Each is one
//! transaction, with all that it owes to others.

use std::collections::BTreeMap;

use super::super::draft::{Located, ReviewDraft, place_again};
use super::super::store::NewReview;
use super::super::{Reviews, rules, store};
use super::changing::locked;
use super::telling::tell_of_review;
use crate::access::RepositoryGrant;
use crate::comments::rules::may_speak;
use crate::contract::call::Call;
use crate::contract::problem::Problem;
use crate::contract::reply::{Outcome, Reply};
use crate::contract::reviews::{CreateReview, Review, ReviewEvent, SubmitReview};
use crate::database::{Transaction, reserve_ids};
use crate::entities::collaborator::Permission;
use crate::entities::notification::Reason;
use crate::entities::review::ReviewState;
use crate::entities::{account, pull, review, review_comment};
use crate::heavy;
use crate::limits::written_lately;
use crate::notify::{self, CommentAction, ReviewAction};
use crate::origin::Origin;
use crate::pulls::comparison::BranchHeads;
use crate::pulls::lock_row;
use crate::reviews::cached;
use crate::reviews::pending::{self, as_comment};
use crate::reviews::store as comments;
use crate::reviews::telling::tell_of_comments;
use crate::views::markdown::{Text, mentions};

impl Reviews {
    /// Everything about a new review is found out before the transaction, which others
    /// wait for; if the pull request moved meanwhile, once more within.
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
        if store::pending_of(reads, pull.id, author).await?.is_some() {
            return Err(rules::one_pending());
        }
        let draft = ReviewDraft::of(reads, author, body).await?;
        let branches = cached::branches(&self.app, pull).await?;
        let located = draft.locate(reads, branches).await?;
        self.admit(author, draft.comments.len().max(1)).await?;
        let mentioned = draft.comments.iter().map(|one| one.text.mentioned.clone());
        let audience = self.audience(pull, author, mentioned.collect()).await?;
        let new = ReviewCreation {
            found: pull,
            draft,
            located,
            audience,
        };
        let origin = self.origin(call, grant).await?;
        let (pull, row) = self.write(&origin, grant.role, new).await?;
        self.show(call, grant, &pull, &row).await
    }

    /// Each comment of a review counts, but one that there is room for admits all.
    async fn admit(&self, author: i64, items: usize) -> Outcome<()> {
        let (limits, now) = (&self.app.content_limits, self.app.clock.now());
        let written = match limits.lookback() {
            Some((most, age)) => {
                let reads = self.app.db.reads();
                written_lately(reads, author, most, now.0 - age).await?
            }
            None => Vec::new(),
        };
        limits.admit_together(author, items, &written, now)
    }

    async fn write(
        &self,
        origin: &Origin<'_>,
        role: Permission,
        mut new: ReviewCreation<'_>,
    ) -> Outcome<(pull::Model, review::Model)> {
        let draft = &new.draft;
        let transaction = self.app.db.begin().await?;
        let current = lock_row(&transaction, new.found.id).await?;
        let current = current.ok_or(Problem::NotFound)?;
        may_speak(current.locked, role)?;
        let pending = store::pending_of(&transaction, current.id, draft.author).await?;
        if pending.is_some() {
            return Err(rules::one_pending());
        }
        if has_moved(new.found, &current) {
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
        let row = store::insert(&transaction, &review).await?;
        let ids = reserve_ids(&transaction, "review_comment", draft.comments.len()).await?;
        let rows = new
            .located
            .rows(&current, row.id, draft, &ids, origin.now)?;
        if row.state == ReviewState::Pending {
            pending::insert(&transaction, &rows).await?;
        } else {
            store::insert_comments(&transaction, &rows).await?;
            tell(&transaction, origin, &current, (&row, &rows), &new.audience).await?;
        }
        transaction.commit().await?;
        self.app.outbox.wake();
        Ok((current, row))
    }

    /// Submits a pending review: its comments come to be seen, where their lines are now.
    pub(super) async fn submit(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        pull: &pull::Model,
        found: review::Model,
        body: SubmitReview,
    ) -> Outcome<Reply<200, Review>> {
        let author = found.author_id.ok_or(Problem::NotFound)?;
        rules::may_judge(Some(body.event), author, pull.author_id)?;
        let reads = self.app.db.reads();
        let rows = store::pending_comments(reads, found.id).await?;
        let rows = rows.into_iter().map(|row| as_comment(row, Some(author)));
        let mut rows: Vec<review_comment::Model> = rows.collect();
        let words = body.body.as_deref().unwrap_or(&found.body);
        rules::says_something(Some(body.event), words, rows.len())?;
        rules::text(words)?;
        let text = match body.body {
            Some(body) => Some(Text::render(reads, body).await?),
            None => None,
        };
        let bodies = rows.iter().map(|row| row.body.clone()).collect();
        let (_, mentioned) = mentions(reads, bodies).await?;
        let audience = self.audience(pull, author, mentioned).await?;
        place_again(reads, pull, &mut rows).await?;
        let submission = Submission {
            found: pull,
            review: found,
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
        may_speak(current.locked, role)?;
        if has_moved(new.found, &current) {
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
        store::update(&transaction, &row).await?;
        store::delete_pending_comments(&transaction, row.id).await?;
        store::insert_comments(&transaction, &new.rows).await?;
        tell(
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

    /// Who hears of each comment. Who may read the repository is asked once.
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
        let said = notify::Said {
            author,
            pull,
            root: None,
            mentioned: &all,
        };
        let readers = notify::recipients(&self.app, said).await?;
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

/// A review that is to be written, and what it was found to be right for.
struct ReviewCreation<'a> {
    found: &'a pull::Model,
    draft: ReviewDraft,
    located: Located,
    audience: Vec<BTreeMap<i64, Reason>>,
}

/// A pending review on its way to everybody.
struct Submission<'a> {
    /// The pull request, as it was when the comments were placed.
    found: &'a pull::Model,
    review: review::Model,
    event: ReviewEvent,
    /// The text, if it is a new one.
    text: Option<Text>,
    rows: Vec<review_comment::Model>,
    audience: Vec<BTreeMap<i64, Reason>>,
}

/// Everybody sees the review and its comments from now on.
async fn tell(
    transaction: &Transaction,
    origin: &Origin<'_>,
    pull: &pull::Model,
    (review, rows): (&review::Model, &[review_comment::Model]),
    audience: &[BTreeMap<i64, Reason>],
) -> Outcome<()> {
    store::insert_notifications(transaction, rows, audience, origin.now).await?;
    comments::touch_pull(transaction, pull.id, origin.now).await?;
    tell_of_comments(transaction, origin, &CommentAction::Created, pull, rows).await?;
    tell_of_review(transaction, origin, ReviewAction::Submitted, pull, review).await
}

/// That somebody else commented meanwhile moves nothing.
fn has_moved(found: &pull::Model, current: &pull::Model) -> bool {
    let updated_at = current.updated_at;
    let found = pull::Model {
        updated_at,
        ..found.clone()
    };
    found != *current
}

pub(super) fn set_text(row: &mut review::Model, text: Text) {
    row.body = text.body;
    row.body_html = text.rendered.html;
    row.body_text = text.rendered.text;
}
