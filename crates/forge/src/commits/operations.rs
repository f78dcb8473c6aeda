//! The operations: identify, find, walk, show.

use async_trait::async_trait;
use migration::aggregates::Kind as Aggregate;
use sea_orm::Order;

use super::{Commits, rules};
use crate::access::RepositoryGrant;
use crate::accounts::people::is_by;
use crate::git_objects::view::GitObjectView;
use crate::git_refs;
use crate::git_refs::revision;
use crate::git_refs::revision::not_empty;
use crate::views::page;
use contract::call::Call;
use contract::commits::RepositoryCommit;
use contract::commits::{Branch, CommitComparison, CommitList, Operations, ShortBranch, TagName};
use contract::formed::Formed;
use contract::paging::{OptionalParameter, Page};
use contract::problem::Problem;
use contract::reply::{Outcome, Reply};
use contract::shared::address::RepoAddress;
use git::Sha;
use git::ancestry::count_reached;
use git::log::{LineFilter, LogFilter, log};
use git::objects::Tag;
use git::refs::NameRange;
use git::store::load_many;
use git::target::RefRow;
use git::target::RefTarget;
use storage::database::Connection;
use storage::entities::git_object::ObjectKind;
use storage::heavy;

const BRANCHES: &str = "refs/heads/";
const TAGS: &str = "refs/tags/";

#[async_trait]
impl Operations for Commits {
    async fn list_commits(
        &self,
        call: Call,
        at: RepoAddress,
        list: CommitList,
    ) -> Outcome<Reply<200, Vec<RepositoryCommit>>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let reads = self.refs(&grant).await;
        not_empty(reads, &grant).await?;
        let start = list.start.as_deref().unwrap_or("HEAD");
        let from = revision::commit(reads, &grant, start).await?;
        let from = from.ok_or(Problem::NotFound)?;
        heavy::with_permit(self.history(&call, &grant, from, &list)).await
    }

    async fn get_repository_commit(
        &self,
        call: Call,
        at: RepoAddress,
        name: String,
        page: Page,
    ) -> Outcome<Formed<RepositoryCommit>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let reads = self.refs(&grant).await;
        not_empty(reads, &grant).await?;
        let sha = revision::commit(reads, &grant, &name).await?;
        let sha = sha.ok_or_else(|| rules::no_commit(&name))?;
        heavy::with_permit(self.single(&call, &grant, sha, page)).await
    }

    async fn compare_commits(
        &self,
        call: Call,
        at: RepoAddress,
        basehead: String,
        page: Page,
    ) -> Outcome<Formed<CommitComparison>> {
        let grant = self.app.access.repository(&call, &at).await?;
        not_empty(self.refs(&grant).await, &grant).await?;
        let range = rules::comparison(&basehead, &grant.owner.login).ok_or(Problem::NotFound)?;
        heavy::with_permit(self.compared(&call, &grant, range, page)).await
    }

    async fn list_branches(
        &self,
        call: Call,
        at: RepoAddress,
        protected: OptionalParameter<bool>,
        page: Page,
    ) -> Outcome<Reply<200, Vec<ShortBranch>>> {
        let grant = self.app.access.repository(&call, &at).await?;
        if protected.0 == Some(true) {
            return Ok(Reply::new(Vec::new()));
        }
        let (rows, link) = self.page(&call, &grant, BRANCHES, Order::Asc, page).await?;
        let view = GitObjectView::new(&call, &grant);
        let branches = rows.into_iter().map(|(name, sha, _)| {
            let name = name.strip_prefix(BRANCHES).unwrap_or(&name);
            view.short_branch(name, sha)
        });
        Ok(Reply::new(branches.collect()).link(link))
    }

    async fn get_branch(
        &self,
        call: Call,
        at: RepoAddress,
        branch: String,
    ) -> Outcome<Reply<200, Branch>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let (name, id) = (format!("{BRANCHES}{branch}"), grant.repository.id);
        let row = git_refs::rows::find(self.refs(&grant).await, id, &name).await?;
        let row = row.ok_or(Problem::Absent("Branch not found".into()))?;
        let view = GitObjectView::new(&call, &grant);
        let mut views = view.commits(&self.app.db, &[revision::tip(&row)?]).await?;
        let commit = views.commits.pop().ok_or(Problem::NotFound)?;
        let reply = Reply::new(view.branch(&branch, commit));
        Ok(reply.uncacheable_if(views.uncacheable))
    }

    async fn list_tags(
        &self,
        call: Call,
        at: RepoAddress,
        page: Page,
    ) -> Outcome<Reply<200, Vec<TagName>>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let (rows, link) = self.page(&call, &grant, TAGS, Order::Desc, page).await?;
        let commits = self.peeled_targets(&grant, &rows).await?;
        let view = GitObjectView::new(&call, &grant);
        let tags = rows.iter().zip(commits).map(|((name, ..), sha)| {
            let name = name.strip_prefix(TAGS).unwrap_or(name);
            view.tag_name(name, sha.to_string())
        });
        Ok(Reply::new(tags.collect()).link(link))
    }
}

impl Commits {
    /// For queries about all references of a repository.
    pub(super) async fn refs(&self, grant: &RepositoryGrant) -> &Connection {
        let refs = Aggregate::Refs.of(grant.repository.id);
        self.app.db.reading(&[refs]).await
    }

    async fn history(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        from: Sha,
        list: &CommitList,
    ) -> Outcome<Reply<200, Vec<RepositoryCommit>>> {
        let (id, reads, page) = (grant.repository.id, self.app.db.reads(), list.page);
        let by = |name: &Option<String>| {
            let name = name.clone();
            name.map(|name| move |line: &[u8]| is_by(line, &name))
        };
        let (author, committer) = (by(&list.author), by(&list.committer));
        let filter = LogFilter {
            path: list.path.as_deref(),
            author: author.as_ref().map(|by| by as LineFilter<'_>),
            committer: committer.as_ref().map(|by| by as LineFilter<'_>),
            since: list.since.map(|since| since.0),
            until: list.until.map(|until| until.0),
        };
        let skip = usize::try_from(page.skipped()).unwrap_or(usize::MAX);
        let take = usize::try_from(page.per_page).unwrap_or(usize::MAX);
        let log_page = log(reads, id, from, filter, skip, take).await?;
        let link = match filter.is_empty() {
            true => {
                let total = count_reached(reads, id, from).await?;
                page.link(call, u64::try_from(total).unwrap_or(0))
            }
            false => page.open_link(call, log_page.more),
        };
        let views = GitObjectView::new(call, grant)
            .commits(&self.app.db, &log_page.commits)
            .await?;
        let reply = page::reply(views.bytes, views.commits).await?.link(link);
        Ok(reply.uncacheable_if(views.uncacheable))
    }

    /// One page of references, and its `Link` header.
    async fn page(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        folder: &str,
        order: Order,
        page: Page,
    ) -> Outcome<(Vec<RefRow>, Option<String>)> {
        let (id, reads) = (grant.repository.id, self.refs(grant).await);
        let range = NameRange::beginning_with(folder);
        let part = (page.skipped(), page.per_page);
        let rows = git_refs::rows::page(reads, id, &range, order, part).await?;
        let total = git_refs::rows::count(reads, id, &range).await?;
        Ok((rows, page.link(call, total)))
    }

    /// The objects that tags lead to. Reads annotated tags in one query; nested ones take more.
    async fn peeled_targets(&self, grant: &RepositoryGrant, rows: &[RefRow]) -> Outcome<Vec<Sha>> {
        let (id, reads) = (grant.repository.id, self.app.db.reads());
        let targets = rows.iter().map(|(_, sha, kind)| {
            let sha = Sha::stored(sha)?;
            Ok(RefTarget { sha, kind: *kind })
        });
        let targets: Vec<RefTarget> = targets.collect::<Outcome<_>>()?;
        let annotated = targets
            .iter()
            .filter(|target| target.kind == ObjectKind::Tag);
        let annotated: Vec<Sha> = annotated.map(|target| target.sha).collect();
        let objects = load_many(reads, id, &annotated).await?;
        let mut peeled_shas = Vec::with_capacity(targets.len());
        for mut target in targets {
            if let Some(object) = objects.get(&target.sha) {
                let tag = Tag::parse(&object.content)?;
                target = RefTarget {
                    sha: tag.target,
                    kind: tag.target_kind,
                };
            }
            let peeled = target.peeled(reads, id).await?;
            peeled_shas.push(peeled.map_or(target.sha, |peeled| peeled.sha));
        }
        Ok(peeled_shas)
    }
}
