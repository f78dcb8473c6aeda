//! The operations of the area.

use async_trait::async_trait;

use super::draft::{Standing, Text};
use super::pages::{self, Scope};
use super::placement::Placement;
use super::{ReviewComments, creation, rules, store, view};
use crate::access::RepositoryGrant;
use crate::access::policy::Operation;
use crate::contract::body::Body;
use crate::contract::call::Call;
use crate::contract::media::Media;
use crate::contract::problem::Problem;
use crate::contract::reply::{Empty, Outcome, Reply};
use crate::contract::review_comments::*;
use crate::contract::shared::address::*;
use crate::contract::values::Timestamp;
use crate::entities::{pull, review_comment};
use crate::notify::{self, Action, Event};
use crate::urls::Urls;

#[async_trait]
impl Operations for ReviewComments {
    async fn list_repo_review_comments(
        &self,
        call: Call,
        at: RepoAddress,
        list: CommentList,
    ) -> Outcome<Reply<200, Vec<ReviewComment>>> {
        let operation = Operation::ListRepoReviewComments;
        let grant = self.app.access.repository(&call, operation, &at).await?;
        let scope = Scope::Repository(grant.repository.id);
        self.list(&call, &grant, scope, list).await
    }

    async fn get_review_comment(
        &self,
        call: Call,
        at: RepoAddress,
        comment_id: i64,
    ) -> Outcome<Reply<200, ReviewComment>> {
        let operation = Operation::GetReviewComment;
        let grant = self.app.access.repository(&call, operation, &at).await?;
        let row = self.find(&grant, comment_id).await?;
        let updated_at = Timestamp(row.updated_at);
        let shown = self.show(&call, &grant, row).await?;
        Ok(Reply::new(shown).last_modified(updated_at))
    }

    async fn update_review_comment(
        &self,
        call: Call,
        at: RepoAddress,
        comment_id: i64,
        body: Body<UpdateReviewComment>,
    ) -> Outcome<Reply<200, ReviewComment>> {
        let operation = Operation::UpdateReviewComment;
        let grant = self.app.access.repository(&call, operation, &at).await?;
        let row = self.find(&grant, comment_id).await?;
        rules::may_change(row.author_id, call.caller.author(), grant.role)?;
        grant.writable()?;
        let body = body.fit()?.body;
        let text = Text::prepare(self.app.db.reads(), body).await?;
        let row = self.rewrite(&call, &grant, row.id, &text).await?;
        Ok(Reply::new(self.show(&call, &grant, row).await?))
    }

    async fn delete_review_comment(
        &self,
        call: Call,
        at: RepoAddress,
        comment_id: i64,
    ) -> Outcome<Empty> {
        let operation = Operation::DeleteReviewComment;
        let grant = self.app.access.repository(&call, operation, &at).await?;
        let row = self.find(&grant, comment_id).await?;
        rules::may_change(row.author_id, call.caller.author(), grant.role)?;
        grant.writable()?;
        self.delete(&call, &grant, row.id).await?;
        Ok(Empty)
    }

    async fn list_pull_review_comments(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        list: CommentList,
    ) -> Outcome<Reply<200, Vec<ReviewComment>>> {
        let operation = Operation::ListPullReviewComments;
        let grant = self.app.access.repository(&call, operation, &at).await?;
        let pull = self.pull(&grant, pull_number).await?;
        self.list(&call, &grant, Scope::Pull(pull.id), list).await
    }

    async fn create_review_comment(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        body: Body<CreateReviewComment>,
    ) -> Outcome<Reply<201, ReviewComment>> {
        let operation = Operation::CreateReviewComment;
        let grant = self.app.access.repository(&call, operation, &at).await?;
        let pull = self.pull(&grant, pull_number).await?;
        grant.writable()?;
        rules::may_speak(pull.locked, grant.role)?;
        let body = body.fit()?;
        let placement = Placement::of(&body)?;
        self.create(&call, &grant, pull, placement, body.body).await
    }

    async fn reply_to_review_comment(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        comment_id: i64,
        body: Body<ReplyToReviewComment>,
    ) -> Outcome<Reply<201, ReviewComment>> {
        let operation = Operation::ReplyToReviewComment;
        let grant = self.app.access.repository(&call, operation, &at).await?;
        let pull = self.pull(&grant, pull_number).await?;
        let reads = self.app.db.reads();
        let root = store::comment_of_pull(reads, pull.id, comment_id).await?;
        let root = root.ok_or(Problem::NotFound)?;
        grant.writable()?;
        rules::may_speak(pull.locked, grant.role)?;
        let body = body.fit()?.body;
        let placement = Placement::Reply(root.id);
        self.create(&call, &grant, pull, placement, body).await
    }
}

impl ReviewComments {
    async fn pull(&self, grant: &RepositoryGrant, number: i64) -> Outcome<pull::Model> {
        let found = store::pull(self.app.db.reads(), grant.repository.id, number).await?;
        found.ok_or(Problem::NotFound)
    }

    async fn find(&self, grant: &RepositoryGrant, id: i64) -> Outcome<review_comment::Model> {
        let found = store::comment(self.app.db.reads(), grant.repository.id, id).await?;
        found.ok_or(Problem::NotFound)
    }

    async fn list(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        scope: Scope,
        list: CommentList,
    ) -> Outcome<Reply<200, Vec<ReviewComment>>> {
        let listed = pages::list(self.app.db.reads(), scope, list).await?;
        let shown = self
            .show_all(&Urls::of(call), call.media, grant, &listed.comments)
            .await?;
        Ok(Reply::new(shown).link(list.page.link(call, listed.total)))
    }

    /// Everything about a new comment is found out before the transaction, which
    /// others wait for; if the pull request moved meanwhile, once more within.
    async fn create(
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
        let mut standing = Standing::find(reads, &pull, &placement).await?;
        let since = now.0 - rules::REPETITION_WINDOW;
        rules::not_spam(store::repetitions(reads, pull.id, author, &text.body, since).await?)?;
        let written = match self.app.content_limits.memory() {
            Some((most, age)) => store::written_lately(reads, author, most, now.0 - age).await?,
            None => Vec::new(),
        };
        self.app.content_limits.admit(author, &written, now)?;
        let transaction = self.app.db.begin().await?;
        store::lock(&transaction, pull.repository_id).await?;
        let current = store::pull_by_id(&transaction, pull.id).await?;
        let current = current.ok_or(Problem::NotFound)?;
        if current != pull || standing.root.is_some() {
            standing = Standing::find(&transaction, &current, &placement).await?;
        }
        let new = creation::NewComment {
            id: None,
            author,
            now: now.0,
            standing: &standing,
            text: &text,
        };
        let row = creation::insert(&transaction, &current, &new).await?;
        let event = self.event(call, grant, current, row.clone(), Action::Created);
        notify::tell_people(&transaction, &event, &text.mentioned).await?;
        self.tell_apps(&transaction, &event).await?;
        transaction.commit().await?;
        self.app.outbox.wake();
        let shown = self.show(call, grant, row).await?;
        let location = shown.url.0.clone();
        Ok(Reply::new(shown).location(location))
    }

    async fn rewrite(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        id: i64,
        text: &Text,
    ) -> Outcome<review_comment::Model> {
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
        self.tell_apps(&transaction, &event).await?;
        transaction.commit().await?;
        self.app.outbox.wake();
        Ok(row)
    }

    async fn delete(&self, call: &Call, grant: &RepositoryGrant, id: i64) -> Outcome<()> {
        let transaction = self.app.db.begin().await?;
        store::lock(&transaction, grant.repository.id).await?;
        let found = store::comment(&transaction, grant.repository.id, id).await?;
        let row = found.ok_or(Problem::NotFound)?;
        let pull = store::pull_by_id(&transaction, row.pull_id).await?;
        let pull = pull.ok_or(Problem::NotFound)?;
        store::delete(&transaction, &row).await?;
        let event = self.event(call, grant, pull, row, Action::Deleted);
        self.tell_apps(&transaction, &event).await?;
        transaction.commit().await?;
        self.app.outbox.wake();
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
        transaction: &sea_orm::DatabaseTransaction,
        event: &Event,
    ) -> Outcome<()> {
        let receivers = notify::receivers(transaction, event).await?;
        if receivers.is_empty() {
            return Ok(());
        }
        let around = store::Surroundings::of(
            transaction,
            &event.repository,
            std::slice::from_ref(&event.comment),
        )
        .await?;
        let full_name = format!("{}/{}", event.owner.login, event.repository.name);
        let shown = shown(
            &event.urls,
            Media::Raw,
            &full_name,
            event.owner.id,
            &event.comment,
            &around,
        )?;
        notify::tell_apps(transaction, event, &shown, receivers, &*self.app.entropy).await
    }

    async fn show(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        row: review_comment::Model,
    ) -> Outcome<ReviewComment> {
        let shown = self
            .show_all(&Urls::of(call), call.media, grant, &[row])
            .await?;
        let first = shown.into_iter().next();
        first.ok_or_else(|| Problem::internal("a comment is not shown"))
    }

    async fn show_all(
        &self,
        urls: &Urls,
        media: Media,
        grant: &RepositoryGrant,
        rows: &[review_comment::Model],
    ) -> Outcome<Vec<ReviewComment>> {
        let reads = self.app.db.reads();
        let around = store::Surroundings::of(reads, &grant.repository, rows).await?;
        let name = grant.full_name();
        rows.iter()
            .map(|row| shown(urls, media, &name, grant.owner.id, row, &around))
            .collect()
    }
}

fn shown(
    urls: &Urls,
    media: Media,
    full_name: &str,
    owner: i64,
    row: &review_comment::Model,
    around: &store::Surroundings,
) -> Outcome<ReviewComment> {
    let number = around.numbers.get(&row.pull_id).copied();
    let ties = row
        .author_id
        .map_or_else(rules::Ties::default, |author| rules::Ties {
            owns: author == owner,
            member: around.members.contains(&author),
            collaborates: around.collaborators.contains(&author),
            contributed: around.contributors.contains(&author),
        });
    let around = view::Around {
        full_name,
        pull_number: number.ok_or_else(|| Problem::internal("a comment has no pull request"))?,
        author: row.author_id.and_then(|id| around.authors.get(&id)),
        association: ties.association(),
    };
    Ok(view::comment(urls, media, row, around))
}
