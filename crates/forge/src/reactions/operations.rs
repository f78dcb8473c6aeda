//! The operations. Each change is one transaction that locks the comment.

use async_trait::async_trait;

use super::rows::ReactionSubject;
use super::{Comment, Reacted};
use super::{Reactions, rows, view};
use crate::access::RepositoryGrant;
use crate::accounts::rows::accounts_by;
use crate::comments::authors::note_author;
use crate::comments::rules::may_comment;
use crate::reactions;
use crate::urls::Urls;
use contract::body::Body;
use contract::call::Call;
use contract::control::journal::StepOutcome;
use contract::problem::Problem;
use contract::reactions::{CreateReaction, Operations, Reaction, ReactionList};
use contract::reply::{CreatedOrExisting, Empty, Outcome, Reply};
use contract::shared::address::RepoAddress;
use storage::database::Transaction;
use storage::entities::collaborator::Permission;
use storage::entities::reaction;

#[async_trait]
impl Operations for Reactions {
    async fn list_issue_comment_reactions(
        &self,
        call: Call,
        at: RepoAddress,
        comment_id: i64,
        list: ReactionList,
    ) -> Outcome<Reply<200, Vec<Reaction>>> {
        self.list(&call, &at, Comment::OfIssue(comment_id), list)
            .await
    }

    async fn create_issue_comment_reaction(
        &self,
        call: Call,
        at: RepoAddress,
        comment_id: i64,
        body: Body<CreateReaction>,
    ) -> Outcome<CreatedOrExisting<Reaction>> {
        self.create(&call, &at, Comment::OfIssue(comment_id), body)
            .await
    }

    async fn delete_issue_comment_reaction(
        &self,
        call: Call,
        at: RepoAddress,
        comment_id: i64,
        reaction_id: i64,
    ) -> Outcome<Empty> {
        self.delete(&call, &at, Comment::OfIssue(comment_id), reaction_id)
            .await
    }

    async fn list_review_comment_reactions(
        &self,
        call: Call,
        at: RepoAddress,
        comment_id: i64,
        list: ReactionList,
    ) -> Outcome<Reply<200, Vec<Reaction>>> {
        self.list(&call, &at, Comment::OfReview(comment_id), list)
            .await
    }

    async fn create_review_comment_reaction(
        &self,
        call: Call,
        at: RepoAddress,
        comment_id: i64,
        body: Body<CreateReaction>,
    ) -> Outcome<CreatedOrExisting<Reaction>> {
        self.create(&call, &at, Comment::OfReview(comment_id), body)
            .await
    }

    async fn delete_review_comment_reaction(
        &self,
        call: Call,
        at: RepoAddress,
        comment_id: i64,
        reaction_id: i64,
    ) -> Outcome<Empty> {
        self.delete(&call, &at, Comment::OfReview(comment_id), reaction_id)
            .await
    }
}

impl Reactions {
    async fn list(
        &self,
        call: &Call,
        at: &RepoAddress,
        comment: Comment,
        list: ReactionList,
    ) -> Outcome<Reply<200, Vec<Reaction>>> {
        let grant = self.app.access.repository(call, at).await?;
        let subject = self.find(&grant, comment).await?;
        let content = list.content.map(view::stored);
        let total = content.map_or(subject.counts.total(), |content| subject.counts.of(content));
        let total = u64::try_from(total).unwrap_or(0);
        let rows = match list.page.skipped() < total {
            true => reactions::page(self.app.db.reads(), comment, content, list.page).await?,
            false => Vec::new(),
        };
        let views = self.show(call, &grant, comment, &rows).await?;
        Ok(Reply::new(views).link(list.page.link(call, total)))
    }

    async fn create(
        &self,
        call: &Call,
        at: &RepoAddress,
        comment: Comment,
        body: Body<CreateReaction>,
    ) -> Outcome<CreatedOrExisting<Reaction>> {
        let grant = self.app.access.repository(call, at).await?;
        let subject = self.find(&grant, comment).await?;
        grant.writable()?;
        may_comment(subject.locked, grant.role)?;
        let content = view::stored(body.validated()?.content);
        let author = call.caller.must_have_author()?;
        let transaction = self.app.db.begin().await?;
        still_open(&transaction, comment, &subject, grant.role).await?;
        let now = self.app.clock.now().0;
        let reacted = reactions::add(&transaction, comment, author, content, now).await?;
        match reacted.ok_or(Problem::NotFound)? {
            Reacted::Now(row) => {
                transaction.commit().await?;
                let view = self.show_one(call, &grant, comment, row).await?;
                Ok(CreatedOrExisting::Created(Reply::new(view)))
            }
            Reacted::Before(row) => {
                let view = self.show_one(call, &grant, comment, row).await?;
                Ok(CreatedOrExisting::Existing(Reply::new(view)))
            }
        }
    }

    async fn delete(
        &self,
        call: &Call,
        at: &RepoAddress,
        comment: Comment,
        id: i64,
    ) -> Outcome<Empty> {
        let grant = self.app.access.repository(call, at).await?;
        let subject = self.find(&grant, comment).await?;
        let row = reactions::find(self.app.db.reads(), comment, id).await?;
        let row = row.ok_or(Problem::NotFound)?;
        grant.writable()?;
        may_comment(subject.locked, grant.role)?;
        if row.user_id.is_none() || row.user_id != call.caller.author() {
            let denied = ("the reaction", StepOutcome::Refused);
            note_author(&self.app, call, denied, row.user_id).await?;
            let message = "Must be the author of the reaction";
            return Err(Problem::Forbidden(message.into()));
        }
        let transaction = self.app.db.begin().await?;
        still_open(&transaction, comment, &subject, grant.role).await?;
        if !reactions::remove(&transaction, comment, &row).await? {
            return Err(Problem::NotFound);
        }
        transaction.commit().await?;
        Ok(Empty)
    }

    async fn find(&self, grant: &RepositoryGrant, comment: Comment) -> Outcome<ReactionSubject> {
        let reads = self.app.db.reads();
        let subject = rows::comment(reads, grant.repository.id, comment).await?;
        subject.ok_or(Problem::NotFound)
    }

    async fn show(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        comment: Comment,
        rows: &[reaction::Model],
    ) -> Outcome<Vec<Reaction>> {
        let people = rows.iter().filter_map(|row| row.user_id);
        let accounts = accounts_by(self.app.db.reads(), people).await?;
        let (urls, repository) = (Urls::of(call), grant.repository.id);
        let rows = rows.iter();
        Ok(rows
            .map(|row| view::reaction(&urls, repository, comment, row, &accounts))
            .collect())
    }

    async fn show_one(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        comment: Comment,
        row: reaction::Model,
    ) -> Outcome<Reaction> {
        let views = self.show(call, grant, comment, &[row]).await?;
        let views = views.into_iter().next();
        views.ok_or_else(|| Problem::internal("a reaction was not shown"))
    }
}

/// Checks again whether the caller may react: the conversation may have been locked since it was
/// read.
async fn still_open(
    transaction: &Transaction,
    comment: Comment,
    subject: &ReactionSubject,
    role: Permission,
) -> Outcome<()> {
    let locked = rows::is_locked(transaction, comment, subject).await?;
    may_comment(locked.ok_or(Problem::NotFound)?, role)
}
