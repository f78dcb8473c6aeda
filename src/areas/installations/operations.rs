//! The operations of the area.

use async_trait::async_trait;

use super::Installations;
use crate::contract::call::Call;
use crate::contract::installations::*;
use crate::contract::paging::*;
use crate::contract::problem::Problem;
use crate::contract::reply::{Empty, Outcome, Reply};

#[async_trait]
impl Operations for Installations {
    async fn list_installation_repositories(
        &self,
        _call: Call,
        _page: Page,
    ) -> Outcome<Reply<200, InstallationRepositories>> {
        Err(Problem::NotImplemented)
    }

    async fn revoke_installation_token(&self, _call: Call) -> Outcome<Empty> {
        Err(Problem::NotImplemented)
    }

    async fn list_user_installations(
        &self,
        _call: Call,
        _page: Page,
    ) -> Outcome<Reply<200, UserInstallations>> {
        Err(Problem::NotImplemented)
    }

    async fn list_user_installation_repositories(
        &self,
        _call: Call,
        _installation_id: i64,
        _page: Page,
    ) -> Outcome<Reply<200, InstallationRepositories>> {
        Err(Problem::NotImplemented)
    }

    async fn add_installation_repository(
        &self,
        _call: Call,
        _installation_id: i64,
        _repository_id: i64,
    ) -> Outcome<Empty> {
        Err(Problem::NotImplemented)
    }

    async fn remove_installation_repository(
        &self,
        _call: Call,
        _installation_id: i64,
        _repository_id: i64,
    ) -> Outcome<Empty> {
        Err(Problem::NotImplemented)
    }
}
