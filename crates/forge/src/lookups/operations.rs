//! The lookup operations of the companion document.

use async_trait::async_trait;
use migration::aggregates::Kind;
use poem::http::header;

use super::{Lookups, rows, view};
use crate::access::RepositoryGrant;
use crate::repositories::relations::RepositoryRelations;
use crate::repositories::view as repositories;
use crate::repositories::view::Extras;
use crate::urls::Urls;
use contract::call::Call;
use contract::lookups::{
    Meta, Operations, Organization, Project, RateLimits, RateResources, Root, UserProfile, Zen,
};
use contract::problem::Problem;
use contract::reply::{Outcome, Reply};
use contract::shared::address::{ProjectAddress, RepoAddress};
use contract::shared::repository::FullRepository;
use contract::values::Timestamp;
use contract::version::ApiVersion;
use storage::entities::account;
use storage::limits::Subject;

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
            .cached_budget(subject, now)
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

    async fn get_authenticated_user(&self, call: Call) -> Outcome<Reply<200, UserProfile>> {
        let user = self.app.access.calling_user(&call)?;
        let reads = self.app.db.reading(&[Kind::Account.of(user.id)]).await;
        let account = rows::account(reads, user.id).await?;
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
        let kind = Some(account::AccountKind::Organization);
        let account = access.account(&call, &org, kind).await?;
        let public = self.count_public(&account).await?;
        let settings = access.sees_settings_of(&call.caller, &account).await?;
        let urls = Urls::of(&call);
        let organization = view::organization(&urls, &account, public, settings);
        Ok(Reply::new(organization))
    }

    async fn get_project(&self, call: Call, at: ProjectAddress) -> Outcome<Reply<200, Project>> {
        let grant = self.app.access.project(&call, &at).await?;
        let changed = grant.project.updated_at.max(grant.owner.updated_at);
        let project = view::project(&Urls::of(&call), &grant.project, &grant.owner);
        let now = self.app.clock.now();
        Ok(Reply::new(project).last_modified(Timestamp(changed), now))
    }
}

impl Lookups {
    async fn show_repository(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
    ) -> Outcome<Reply<200, FullRepository>> {
        let organization = grant.owner.kind == account::AccountKind::Organization;
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
        let relations = RepositoryRelations::of(db, std::slice::from_ref(row), private_of).await?;
        let urls = Urls::of(call);
        Ok(Reply::new(FullRepository {
            repository: repositories::repository(&urls, row, &relations, extras)?,
            organization: organization.then(|| urls.user(&grant.owner)),
        }))
    }

    async fn count_public(&self, account: &account::Model) -> Outcome<u64> {
        let repositories = [Kind::AccountRepositories.of(account.id)];
        let reads = self.app.db.reading(&repositories).await;
        Ok(rows::count_public(reads, account.id).await?)
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
