//! The operations of the companion document that look something up.

use async_trait::async_trait;
use migration::aggregates::Kind;
use poem::http::header;

use super::{Lookups, store, view};
use crate::access::RepositoryGrant;
use crate::cache::{CacheKind, Key};
use crate::contract::call::Call;
use crate::contract::lookups::{
    Meta, Operations, Organization, Project, Pull, RateLimits, RateResources, RenderedBody, Root,
    UserProfile, Zen,
};
use crate::contract::problem::Problem;
use crate::contract::reply::{Outcome, Reply};
use crate::contract::shared::address::{ProjectAddress, RepoAddress};
use crate::contract::shared::repository::FullRepository;
use crate::contract::values::Timestamp;
use crate::contract::version::ApiVersion;
use crate::database::Reads;
use crate::entities::{account, pull};
use crate::git::GitError;
use crate::heavy;
use crate::limits::Subject;
use crate::markup::comment::with_host;
use crate::pulls::comparison::BranchHeads;
use crate::pulls::size::Size;
use crate::urls::Urls;
use crate::views::association::Associations;
use crate::views::markdown::Text;
use crate::views::pull::{self as pulls, AroundPull};
use crate::views::repository as repositories;
use crate::views::repository::{Extras, Surroundings};

#[async_trait]
impl Operations for Lookups {
    async fn get_root(&self, call: Call) -> Outcome<Reply<200, Root>> {
        let urls = Urls::of(&call);
        Ok(Reply::new(Root::new(&urls.api, &urls.web, call.version)))
    }

    async fn get_meta(&self, _call: Call) -> Outcome<Reply<200, Meta>> {
        Ok(Reply::new(Meta {
            verifiable_password_authentication: false,
            installed_version: env!("CARGO_PKG_VERSION").to_owned(),
        }))
    }

    async fn get_zen(&self, _call: Call) -> Outcome<Zen> {
        Ok(Zen(view::saying(self.app.clock.now())))
    }

    async fn list_versions(&self, _call: Call) -> Outcome<Reply<200, Vec<String>>> {
        let versions = ApiVersion::ALL
            .iter()
            .map(|version| version.as_str().to_owned());
        Ok(Reply::new(versions.collect()))
    }

    async fn get_rate_limit(&self, call: Call) -> Outcome<Reply<200, RateLimits>> {
        let subject = Subject::of(&call.caller, call.address).ok_or(Problem::NotFound)?;
        let now = self.app.clock.now();
        let core = self
            .app
            .limits
            .last_standing(subject, now)
            .ok_or(Problem::NotFound)?;
        let limits = RateLimits {
            resources: RateResources::new(core, now),
            // Dropped from this version on (openapi/decisions.md, Versions).
            rate: (call.version < ApiVersion::V2026_03_10).then_some(core),
        };
        Ok(Reply::new(limits).header(header::CACHE_CONTROL, "no-cache"))
    }

    async fn get_repository(
        &self,
        call: Call,
        at: RepoAddress,
    ) -> Outcome<Reply<200, FullRepository>> {
        let grant = self.app.access.repository(&call, &at).await?;
        self.show_repository(&call, &grant).await
    }

    async fn get_repository_by_id(
        &self,
        call: Call,
        repository_id: i64,
    ) -> Outcome<Reply<200, FullRepository>> {
        let access = &self.app.access;
        let grant = access.repository_by_id(&call, repository_id).await?;
        self.show_repository(&call, &grant).await
    }

    async fn get_pull(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
    ) -> Outcome<Reply<200, Pull>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let repository = grant.repository.id;
        let find = |reads: Reads| async move { store::pull(&reads, repository, pull_number).await };
        let belongs = |(pull, _): &(pull::Model, Option<account::Model>)| {
            vec![
                Kind::Pull.of(pull.id),
                Kind::PullComments.of(pull.id),
                Kind::Account.of(pull.author_id),
                Kind::Refs.of(pull.repository_id),
            ]
        };
        let found = self.app.db.resolve(find, belongs).await?;
        let (pull, author) = found.ok_or(Problem::NotFound)?;
        let author = author.ok_or_else(|| Problem::internal("a pull request has no author"))?;
        self.show_pull(&call, &grant, pull, &author).await
    }

    async fn get_authenticated_user(&self, call: Call) -> Outcome<Reply<200, UserProfile>> {
        let user = self.app.access.calling_user(&call)?;
        let reads = self.app.db.reading(&[Kind::Account.of(user.id)]).await;
        let account = store::account(reads, user.id).await?;
        let account = account.ok_or(Problem::BAD_CREDENTIALS)?;
        self.show_user(&call, &account).await
    }

    async fn get_user(&self, call: Call, username: String) -> Outcome<Reply<200, UserProfile>> {
        let access = &self.app.access;
        let account = access.account(&call, &username, None).await?;
        self.show_user(&call, &account).await
    }

    async fn get_organization(&self, call: Call, org: String) -> Outcome<Reply<200, Organization>> {
        let access = &self.app.access;
        let kind = Some(account::Kind::Organization);
        let account = access.account(&call, &org, kind).await?;
        let public = self.count_public(&account).await?;
        let settings = access.sees_settings_of(&call.caller, &account).await?;
        let urls = Urls::of(&call);
        let shown = view::organization(&urls, &account, public, settings);
        Ok(Reply::new(shown))
    }

    async fn get_project(&self, call: Call, at: ProjectAddress) -> Outcome<Reply<200, Project>> {
        let grant = self.app.access.project(&call, &at).await?;
        let changed = grant.project.updated_at.max(grant.owner.updated_at);
        let shown = view::project(&Urls::of(&call), &grant.project, &grant.owner);
        let now = self.app.clock.now();
        Ok(Reply::new(shown).last_modified(Timestamp(changed), now))
    }
}

impl Lookups {
    /// How much a pull request changes. Of commits that are not stored nothing can be
    /// counted.
    async fn size(&self, pull: &pull::Model) -> Outcome<Size> {
        let reads = self.app.db.reads();
        let branches = BranchHeads::of(reads, pull).await?;
        let key = Key::of(CacheKind::PullSize)
            .number(branches.repository_id)
            .text(&branches.base.to_string())
            .text(&branches.head.to_string());
        let compute = || Size::of(reads, branches);
        let cache = &self.app.cache;
        if let Some(candidate) = cache.candidate(&key).await
            && let Some(counted) = cache.get(&candidate).await
        {
            return Ok(*counted);
        }
        // Whoever counts for others must not wait for a turn meanwhile.
        match heavy::with_permit(cache.get_or_compute(key, compute)).await {
            Err(GitError::Missing(_)) => Ok(Size::default()),
            counted => Ok(*counted?),
        }
    }

    async fn show_repository(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
    ) -> Outcome<Reply<200, FullRepository>> {
        let organization = grant.owner.kind == account::Kind::Organization;
        let extras = Extras {
            role: call.caller.user().map(|_| grant.role),
            custom_properties: organization,
        };
        let private_of = self
            .app
            .access
            .sees_all_of(&call.caller, &grant.owner)
            .await?
            .then_some(grant.owner.id);
        let row = &grant.repository;
        let db = &self.app.db;
        let surroundings = Surroundings::of(db, std::slice::from_ref(row), private_of).await?;
        let urls = Urls::of(call);
        Ok(Reply::new(FullRepository {
            repository: repositories::repository(&urls, row, &surroundings, extras)?,
            organization: organization.then(|| urls.user(&grant.owner)),
        }))
    }

    async fn show_pull(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        pull: pull::Model,
        author: &account::Model,
    ) -> Outcome<Reply<200, Pull>> {
        let (db, urls) = (&self.app.db, Urls::of(call));
        let row = &grant.repository;
        let ties = Associations::of(db, row, &[author.id].into()).await?;
        let surroundings = Surroundings::of(db, std::slice::from_ref(row), None).await?;
        let around = AroundPull {
            author: urls.user(author),
            association: ties.association(Some(author.id)),
            repository: repositories::nested(&urls, row, &surroundings)?,
        };
        let review_comments = view::count(store::count_comments(db.reads(), pull.id).await?);
        let size = view::size(self.size(&pull).await?);
        let summary = pulls::pull(&urls, &pull, around);
        let rendered = self.rendered(call, pull.body).await?;
        // Whom a text mentions may come to exist, which no version tells.
        let fleeting = rendered.is_some();
        let rendered = rendered.unwrap_or_default();
        let shown = Pull::new(summary, rendered, review_comments, size, call.version);
        let reply = Reply::new(shown);
        Ok(if fleeting { reply.uncacheable() } else { reply })
    }

    /// The body of a pull request in the forms that the caller asks for, if any.
    async fn rendered(&self, call: &Call, body: Option<String>) -> Outcome<Option<RenderedBody>> {
        let media = call.media;
        if !media.has_text() && !media.has_html() {
            return Ok(None);
        }
        let text = match body {
            Some(body) => Some(Text::render(self.app.db.reads(), body).await?.rendered),
            None => None,
        };
        let urls = Urls::of(call);
        let html = text.as_ref().map(|text| with_host(&text.html, &urls.web));
        Ok(Some(RenderedBody {
            body_html: media.has_html().then(|| html.into()),
            body_text: media.has_text().then(|| text.map(|text| text.text).into()),
        }))
    }

    async fn count_public(&self, account: &account::Model) -> Outcome<u64> {
        let repositories = [Kind::AccountRepositories.of(account.id)];
        let reads = self.app.db.reading(&repositories).await;
        Ok(store::count_public(reads, account.id).await?)
    }

    async fn show_user(
        &self,
        call: &Call,
        account: &account::Model,
    ) -> Outcome<Reply<200, UserProfile>> {
        let public = self.count_public(account).await?;
        Ok(Reply::new(view::user(&Urls::of(call), account, public)))
    }
}
