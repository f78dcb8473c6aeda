//! The operations of the area.

use async_trait::async_trait;

use super::GitRefs;
use crate::contract::body::Body;
use crate::contract::call::Call;
use crate::contract::git_refs::*;
use crate::contract::problem::Problem;
use crate::contract::reply::{Empty, Outcome, Reply};
use crate::contract::shared::address::*;

#[async_trait]
impl Operations for GitRefs {
    async fn list_matching_refs(
        &self,
        _call: Call,
        _at: RepoAddress,
        _prefix: String,
    ) -> Outcome<Reply<200, Vec<GitRef>>> {
        Err(Problem::NotImplemented)
    }

    async fn get_ref(
        &self,
        _call: Call,
        _at: RepoAddress,
        _name: String,
    ) -> Outcome<Reply<200, GitRef>> {
        Err(Problem::NotImplemented)
    }

    async fn create_ref(
        &self,
        _call: Call,
        _at: RepoAddress,
        _body: Body<CreateRef>,
    ) -> Outcome<Reply<201, GitRef>> {
        Err(Problem::NotImplemented)
    }

    async fn update_ref(
        &self,
        _call: Call,
        _at: RepoAddress,
        _name: String,
        _body: Body<UpdateRef>,
    ) -> Outcome<Reply<200, GitRef>> {
        Err(Problem::NotImplemented)
    }

    async fn delete_ref(&self, _call: Call, _at: RepoAddress, _name: String) -> Outcome<Empty> {
        Err(Problem::NotImplemented)
    }
}
