//! The operations. Those of organizations and of users differ only in access control
//! and in their bodies, which the contract defines.

use async_trait::async_trait;
use migration::aggregates::Kind;

use super::addition;
use super::addition::Adding;
use super::draft::NewProjectFieldRow;
use super::rows;
use super::view::FieldView;
use super::{ProjectFields, rules};
use crate::access::ProjectGrant;
use crate::projects::rows::{FieldScope, complete};
use crate::urls::Urls;
use contract::body::Body;
use contract::call::Call;
use contract::paging::CursorPage;
use contract::problem::Problem;
use contract::project_fields::{AddOrgProjectField, Operations, ProjectField};
use contract::reply::{Outcome, Reply};
use contract::shared::address::ProjectAddress;
use storage::database::Connection;

#[async_trait]
impl Operations for ProjectFields {
    async fn list_project_fields(
        &self,
        call: Call,
        at: ProjectAddress,
        page: CursorPage,
    ) -> Outcome<Reply<200, Vec<ProjectField>>> {
        let grant = self.app.access.project(&call, &at).await?;
        let reads = self.reading(&grant).await;
        let all = rows::listed(self.scope(&grant));
        let (fields, link) = self.cursors.page(&call, reads, &all, &page).await?;
        let fields = complete(reads, fields).await?;
        let view = self.view(&call, &grant);
        let fields = fields.into_iter().map(|field| view.field(field)).collect();
        Ok(Reply::new(fields).link(link))
    }

    async fn add_project_field(
        &self,
        call: Call,
        at: ProjectAddress,
        body: Body<AddOrgProjectField>,
    ) -> Outcome<Reply<201, ProjectField>> {
        let grant = self.app.access.project(&call, &at).await?;
        let draft = rules::draft(body.validated()?)?;
        let adding = Adding {
            project: grant.project.id,
            new_row: NewProjectFieldRow {
                id: None,
                created_at: self.app.clock.now().0,
            },
            entropy: &*self.app.entropy,
            issue_field_visibility: self.app.settings.issue_field_visibility,
        };
        let transaction = self.app.db.begin().await?;
        let field = addition::add(&transaction, &draft, &adding).await?;
        let completed = complete(&transaction, vec![field]).await?;
        transaction.commit().await?;
        let view = self.view(&call, &grant);
        let field = completed.into_iter().next().map(|field| view.field(field));
        let field = field.ok_or_else(|| Problem::internal("a new field has no issue field"))?;
        Ok(Reply::new(field))
    }

    async fn get_project_field(
        &self,
        call: Call,
        at: ProjectAddress,
        field_id: i64,
    ) -> Outcome<Reply<200, ProjectField>> {
        let grant = self.app.access.project(&call, &at).await?;
        let reads = self.reading(&grant).await;
        let field = rows::find(reads, self.scope(&grant), field_id).await?;
        let field = field.ok_or(Problem::NotFound)?;
        let completed = complete(reads, vec![field]).await?;
        let field = completed.into_iter().next().ok_or(Problem::NotFound)?;
        Ok(Reply::new(self.view(&call, &grant).field(field)))
    }
}

impl ProjectFields {
    /// A field that represents an issue field also depends on the issue fields of the owner.
    async fn reading(&self, grant: &ProjectGrant) -> &Connection {
        let aggregates = [
            Kind::Project.of(grant.project.id),
            Kind::IssueFields.of(grant.owner.id),
        ];
        self.app.db.reading(&aggregates).await
    }

    fn scope(&self, grant: &ProjectGrant) -> FieldScope {
        FieldScope::of(&grant.project, self.app.settings.issue_field_visibility)
    }

    fn view<'a>(&self, call: &Call, grant: &'a ProjectGrant) -> FieldView<'a> {
        FieldView {
            urls: Urls::of(call),
            owner: &grant.owner,
            project: &grant.project,
            today: self.app.clock.today(),
        }
    }
}
