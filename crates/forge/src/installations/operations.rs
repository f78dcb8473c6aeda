//! The operations.

use async_trait::async_trait;
use migration::aggregates::Kind;

use super::view as installations;
use super::{Installations, rows, rules, view};
use crate::installations::relations::InstallationRelations;
use crate::repositories::relations::RepositoryRelations;
use crate::urls::Urls;
use crate::webhooks;
use crate::webhooks::SelectionChange;
use contract::call::Call;
use contract::caller::Caller;
use contract::installations::{InstallationRepositories, Operations, UserInstallations};
use contract::paging::Page;
use contract::problem::Problem;
use contract::reply::{Empty, Outcome, Reply};
use storage::entities::collaborator::Permission;
use storage::entities::installation::RepositorySelection;
use storage::entities::{installation, repository};

#[async_trait]
impl Operations for Installations {
    async fn list_installation_repositories(
        &self,
        call: Call,
        page: Page,
    ) -> Outcome<Reply<200, InstallationRepositories>> {
        let access = &self.app.access;
        let installation = access.own_installation(&call).await?;
        let db = &self.app.db;
        let condition = rows::reached_by_token(&installation.installation, &installation.token);
        let repositories = [Kind::AccountRepositories.of(installation.account.id)];
        let page_rows =
            rows::repositories(db.reading(&repositories).await, condition, page).await?;
        let private_of = access
            .sees_all_of(&call.caller, &installation.account)
            .await?
            .then_some(installation.account.id);
        let relations = RepositoryRelations::of(db, &page_rows.rows, private_of).await?;
        let list = view::own_repositories(
            &Urls::of(&call),
            (&page_rows.rows, page_rows.total),
            &relations,
            view::token_selection(&installation.installation, &installation.token),
        )?;
        Ok(Reply::new(list).link(page.link(&call, page_rows.total)))
    }

    async fn revoke_installation_token(&self, call: Call) -> Outcome<Empty> {
        let token = self.app.access.own_token(&call)?;
        let transaction = self.app.db.begin().await?;
        let now = self.app.clock.now().0;
        // It may have been revoked since this request was admitted.
        if !rows::revoke(&transaction, token, now).await? {
            return Err(Problem::BAD_CREDENTIALS);
        }
        transaction.commit().await?;
        Ok(Empty)
    }

    async fn list_user_installations(
        &self,
        call: Call,
        page: Page,
    ) -> Outcome<Reply<200, UserInstallations>> {
        let caller = self.app.access.calling_app_user(&call)?;
        let db = self.app.db.reads();
        let page_rows = rows::user_installations(db, caller.app, caller.user, page).await?;
        let relations = InstallationRelations::of(db, &page_rows.rows).await?;
        let urls = Urls::of(&call);
        let list = view::user_installations(&urls, (&page_rows.rows, page_rows.total), &relations)?;
        Ok(Reply::new(list).link(page.link(&call, page_rows.total)))
    }

    async fn list_user_installation_repositories(
        &self,
        call: Call,
        installation_id: i64,
        page: Page,
    ) -> Outcome<Reply<200, InstallationRepositories>> {
        let access = &self.app.access;
        let grant = access.user_installation(&call, installation_id).await?;
        let db = &self.app.db;
        let repositories = [
            Kind::AccountRepositories.of(grant.account.id),
            Kind::Account.of(grant.user),
        ];
        let reads = db.reading(&repositories).await;
        let page_rows = rows::repositories(reads, grant.reached, page).await?;
        let ids: Vec<_> = page_rows.rows.iter().map(|row| row.id).collect();
        let roles = access.roles(grant.user, grant.account_role, &ids).await?;
        let sees_all = match &*call.caller {
            Caller::AppUser { .. } => sees_all(grant.account_role, &grant.installation),
            caller => access.sees_all_of(caller, &grant.account).await?,
        };
        let private_of = sees_all.then_some(grant.account.id);
        let relations = RepositoryRelations::of(db, &page_rows.rows, private_of).await?;
        let list = view::user_repositories(
            &Urls::of(&call),
            (&page_rows.rows, page_rows.total),
            &relations,
            &roles,
            installations::selection(grant.installation.repository_selection),
        )?;
        Ok(Reply::new(list).link(page.link(&call, page_rows.total)))
    }

    async fn add_installation_repository(
        &self,
        call: Call,
        installation_id: i64,
        repository_id: i64,
    ) -> Outcome<Empty> {
        let change = self
            .app
            .access
            .installation_change(&call, installation_id, repository_id)
            .await?;
        let (id, repository) = (change.installation, change.repository.id);
        let transaction = self.app.db.begin().await?;
        let installation = rows::lock(&transaction, id).await?;
        let mut installation = installation.ok_or(Problem::NotFound)?;
        let is_included = installation.repository_selection == RepositorySelection::All
            || rows::is_installed(&transaction, id, repository).await?;
        if !is_included {
            rows::install(&transaction, id, repository).await?;
            installation.updated_at = self.app.clock.now().0;
            rows::touch(&transaction, id, installation.updated_at).await?;
            let added = std::slice::from_ref(&change.repository);
            let event = selection_change(&call, &installation, change.user, (added, &[]));
            webhooks::queue_selection(&transaction, &self.app, &event).await?;
            transaction.commit().await?;
        }
        Ok(Empty)
    }

    async fn remove_installation_repository(
        &self,
        call: Call,
        installation_id: i64,
        repository_id: i64,
    ) -> Outcome<Empty> {
        let change = self
            .app
            .access
            .installation_change(&call, installation_id, repository_id)
            .await?;
        let (id, repository) = (change.installation, change.repository.id);
        let transaction = self.app.db.begin().await?;
        let installation = rows::lock(&transaction, id).await?;
        let mut installation = installation.ok_or(Problem::NotFound)?;
        let installed = rows::is_installed(&transaction, id, repository).await?;
        let count = rows::count_installed(&transaction, id).await?;
        rules::removable(installation.repository_selection, installed, count)?;
        rows::uninstall(&transaction, id, repository).await?;
        installation.updated_at = self.app.clock.now().0;
        rows::touch(&transaction, id, installation.updated_at).await?;
        let removed = std::slice::from_ref(&change.repository);
        let event = selection_change(&call, &installation, change.user, (&[], removed));
        webhooks::queue_selection(&transaction, &self.app, &event).await?;
        transaction.commit().await?;
        Ok(Empty)
    }
}

/// The event of a change: the repositories that were added and removed.
fn selection_change<'a>(
    call: &Call,
    installation: &'a installation::Model,
    sender: i64,
    (added, removed): (&'a [repository::Model], &'a [repository::Model]),
) -> SelectionChange<'a> {
    SelectionChange {
        installation,
        added,
        removed,
        sender,
        urls: Urls::of(call),
        now: installation.updated_at,
    }
}

/// Whether a user sees all repositories of an account through an app.
fn sees_all(account_role: Permission, installation: &installation::Model) -> bool {
    let all = installation.repository_selection == RepositorySelection::All;
    all && account_role >= Permission::Read
}
