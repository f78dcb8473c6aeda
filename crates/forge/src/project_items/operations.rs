//! The operations. Those of organizations and of users differ only in access control,
//! which the contract defines.

mod changing;
mod contents;
mod events;
mod showing;

use async_trait::async_trait;
use migration::aggregates::Kind;

use super::filter::{filtered, unfiltered};
use super::view::ItemView;
use super::{ProjectItems, query, rows, rules};
use crate::access::ProjectGrant;
use crate::explain;
use crate::projects::pages::ProjectList;
use crate::projects::rows::FieldScope;
use crate::urls::Urls;
use crate::views::page;
use contract::body::Body;
use contract::call::Call;
use contract::problem::{FieldProblem, Problem};
use contract::project_items::{
    AddProjectItem, CreateProjectDraft, ItemFields, ItemList, Operations, ProjectItem,
    SimpleProjectItem, UpdateProjectItem,
};
use contract::reply::{Empty, Outcome, Reply};
use contract::shared::address::ProjectAddress;
use storage::database::Connection;
use storage::entities::project_item;

/// The shape of an update, for one that names fields as keys.
const UPDATE_ADVICE: &str = "Send {\"fields\": [{\"id\": ID, \"value\": VALUE}]}; the list of \
                             the project's fields has their ids, and those of their options.";

#[async_trait]
impl Operations for ProjectItems {
    async fn list_project_items(
        &self,
        call: Call,
        at: ProjectAddress,
        list: ItemList,
    ) -> Outcome<Reply<200, Vec<ProjectItem>>> {
        let grant = self.app.access.project(&call, &at).await?;
        let filtering = list.q.is_some();
        let selection = self
            .selection(&call, &grant, &list.fields, filtering)
            .await?;
        let rows = match &list.q {
            Some(text) => {
                let terms = query::parse(text)?;
                let readable = self.readable_in(&call, &grant).await?;
                filtered(grant.project.id, &terms, selection.fields(), &readable)?
            }
            None => unfiltered(grant.project.id),
        };
        let all = ProjectList {
            project: grant.project.id,
            rows,
            id: project_item::Column::Id,
            id_of: |item| item.id,
        };
        let reads = self.reading(&grant).await;
        let (rows, link) = self.cursors.page(&call, reads, &all, &list.page).await?;
        let items = self.show(&call, &grant, rows, &selection).await?;
        // A filter depends on more rows than it returns.
        let uncacheable = filtering || call.media.is_rendered();
        let body = |item: &ProjectItem| {
            let content = &item.content.0.as_ref()?.0;
            content.get("body")?.as_str().map(str::len)
        };
        let bytes = items.iter().filter_map(body).sum();
        let reply = page::reply(bytes, items).await?;
        Ok(reply.link(link).uncacheable_if(uncacheable))
    }

    async fn add_project_item(
        &self,
        call: Call,
        at: ProjectAddress,
        body: Body<AddProjectItem>,
    ) -> Outcome<Reply<201, SimpleProjectItem>> {
        let grant = self.app.access.project(&call, &at).await?;
        let (kind, reference) = rules::content_reference(body.validated()?)?;
        let issue = self.addable(&call, kind, &reference).await?;
        let unknown = reference.unknown(kind);
        let row = self.add_issue(&call, &grant, &issue, unknown).await?;
        Ok(Reply::new(self.show_simple(&call, &grant, row).await?))
    }

    async fn create_project_draft(
        &self,
        call: Call,
        at: ProjectAddress,
        body: Body<CreateProjectDraft>,
    ) -> Outcome<Reply<201, SimpleProjectItem>> {
        let grant = self.app.access.project(&call, &at).await?;
        let (title, body) = rules::draft(body.validated()?)?;
        let row = self.add_draft(&call, &grant, title, body).await?;
        Ok(Reply::new(self.show_simple(&call, &grant, row).await?))
    }

    async fn get_project_item(
        &self,
        call: Call,
        at: ProjectAddress,
        item_id: i64,
        fields: ItemFields,
    ) -> Outcome<Reply<200, ProjectItem>> {
        let grant = self.app.access.project(&call, &at).await?;
        let reads = self.reading(&grant).await;
        let row = rows::find(reads, grant.project.id, item_id).await?;
        let row = row.ok_or(Problem::NotFound)?;
        let selection = self.selection(&call, &grant, &fields, false).await?;
        let item = self.show_one(&call, &grant, row, &selection).await?;
        Ok(Reply::new(item).uncacheable_if(call.media.is_rendered()))
    }

    async fn update_project_item(
        &self,
        call: Call,
        at: ProjectAddress,
        item_id: i64,
        body: Body<UpdateProjectItem>,
    ) -> Outcome<Reply<200, ProjectItem>> {
        let grant = self.app.access.project(&call, &at).await?;
        let body = body.validated().and_then(|body| {
            let empty = body.fields.is_none() && body.archived.is_none();
            let missing = || FieldProblem::missing(rules::RESOURCE, "fields").into();
            (!empty).then_some(body).ok_or_else(missing)
        });
        let body = body.inspect_err(|problem| {
            let advice = || UPDATE_ADVICE.to_owned();
            explain::note_shape("fields", problem, advice);
        })?;
        let (row, selection) = self.update(&call, &grant, item_id, body).await?;
        let item = self.show_one(&call, &grant, row, &selection).await?;
        Ok(Reply::new(item))
    }

    async fn delete_project_item(
        &self,
        call: Call,
        at: ProjectAddress,
        item_id: i64,
    ) -> Outcome<Empty> {
        let grant = self.app.access.project(&call, &at).await?;
        self.delete(&call, &grant, item_id).await?;
        Ok(Empty)
    }
}

impl ProjectItems {
    async fn reading(&self, grant: &ProjectGrant) -> &Connection {
        let aggregates = [Kind::ProjectItems.of(grant.project.id)];
        self.app.db.reading(&aggregates).await
    }

    fn scope(&self, grant: &ProjectGrant) -> FieldScope {
        FieldScope::of(&grant.project, self.app.settings.issue_field_visibility)
    }

    fn view<'a>(&self, call: &Call, grant: &'a ProjectGrant) -> ItemView<'a> {
        ItemView {
            urls: Urls::of(call),
            owner: &grant.owner,
            project: &grant.project,
            today: self.app.clock.today(),
        }
    }
}
