//! The operations of the area. Those of organizations and of users differ in who
//! is let in and in which bodies there are, and in nothing else. A page of the
//! list is in `operations/listing.rs`.

mod listing;

use async_trait::async_trait;
use migration::aggregates::Kind as Aggregates;

use super::addition::{self, Adding};
use super::draft::Given;
use super::store::{self, Scope};
use super::view::View;
use super::{ProjectFields, rules};
use crate::access::ProjectGrant;
use crate::access::policy::Operation;
use crate::contract::body::Body;
use crate::contract::call::Call;
use crate::contract::paging::CursorPage;
use crate::contract::problem::Problem;
use crate::contract::project_fields::{
    AddOrgProjectField, AddUserProjectField, Operations, ProjectField,
};
use crate::contract::reply::{Outcome, Reply};
use crate::contract::shared::address::ProjectAddress;
use crate::database::Reads;
use crate::entities::account::Kind;
use crate::entities::repository::Visibility;
use crate::urls::Urls;

#[async_trait]
impl Operations for ProjectFields {
    async fn list_org_project_fields(
        &self,
        call: Call,
        at: ProjectAddress,
        page: CursorPage,
    ) -> Outcome<Reply<200, Vec<ProjectField>>> {
        let operation = Operation::ListOrgProjectFields;
        let grant = self.of_organization(&call, operation, &at).await?;
        self.list(&call, &grant, &page).await
    }

    async fn add_org_project_field(
        &self,
        call: Call,
        at: ProjectAddress,
        body: Body<AddOrgProjectField>,
    ) -> Outcome<Reply<201, ProjectField>> {
        let operation = Operation::AddOrgProjectField;
        let grant = self.of_organization(&call, operation, &at).await?;
        self.add(&call, &grant, body.fit()?).await
    }

    async fn get_org_project_field(
        &self,
        call: Call,
        at: ProjectAddress,
        field_id: i64,
    ) -> Outcome<Reply<200, ProjectField>> {
        let operation = Operation::GetOrgProjectField;
        let grant = self.of_organization(&call, operation, &at).await?;
        self.get(&call, &grant, field_id).await
    }

    async fn list_user_project_fields(
        &self,
        call: Call,
        at: ProjectAddress,
        page: CursorPage,
    ) -> Outcome<Reply<200, Vec<ProjectField>>> {
        let operation = Operation::ListUserProjectFields;
        let grant = self.of_user(&call, operation, &at).await?;
        self.list(&call, &grant, &page).await
    }

    async fn add_user_project_field(
        &self,
        call: Call,
        at: ProjectAddress,
        body: Body<AddUserProjectField>,
    ) -> Outcome<Reply<201, ProjectField>> {
        let operation = Operation::AddUserProjectField;
        let grant = self.of_user(&call, operation, &at).await?;
        self.add(&call, &grant, rules::of_user(body.fit()?)).await
    }

    async fn get_user_project_field(
        &self,
        call: Call,
        at: ProjectAddress,
        field_id: i64,
    ) -> Outcome<Reply<200, ProjectField>> {
        let operation = Operation::GetUserProjectField;
        let grant = self.of_user(&call, operation, &at).await?;
        self.get(&call, &grant, field_id).await
    }
}

impl ProjectFields {
    async fn of_organization(
        &self,
        call: &Call,
        operation: Operation,
        at: &ProjectAddress,
    ) -> Outcome<ProjectGrant> {
        let access = &self.app.access;
        access
            .project(call, operation, Kind::Organization, at)
            .await
    }

    async fn of_user(
        &self,
        call: &Call,
        operation: Operation,
        at: &ProjectAddress,
    ) -> Outcome<ProjectGrant> {
        let access = &self.app.access;
        access.project(call, operation, Kind::User, at).await
    }

    async fn list(
        &self,
        call: &Call,
        grant: &ProjectGrant,
        page: &CursorPage,
    ) -> Outcome<Reply<200, Vec<ProjectField>>> {
        let reads = self.reading(grant).await;
        let (fields, link) = self.page(call, reads, self.scope(grant), page).await?;
        let view = self.view(call, grant);
        let fields = fields.into_iter().map(|field| view.field(field)).collect();
        Ok(Reply::new(fields).link(link))
    }

    async fn add(
        &self,
        call: &Call,
        grant: &ProjectGrant,
        body: AddOrgProjectField,
    ) -> Outcome<Reply<201, ProjectField>> {
        let draft = rules::draft(body)?;
        let adding = Adding {
            project: grant.project.id,
            given: Given {
                id: None,
                created_at: self.app.clock.now().0,
            },
            entropy: &*self.app.entropy,
            issue_field_visibility: self.app.settings.issue_field_visibility,
        };
        let transaction = self.app.db.begin().await?;
        let field = addition::add(&transaction, &draft, &adding).await?;
        let wholes = store::complete(&transaction, vec![field]).await?;
        transaction.commit().await?;
        let view = self.view(call, grant);
        let field = wholes.into_iter().next().map(|whole| view.field(whole));
        let field = field.ok_or_else(|| Problem::internal("a new field has no issue field"))?;
        Ok(Reply::new(field))
    }

    async fn get(
        &self,
        call: &Call,
        grant: &ProjectGrant,
        field_id: i64,
    ) -> Outcome<Reply<200, ProjectField>> {
        let reads = self.reading(grant).await;
        let field = store::find(reads, self.scope(grant), field_id).await?;
        let field = field.ok_or(Problem::NotFound)?;
        let wholes = store::complete(reads, vec![field]).await?;
        let whole = wholes.into_iter().next().ok_or(Problem::NotFound)?;
        Ok(Reply::new(self.view(call, grant).field(whole)))
    }

    /// A field that stands for an issue field shows that one, of the project's owner.
    async fn reading(&self, grant: &ProjectGrant) -> &Reads {
        let aggregates = [
            Aggregates::Project.of(grant.project.id),
            Aggregates::IssueFields.of(grant.owner.id),
        ];
        self.app.db.reading(&aggregates).await
    }

    fn scope(&self, grant: &ProjectGrant) -> Scope {
        let public = grant.project.visibility == Visibility::Public;
        Scope {
            project: grant.project.id,
            public: public && self.app.settings.issue_field_visibility,
        }
    }

    fn view<'a>(&self, call: &Call, grant: &'a ProjectGrant) -> View<'a> {
        View {
            urls: Urls::of(call),
            owner: &grant.owner,
            project: &grant.project,
            today: self.app.clock.today(),
        }
    }
}
