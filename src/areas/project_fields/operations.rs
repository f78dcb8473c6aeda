//! The operations of the area.

use async_trait::async_trait;

use super::ProjectFields;
use crate::contract::body::Body;
use crate::contract::call::Call;
use crate::contract::paging::*;
use crate::contract::problem::Problem;
use crate::contract::project_fields::*;
use crate::contract::reply::{Outcome, Reply};
use crate::contract::shared::address::*;

#[async_trait]
impl Operations for ProjectFields {
    async fn list_org_project_fields(
        &self,
        _call: Call,
        _at: ProjectAddress,
        _page: CursorPage,
    ) -> Outcome<Reply<200, Vec<ProjectField>>> {
        Err(Problem::NotImplemented)
    }

    async fn add_org_project_field(
        &self,
        _call: Call,
        _at: ProjectAddress,
        _body: Body<AddOrgProjectField>,
    ) -> Outcome<Reply<201, ProjectField>> {
        Err(Problem::NotImplemented)
    }

    async fn get_org_project_field(
        &self,
        _call: Call,
        _at: ProjectAddress,
        _field_id: i64,
    ) -> Outcome<Reply<200, ProjectField>> {
        Err(Problem::NotImplemented)
    }

    async fn list_user_project_fields(
        &self,
        _call: Call,
        _at: ProjectAddress,
        _page: CursorPage,
    ) -> Outcome<Reply<200, Vec<ProjectField>>> {
        Err(Problem::NotImplemented)
    }

    async fn add_user_project_field(
        &self,
        _call: Call,
        _at: ProjectAddress,
        _body: Body<AddUserProjectField>,
    ) -> Outcome<Reply<201, ProjectField>> {
        Err(Problem::NotImplemented)
    }

    async fn get_user_project_field(
        &self,
        _call: Call,
        _at: ProjectAddress,
        _field_id: i64,
    ) -> Outcome<Reply<200, ProjectField>> {
        Err(Problem::NotImplemented)
    }
}
