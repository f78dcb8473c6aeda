//! The operations. Every change is one transaction that locks the organization, so the
//! checks still hold when it is written.

use async_trait::async_trait;
use migration::aggregates::Kind;

use super::draft::{IssueFieldUpdate, NewIssueFieldRow};
use super::view;
use super::view::Detail;
use super::{IssueFields, creation, rows, rules};
use crate::projects::rows as projects;
use contract::body::Body;
use contract::call::Call;
use contract::issue_fields::{CreateIssueField, IssueField, Operations, UpdateIssueField};
use contract::problem::Problem;
use contract::reply::{Empty, Outcome, Reply};
use storage::database::Transaction;
use storage::entities::issue_field::{self, FieldVisibility};

#[async_trait]
impl Operations for IssueFields {
    async fn list_issue_fields(
        &self,
        call: Call,
        org: String,
    ) -> Outcome<Reply<200, Vec<IssueField>>> {
        let grant = self.app.access.organization(&call, &org).await?;
        let fields = [Kind::IssueFields.of(grant.organization.id)];
        let reads = self.app.db.reading(&fields).await;
        let fields = rows::list(reads, grant.organization.id).await?;
        let ids = fields.iter().map(|field| field.id);
        let options = projects::issue_options(reads, ids).await?;
        let detail = Detail {
            whole_options: false,
            ..self.detail()
        };
        Ok(Reply::new(view::fields(fields, &options, detail)))
    }

    async fn create_issue_field(
        &self,
        call: Call,
        org: String,
        body: Body<CreateIssueField>,
    ) -> Outcome<Reply<200, IssueField>> {
        let grant = self.app.access.organization(&call, &org).await?;
        let draft = rules::draft(body.validated()?)?;
        let new_row = NewIssueFieldRow {
            id: None,
            created_at: self.app.clock.now().0,
        };
        let transaction = self.app.db.begin().await?;
        let organization = grant.organization.id;
        let field = creation::create(&transaction, organization, &draft, new_row).await?;
        let options = projects::issue_options(&transaction, [field.id]).await?;
        transaction.commit().await?;
        Ok(Reply::new(view::field(field, &options, self.detail())))
    }

    async fn update_issue_field(
        &self,
        call: Call,
        org: String,
        issue_field_id: i64,
        body: Body<UpdateIssueField>,
    ) -> Outcome<Reply<200, IssueField>> {
        let grant = self.app.access.organization(&call, &org).await?;
        rules::check_id(issue_field_id)?;
        let body = body.validated();
        let organization = grant.organization.id;
        let transaction = self.app.db.begin().await?;
        rows::lock_organization(&transaction, organization).await?;
        let field = rows::find(&transaction, organization, issue_field_id).await?;
        let mut field = field.ok_or(Problem::NotFound)?;
        let mut options = projects::issue_options(&transaction, [field.id]).await?;
        let revision = rules::revise(&field, &options, body?)?;
        if !revision.is_empty() {
            field = self.apply(&transaction, &field, &revision).await?;
            options = projects::issue_options(&transaction, [field.id]).await?;
        }
        transaction.commit().await?;
        Ok(Reply::new(view::field(field, &options, self.detail())))
    }

    async fn delete_issue_field(
        &self,
        call: Call,
        org: String,
        issue_field_id: i64,
    ) -> Outcome<Empty> {
        let grant = self.app.access.organization(&call, &org).await?;
        rules::check_id(issue_field_id)?;
        let organization = grant.organization.id;
        let transaction = self.app.db.begin().await?;
        rows::lock_organization(&transaction, organization).await?;
        if !rows::delete(&transaction, organization, issue_field_id).await? {
            return Err(Problem::NotFound);
        }
        transaction.commit().await?;
        Ok(Empty)
    }
}

impl IssueFields {
    /// Writes a revision and its consequences.
    async fn apply(
        &self,
        transaction: &Transaction,
        field: &issue_field::Model,
        revision: &IssueFieldUpdate,
    ) -> Outcome<issue_field::Model> {
        if let Some(name) = &revision.name {
            creation::check_rename(transaction, field, name).await?;
        }
        let now = self.app.clock.now().0;
        let revised = rows::revise(transaction, field, revision, now)
            .await
            .map_err(creation::name_conflict)?;
        // GitHub: a field that is withdrawn from the public leaves
        // public projects.
        let withdrawn = revision.visibility == Some(FieldVisibility::OrganizationMembersOnly);
        if withdrawn && self.app.settings.issue_field_visibility {
            rows::leave_public_projects(transaction, field.id).await?;
        }
        Ok(revised)
    }

    /// The details of a field for the caller who has just written it.
    fn detail(&self) -> Detail {
        Detail {
            whole_options: true,
            visibility: self.app.settings.issue_field_visibility,
        }
    }
}
