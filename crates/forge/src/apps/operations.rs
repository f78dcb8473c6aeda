//! The operations.

mod hooks;

use async_trait::async_trait;

use super::{Apps, rows, rules, view};
use crate::access::SUSPENDED;
use crate::access::credential::parsed;
use crate::installations::relations::InstallationRelations;
use crate::installations::view as installations;
use crate::repositories::relations::RepositoryRelations;
use crate::tokens;
use crate::tokens::{INSTALLATION_TOKEN_SECONDS, TokenDraft};
use crate::urls::Urls;
use contract::apps::{
    Accepted, CreateInstallationToken, GithubApp, HookConfig, HookDelivery, HookDeliveryItem,
    HookDeliveryStatus, InstallationToken, Operations, UpdateHookConfig,
};
use contract::body::Body;
use contract::call::Call;
use contract::caller::Permissions;
use contract::paging::{OptionalParameter, Page, PerPage};
use contract::problem::Problem;
use contract::reply::{Outcome, Reply};
use contract::shared::address::RepoAddress;
use contract::shared::installation::{Installation, RepositorySelection};
use contract::values::Timestamp;
use storage::entities::token::{TokenKind, TokenSelection};
use storage::entities::{account, installation, repository};

#[async_trait]
impl Operations for Apps {
    async fn get_app(&self, call: Call) -> Outcome<Reply<200, GithubApp>> {
        let app = self.app.access.calling_app(&call).await?;
        let db = self.app.db.reads();
        let owner = rows::account(db, app.owner_id).await?;
        let owner = owner.ok_or_else(|| Problem::internal("an app has no owner"))?;
        let count = rows::count_installations(db, app.id).await?;
        Ok(Reply::new(view::app(
            &Urls::of(&call),
            &app,
            &owner,
            count,
        )?))
    }

    async fn list_app_installations(
        &self,
        call: Call,
        page: Page,
        since: OptionalParameter<Timestamp>,
        _outdated: Option<String>,
    ) -> Outcome<Reply<200, Vec<Installation>>> {
        let app = self.app.access.calling_app(&call).await?;
        let db = self.app.db.reads();
        let (rows, total) = rows::installations(db, app.id, since.0, page).await?;
        let relations = InstallationRelations::of(db, &rows).await?;
        let urls = Urls::of(&call);
        let views = rows
            .iter()
            .map(|row| installations::installation(&urls, row, &relations))
            .collect::<Outcome<Vec<_>>>()?;
        Ok(Reply::new(views).link(page.link(&call, total)))
    }

    async fn get_app_installation(
        &self,
        call: Call,
        installation_id: i64,
    ) -> Outcome<Reply<200, Installation>> {
        let app = self.app.access.calling_app(&call).await?;
        let row = rows::installation(self.app.db.reads(), app.id, installation_id).await?;
        self.show(&call, row).await
    }

    async fn create_installation_token(
        &self,
        call: Call,
        installation_id: i64,
        body: Body<CreateInstallationToken>,
    ) -> Outcome<Reply<201, InstallationToken>> {
        let app = self.app.access.calling_app(&call).await?;
        let db = self.app.db.reads();
        let installation = rows::installation(db, app.id, installation_id)
            .await?
            .ok_or(Problem::NotFound)?;
        if installation.suspended_at.is_some() {
            return Err(SUSPENDED);
        }
        let body = rules::readable(body)?;
        let granted = parsed(&installation.permissions)?;
        let permissions = rules::permissions(granted, body.permissions.as_ref())?;
        let narrowed = self.narrowed(&installation, &body).await?;
        let expires_at = Timestamp(self.app.clock.now().0 + INSTALLATION_TOKEN_SECONDS);
        let draft = draft(&installation, &permissions, narrowed.as_deref(), expires_at)?;
        let value = self.issue(draft).await?;
        let selection = match narrowed {
            Some(_) => RepositorySelection::Selected,
            None => installations::selection(installation.repository_selection),
        };
        let repository_views = match &narrowed {
            Some(rows) => {
                let relations = RepositoryRelations::of(&self.app.db, rows, None).await?;
                Some(view::narrowed(&Urls::of(&call), rows, &relations)?)
            }
            None => None,
        };
        let single_files = match permissions.contains_key("single_file") {
            true => Some(parsed(&installation.single_file_paths)?),
            false => None,
        };
        Ok(Reply::new(view::token(
            value,
            expires_at,
            &permissions,
            selection,
            repository_views,
            single_files,
        )))
    }

    async fn get_org_installation(
        &self,
        call: Call,
        org: String,
    ) -> Outcome<Reply<200, Installation>> {
        self.on_account(&call, &org, account::AccountKind::Organization)
            .await
    }

    async fn get_user_installation(
        &self,
        call: Call,
        username: String,
    ) -> Outcome<Reply<200, Installation>> {
        self.on_account(&call, &username, account::AccountKind::User)
            .await
    }

    async fn get_repo_installation(
        &self,
        call: Call,
        at: RepoAddress,
    ) -> Outcome<Reply<200, Installation>> {
        let app = self.app.access.calling_app(&call).await?;
        let db = self.app.db.reads();
        let installation = rows::installation_of_owner(db, app.id, &at.owner).await?;
        let installation = installation.ok_or(Problem::NotFound)?;
        let names = [at.repo.to_lowercase()];
        let repositories = rows::repositories(db, &installation, [], names).await?;
        self.show(&call, (!repositories.is_empty()).then_some(installation))
            .await
    }

    async fn get_app_hook_config(&self, call: Call) -> Outcome<Reply<200, HookConfig>> {
        let app = self.app.access.calling_app(&call).await?;
        Ok(Reply::new(view::config(&app)))
    }

    async fn update_app_hook_config(
        &self,
        call: Call,
        body: Body<UpdateHookConfig>,
    ) -> Outcome<Reply<200, HookConfig>> {
        self.change_hook(&call, body).await.map(Reply::new)
    }

    async fn list_app_hook_deliveries(
        &self,
        call: Call,
        per_page: PerPage,
        cursor: OptionalParameter<String>,
        status: OptionalParameter<HookDeliveryStatus>,
    ) -> Outcome<Reply<200, Vec<HookDeliveryItem>>> {
        self.deliveries(&call, per_page, cursor.0.as_deref(), status.0)
            .await
    }

    async fn get_app_hook_delivery(
        &self,
        call: Call,
        delivery_id: i64,
    ) -> Outcome<Reply<200, HookDelivery>> {
        self.delivery(&call, delivery_id).await.map(Reply::new)
    }

    async fn redeliver_app_hook_delivery(
        &self,
        call: Call,
        delivery_id: i64,
    ) -> Outcome<Reply<202, Accepted>> {
        self.redeliver(&call, delivery_id).await?;
        Ok(Reply::new(Accepted {}))
    }
}

impl Apps {
    async fn on_account(
        &self,
        call: &Call,
        login: &str,
        kind: account::AccountKind,
    ) -> Outcome<Reply<200, Installation>> {
        let app = self.app.access.calling_app(call).await?;
        let db = self.app.db.reads();
        let account = rows::account_named(db, login, kind).await?;
        let account = account.ok_or(Problem::NotFound)?;
        let row = rows::installation_on(db, app.id, account.id).await?;
        self.show(call, row).await
    }

    async fn show(
        &self,
        call: &Call,
        row: Option<installation::Model>,
    ) -> Outcome<Reply<200, Installation>> {
        let row = row.ok_or(Problem::NotFound)?;
        let rows = std::slice::from_ref(&row);
        let relations = InstallationRelations::of(self.app.db.reads(), rows).await?;
        let urls = Urls::of(call);
        Ok(Reply::new(installations::installation(
            &urls, &row, &relations,
        )?))
    }

    /// The repositories that the body limits a token to, if any.
    async fn narrowed(
        &self,
        installation: &installation::Model,
        body: &CreateInstallationToken,
    ) -> Outcome<Option<Vec<repository::Model>>> {
        let Some(narrowing) = rules::narrowing(body)? else {
            return Ok(None);
        };
        let db = self.app.db.reads();
        let (ids, names) = (narrowing.ids.clone(), narrowing.names.clone());
        let rows = rows::repositories(db, installation, ids, names).await?;
        let ids_and_names: Vec<_> = rows
            .iter()
            .map(|row| (row.id, row.name_key.clone()))
            .collect();
        rules::all_found(&narrowing, &ids_and_names)?;
        Ok(Some(rows))
    }

    /// Issues the token and returns its value.
    async fn issue(&self, draft: TokenDraft) -> Outcome<String> {
        let now = self.app.clock.now();
        let transaction = self.app.db.begin().await?;
        let issued = tokens::mint(&transaction, &*self.app.entropy, now, &draft).await?;
        transaction.commit().await?;
        Ok(issued.value)
    }
}

fn draft(
    installation: &installation::Model,
    permissions: &Permissions,
    narrowed: Option<&[repository::Model]>,
    expires_at: Timestamp,
) -> Outcome<TokenDraft> {
    Ok(TokenDraft {
        installation: Some(installation.id),
        selection: Some(match narrowed {
            Some(_) => TokenSelection::Selected,
            None => TokenSelection::All,
        }),
        repositories: narrowed.into_iter().flatten().map(|row| row.id).collect(),
        permissions: serde_json::to_string(permissions).map_err(Problem::internal)?,
        expires_at: Some(expires_at),
        ..TokenDraft::of(TokenKind::Installation)
    })
}
