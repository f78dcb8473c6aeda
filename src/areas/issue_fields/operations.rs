//! The operations of the area.

use async_trait::async_trait;

use super::IssueFields;
use crate::contract::body::Body;
use crate::contract::call::Call;
use crate::contract::issue_fields::*;
use crate::contract::problem::Problem;
use crate::contract::reply::{Empty, Outcome, Reply};

#[async_trait]
impl Operations for IssueFields {
    async fn list_issue_fields(
        &self,
        _call: Call,
        _org: String,
    ) -> Outcome<Reply<200, Vec<IssueField>>> {
        Err(Problem::NotImplemented)
    }

    async fn create_issue_field(
        &self,
        _call: Call,
        _org: String,
        _body: Body<CreateIssueField>,
    ) -> Outcome<Reply<200, IssueField>> {
        Err(Problem::NotImplemented)
    }

    async fn update_issue_field(
        &self,
        _call: Call,
        _org: String,
        _issue_field_id: i64,
        _body: Body<UpdateIssueField>,
    ) -> Outcome<Reply<200, IssueField>> {
        Err(Problem::NotImplemented)
    }

    async fn delete_issue_field(
        &self,
        _call: Call,
        _org: String,
        _issue_field_id: i64,
    ) -> Outcome<Empty> {
        Err(Problem::NotImplemented)
    }
}
