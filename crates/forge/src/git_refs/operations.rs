//! The operations: identify, check, lock, change, show.

mod checks;

use std::sync::Arc;

use async_trait::async_trait;
use migration::aggregates::Kind;

use super::queued::QueuedRef;
use super::revision::{has_a_ref, not_empty};
use super::rows::NewRef;
use super::{GitRefs, mistakes, pull_heads, rows, rules};
use crate::access::RepositoryGrant;
use crate::events::{EventName, Origin, PreparedDeliveries, RefUpdate};
use crate::git_objects::view::GitObjectView;
use crate::git_refs::rules::RefUpdateOutcome;
use crate::pushes;
use crate::pushes::RefChange;
use crate::pushes::workflows::check_workflows;
use crate::repositories::rows::lock_repository;
use checks::{check_move, existing, target};
use contract::body::Body;
use contract::call::Call;
use contract::git_refs::{CreateRef, GitRef, Operations, UpdateRef};
use contract::problem::Problem;
use contract::reply::{Empty, Outcome, Reply};
use contract::shared::address::RepoAddress;
use contract::values::Timestamp;
use git::refs::RefName;
use git::target::RefRow;
use git::target::RefTarget;
use storage::database::{Connection, Transaction};
use storage::entities::{git_ref, repository};

/// The recommended polling interval of clients.
const POLL_SECONDS: &str = "300";

#[async_trait]
impl Operations for GitRefs {
    async fn list_matching_refs(
        &self,
        call: Call,
        at: RepoAddress,
        prefix: String,
    ) -> Outcome<Reply<200, Vec<GitRef>>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let listed = self.list(&call, &grant, rules::matching(&prefix)).await?;
        let changed = self.changed_at(&grant, &prefix).await?;
        let reply = self.reply(&call, &grant, listed, |listed| listed);
        Ok(self.dated(reply, &grant, changed))
    }

    async fn get_ref(
        &self,
        call: Call,
        at: RepoAddress,
        name: String,
    ) -> Outcome<Reply<200, GitRef>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let found = self.find_ref(&grant, &rules::full_name(&name)).await?;
        let (row, changed) = found.ok_or(Problem::NotFound)?;
        Ok(self.dated(Reply::new(show(&call, &grant, row)), &grant, changed))
    }

    async fn create_ref(
        &self,
        call: Call,
        at: RepoAddress,
        body: Body<CreateRef>,
    ) -> Outcome<Reply<201, GitRef>> {
        let grant = self.app.access.repository(&call, &at).await?;
        grant.writable()?;
        let body = body.validated()?;
        let reads = self.app.db.reads();
        not_empty(reads, &grant).await?;
        let name = rules::new_name(&body.name);
        let name = name.inspect_err(|_| mistakes::note_name(&body.name))?;
        let target = target(reads, &grant, &body.sha).await?;
        rules::may_be_created_for(&name, target.kind)?;
        check_workflows(reads, &grant, None, target).await?;
        self.insert(&call, &grant, &name, target).await?;
        let view = GitObjectView::new(&call, &grant);
        let response = view.git_ref(name.to_string(), target.sha.to_string(), target.kind);
        let location = response.url.0.clone();
        Ok(Reply::new(response).location(location))
    }

    async fn update_ref(
        &self,
        call: Call,
        at: RepoAddress,
        name: String,
        body: Body<UpdateRef>,
    ) -> Outcome<Reply<200, GitRef>> {
        let grant = self.app.access.repository(&call, &at).await?;
        grant.writable()?;
        let body = body.validated()?;
        rules::check_sha(&body.sha)?;
        let row = self
            .update(&call, &grant, &rules::full_name(&name), &body)
            .await?;
        let row = (row.name, row.sha, row.kind);
        Ok(Reply::new(show(&call, &grant, row)))
    }

    async fn delete_ref(&self, call: Call, at: RepoAddress, name: String) -> Outcome<Empty> {
        let grant = self.app.access.repository(&call, &at).await?;
        grant.writable()?;
        self.delete(&call, &grant, &rules::full_name(&name)).await?;
        Ok(Empty)
    }
}

impl GitRefs {
    /// The reference with this name, and when it changed, if known. 409 without any reference.
    pub(super) async fn find_ref(
        &self,
        grant: &RepositoryGrant,
        name: &str,
    ) -> Outcome<Option<(RefRow, Option<i64>)>> {
        let id = grant.repository.id;
        if pull_heads::is_reserved(name) {
            let head = pull_heads::find(self.refs(grant).await, id, name).await?;
            if let Some(head) = head {
                return Ok(Some((head, None)));
            }
        }
        let find = |reads: Arc<Connection>| async move { rows::find(&reads, id, name).await };
        let belongs = |row: &git_ref::Model| vec![Kind::Ref.of(row.id)];
        let row = self.app.db.resolve(find, belongs).await?;
        if row.is_none() {
            let reads = self.refs(grant).await;
            has_a_ref(reads, grant).await?;
            mistakes::note_absent(reads, id, name).await?;
        }
        Ok(row.map(|row| ((row.name, row.sha, row.kind), Some(row.updated_at))))
    }

    /// For queries about all references of a repository.
    pub(super) async fn refs(&self, grant: &RepositoryGrant) -> &Connection {
        let refs = Kind::Refs.of(grant.repository.id);
        self.app.db.reading(&[refs]).await
    }

    /// When the references with the prefix in the path last changed, if known. A new pull request
    /// has a reference, but is no push.
    pub(super) async fn changed_at(
        &self,
        grant: &RepositoryGrant,
        prefix: &str,
    ) -> Outcome<Option<i64>> {
        let (id, reads) = (grant.repository.id, self.refs(grant).await);
        let range = rules::matching(prefix).full;
        match pull_heads::is_any_within(reads, id, range.bounds()).await? {
            true => Ok(None),
            false => Ok(git::pushes::last(reads, id).await?),
        }
    }

    /// Sets Last-Modified to when the references, or the names in their URLs, last changed.
    pub(super) fn dated<T>(
        &self,
        reply: Reply<200, T>,
        grant: &RepositoryGrant,
        changed: Option<i64>,
    ) -> Reply<200, T> {
        let name = poem::http::HeaderName::from_static("x-poll-interval");
        let reply = reply.header(name, POLL_SECONDS);
        let Some(changed) = changed else {
            return reply;
        };
        let renamed_at = grant.repository.updated_at.max(grant.owner.updated_at);
        reply.last_modified(Timestamp(changed.max(renamed_at)), self.app.clock.now())
    }

    async fn insert(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        name: &RefName,
        target: RefTarget,
    ) -> Outcome<()> {
        // A branch was found before. If the last one is deleted meanwhile, that is the same as
        // deleting it afterwards; likewise for an app that subscribes meanwhile.
        let audience = self.app.audience(&grant.repository).await?;
        let is_heard = pushes::has_events(name.as_str())
            && (audience.has_subscriber(EventName::Create)
                || audience.has_subscriber(EventName::Push));
        let deliveries = match is_heard {
            true => {
                let origin = self.app.origin(call, grant).before(audience.clone());
                self.prepared(&origin, name, target).await?
            }
            false => None,
        };
        let inserted = match deliveries.is_some() || !is_heard {
            true => {
                let new = NewRef::new(name, target);
                let clock = Arc::clone(&self.app.clock);
                let new = QueuedRef {
                    new,
                    clock,
                    deliveries,
                };
                let (db, id) = (&self.app.db, grant.repository.id);
                self.creations.write(db, id, new).await?
            }
            false => None,
        };
        let applied = match inserted {
            Some(insertion) => RefUpdateOutcome::from(insertion),
            None => {
                let transaction = self.app.db.begin().await?;
                lock_repository(&transaction, grant).await?;
                let origin = self.app.origin(call, grant).before(audience);
                let change = RefChange::Create(name, target);
                let applied = pushes::apply(&transaction, &origin, change).await?;
                if applied == RefUpdateOutcome::Done {
                    transaction.commit().await?;
                }
                applied
            }
        };
        if applied == RefUpdateOutcome::Blocked {
            let reads = self.app.db.reads();
            mistakes::note_blocked(reads, grant.repository.id, name).await?;
        }
        rules::applied(applied)
    }

    /// The deliveries of a new branch or tag.
    async fn prepared(
        &self,
        origin: &Origin<'_>,
        name: &RefName,
        target: RefTarget,
    ) -> Outcome<Option<PreparedDeliveries>> {
        let (db, cache) = (&self.app.db, &self.app.cache);
        let created = RefUpdate {
            name: name.as_str(),
            before: None,
            after: Some(target),
        };
        self.app.outbox.prepare(db, cache, origin, &created).await
    }

    async fn update(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        name: &str,
        body: &UpdateRef,
    ) -> Outcome<git_ref::Model> {
        rules::may_be_changed(name)?;
        let reads = self.app.db.reads();
        let checked = existing(reads, grant, name).await?;
        let Some(mut target) = check_move(reads, grant, &checked, body).await? else {
            return Ok(checked);
        };
        let (transaction, _) = self.lock(grant).await?;
        let mut row = existing(&transaction, grant, name).await?;
        if row != checked {
            target = match check_move(&transaction, grant, &row, body).await? {
                Some(target) => target,
                None => return Ok(row),
            };
        }
        let origin = self.app.origin(call, grant);
        let change = RefChange::Move(&row, target);
        rules::applied(pushes::apply(&transaction, &origin, change).await?)?;
        transaction.commit().await?;
        (row.sha, row.kind) = (target.sha.to_string(), target.kind);
        row.updated_at = origin.now;
        Ok(row)
    }

    async fn delete(&self, call: &Call, grant: &RepositoryGrant, name: &str) -> Outcome<()> {
        rules::may_be_changed(name)?;
        let (transaction, repository) = self.lock(grant).await?;
        let row = existing(&transaction, grant, name).await?;
        rules::may_be_deleted(name, &repository.default_branch)?;
        let origin = self.app.origin(call, grant);
        rules::applied(pushes::apply(&transaction, &origin, RefChange::Delete(&row)).await?)?;
        transaction.commit().await?;
        Ok(())
    }

    /// Begins a transaction, locks the references of the repository, and reads the repository
    /// again.
    async fn lock(&self, grant: &RepositoryGrant) -> Outcome<(Transaction, repository::Model)> {
        let transaction = self.app.db.begin().await?;
        let repository = lock_repository(&transaction, grant).await?;
        Ok((transaction, repository))
    }
}

fn show(call: &Call, grant: &RepositoryGrant, (name, sha, kind): RefRow) -> GitRef {
    GitObjectView::new(call, grant).git_ref(name, sha, kind)
}
