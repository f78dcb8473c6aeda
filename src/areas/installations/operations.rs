//! The operations of the area.

use async_trait::async_trait;
use migration::aggregates::Kind;

use super::{Installations, rules, store, view};
use crate::contract::call::Call;
use crate::contract::installations::{InstallationRepositories, Operations, UserInstallations};
use crate::contract::paging::Page;
use crate::contract::problem::Problem;
use crate::contract::reply::{Empty, Outcome, Reply};
use crate::entities::collaborator::Permission;
use crate::entities::installation::RepositorySelection;
use crate::entities::{account, installation, repository};
use crate::notify::{self, SelectionChange};
use crate::urls::Urls;
use crate::views::{installation as installations, repository as repositories};

#[async_trait]
impl Operations for Installations {
    async fn list_installation_repositories(
        &self,
        call: Call,
        page: Page,
    ) -> Outcome<Reply<200, InstallationRepositories>> {
        let access = &self.app.access;
        let own = access.own_installation(&call).await?;
        let db = &self.app.db;
        let reached = store::reached_by_token(&own.installation, &own.token);
        let repositories = [Kind::AccountRepositories.of(own.account.id)];
        let found = store::repositories(db.reading(&repositories).await, reached, page).await?;
        let private_of = access
            .sees_all_of(&call.caller, &own.account)
            .await?
            .then_some(own.account.id);
        let relations = repositories::RepositoryRelations::of(db, &found.rows, private_of).await?;
        let shown = view::own_repositories(
            &Urls::of(&call),
            (&found.rows, found.total),
            &relations,
            view::token_selection(&own.installation, &own.token),
        )?;
        Ok(Reply::new(shown).link(page.link(&call, found.total)))
    }

    async fn revoke_installation_token(&self, call: Call) -> Outcome<Empty> {
        let own = self.app.access.own_installation(&call).await?;
        let transaction = self.app.db.begin().await?;
        let now = self.app.clock.now().0;
        // Somebody may have revoked it since this request was let in.
        if !store::revoke(&transaction, own.token.id, now).await? {
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
        let found = store::user_installations(db, caller.app, caller.user, page).await?;
        let relations = installations::InstallationRelations::of(db, &found.rows).await?;
        let urls = Urls::of(&call);
        let shown = view::user_installations(&urls, (&found.rows, found.total), &relations)?;
        Ok(Reply::new(shown).link(page.link(&call, found.total)))
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
        let reached = store::reached_by_user(&grant.installation, grant.user, grant.standing);
        let repositories = [
            Kind::AccountRepositories.of(grant.account.id),
            Kind::Account.of(grant.user),
        ];
        let found = store::repositories(db.reading(&repositories).await, reached, page).await?;
        let ids: Vec<_> = found.rows.iter().map(|row| row.id).collect();
        let roles = access.roles(grant.user, grant.standing, &ids).await?;
        let private_of = sees_all(&grant.account, grant.standing, &grant.installation);
        let relations = repositories::RepositoryRelations::of(db, &found.rows, private_of).await?;
        let shown = view::user_repositories(
            &Urls::of(&call),
            (&found.rows, found.total),
            &relations,
            &roles,
            installations::selection(grant.installation.repository_selection),
        )?;
        Ok(Reply::new(shown).link(page.link(&call, found.total)))
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
        let installation = store::lock(&transaction, id).await?;
        let mut installation = installation.ok_or(Problem::NotFound)?;
        let reached = installation.repository_selection == RepositorySelection::All
            || store::is_installed(&transaction, id, repository).await?;
        if !reached {
            store::install(&transaction, id, repository).await?;
            installation.updated_at = self.app.clock.now().0;
            store::touch(&transaction, id, installation.updated_at).await?;
            let added = std::slice::from_ref(&change.repository);
            let told = told(&call, &installation, change.user, (added, &[]));
            notify::queue_selection(&transaction, &self.app, &told).await?;
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
        let installation = store::lock(&transaction, id).await?;
        let mut installation = installation.ok_or(Problem::NotFound)?;
        let installed = store::is_installed(&transaction, id, repository).await?;
        let count = store::count_installed(&transaction, id).await?;
        rules::removable(installation.repository_selection, installed, count)?;
        store::uninstall(&transaction, id, repository).await?;
        installation.updated_at = self.app.clock.now().0;
        store::touch(&transaction, id, installation.updated_at).await?;
        let removed = std::slice::from_ref(&change.repository);
        let told = told(&call, &installation, change.user, (&[], removed));
        notify::queue_selection(&transaction, &self.app, &told).await?;
        transaction.commit().await?;
        Ok(Empty)
    }
}

/// What the app is told of a change: the repositories that were added and removed.
fn told<'a>(
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

/// The account of an installation, if the user sees all that it has through the
/// app.
fn sees_all(
    account: &account::Model,
    standing: Permission,
    installation: &installation::Model,
) -> Option<i64> {
    let all = installation.repository_selection == RepositorySelection::All;
    (all && standing >= Permission::Read).then_some(account.id)
}
