//! Views of a page of items, with the requested fields.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use migration::aggregates::Kind;

use crate::access::ProjectGrant;
use crate::accounts::rows::accounts;
use crate::issue_field_values::values::{Values, of_issues};
use crate::project_items::view::StoredValues;
use crate::project_items::{ProjectItems, TITLE, rows, rules};
use crate::projects::{FieldWithContent, rows as projects};
use contract::call::Call;
use contract::problem::Problem;
use contract::project_fields::ProjectFieldType;
use contract::project_items::{ItemContent, ItemFields, ProjectItem, SimpleProjectItem};
use contract::reply::Outcome;
use storage::entities::project_item;

/// The fields to show, in display order.
pub struct FieldSelection {
    /// `TITLE` and the ids of fields.
    ids: Vec<i64>,
    fields: Vec<FieldWithContent>,
}

impl FieldSelection {
    /// These fields; the title if there are none.
    pub fn of(mut ids: Vec<i64>, fields: Vec<FieldWithContent>) -> Self {
        if ids.is_empty() {
            ids.push(TITLE);
        }
        Self { ids, fields }
    }

    /// The fields of the project, if they were read.
    pub fn fields(&self) -> &[FieldWithContent] {
        &self.fields
    }

    fn field(&self, id: i64) -> Option<&FieldWithContent> {
        self.fields.iter().find(|field| field.field.id == id)
    }

    fn has_repository(&self) -> bool {
        let chosen = self.ids.iter().filter_map(|id| self.field(*id));
        let mut types = chosen.map(FieldWithContent::data_type);
        types.any(|data_type| data_type == ProjectFieldType::Repository)
    }

    fn has_issue_field(&self) -> bool {
        let mut chosen = self.ids.iter().filter_map(|id| self.field(*id));
        chosen.any(|field| field.field.issue_field_id.is_some())
    }

    fn is_title_alone(&self) -> bool {
        self.ids == [TITLE]
    }
}

impl ProjectItems {
    /// The fields of a project that the caller may see.
    pub(super) async fn fields(&self, grant: &ProjectGrant) -> Outcome<Vec<FieldWithContent>> {
        let aggregates = [
            Kind::Project.of(grant.project.id),
            Kind::IssueFields.of(grant.owner.id),
        ];
        let reads = self.app.db.reading(&aggregates).await;
        Ok(projects::all(reads, self.scope(grant)).await?)
    }

    /// The requested fields. Reads those of the project if one of them is requested, or if the
    /// query `filters` by them.
    pub(super) async fn selection(
        &self,
        call: &Call,
        grant: &ProjectGrant,
        requested: &ItemFields,
        filters: bool,
    ) -> Outcome<FieldSelection> {
        let ids = rules::selection(requested.0.as_deref(), &call.query)?;
        let mut selection = FieldSelection::of(ids, Vec::new());
        if filters || !selection.is_title_alone() {
            selection.fields = self.fields(grant).await?;
        }
        for id in &selection.ids {
            if *id != TITLE && selection.field(*id).is_none() {
                return Err(rules::unknown_field("fields", *id).into());
            }
        }
        Ok(selection)
    }

    /// Items with the selected fields. Items that the caller may not read have no content.
    pub(super) async fn show(
        &self,
        call: &Call,
        grant: &ProjectGrant,
        rows: Vec<project_item::Model>,
        selection: &FieldSelection,
    ) -> Outcome<Vec<ProjectItem>> {
        let view = self.view(call, grant);
        let with_repository = selection.has_repository();
        let (issues, contents) = self.contents(call, &rows, with_repository).await?;
        let people: BTreeSet<i64> = rows.iter().filter_map(|row| row.creator_id).collect();
        let people = accounts(&self.app.db, people).await?;
        let values = match selection.is_title_alone() {
            true => Vec::new(),
            false => {
                let ids = rows.iter().map(|row| row.id);
                rows::values(self.reading(grant).await, ids).await?
            }
        };
        let values: HashMap<(i64, i64), _> = values
            .iter()
            .map(|value| ((value.item_id, value.field_id), value))
            .collect();
        let issue_values = self.issue_values(&rows, selection).await?;
        let items = rows.iter().map(|row| {
            let issue = row.issue_id.and_then(|id| issues.get(&id));
            let creator = row.creator_id.and_then(|id| people.get(&id));
            let creator = creator.map(|account| view.urls.user(account));
            let item = view.item(row, issue, creator.clone());
            let content = match row.issue_id {
                None => Some(view.draft(row, creator)?),
                Some(id) => contents.get(&id).cloned(),
            };
            let Some(content) = content else {
                return Ok(item.with(None, Vec::new()));
            };
            let fields = selection.ids.iter().filter_map(|id| match *id {
                TITLE => Some(view.title(&content)),
                id => {
                    let field = selection.field(id)?;
                    let of_issue = row.issue_id.and_then(|id| issue_values.get(&id));
                    let source = field.field.issue_field_id;
                    let stored = StoredValues {
                        own: values.get(&(row.id, id)).copied(),
                        issue: source.and_then(|source| of_issue?.get(&source)),
                    };
                    Some(view.value(field, stored, &content))
                }
            });
            let fields = fields.collect();
            Ok(item.with(Some(ItemContent(content.content)), fields))
        });
        items.collect()
    }

    /// The values of issues in issue fields, if one of those is selected.
    async fn issue_values(
        &self,
        rows: &[project_item::Model],
        selection: &FieldSelection,
    ) -> Outcome<BTreeMap<i64, Values>> {
        if !selection.has_issue_field() {
            return Ok(BTreeMap::new());
        }
        let ids = || rows.iter().filter_map(|row| row.issue_id);
        let aggregates: Vec<_> = ids().map(|id| Kind::Issue.of(id)).collect();
        let reads = self.app.db.reading(&aggregates).await;
        Ok(of_issues(reads, ids()).await?)
    }

    pub(super) async fn show_one(
        &self,
        call: &Call,
        grant: &ProjectGrant,
        row: project_item::Model,
        selection: &FieldSelection,
    ) -> Outcome<ProjectItem> {
        let items = self.show(call, grant, vec![row], selection).await?;
        let items = items.into_iter().next();
        items.ok_or_else(|| Problem::internal("an item was not shown"))
    }

    /// A new item, for a caller who may read it.
    pub(super) async fn show_simple(
        &self,
        call: &Call,
        grant: &ProjectGrant,
        row: project_item::Model,
    ) -> Outcome<SimpleProjectItem> {
        let title = FieldSelection::of(Vec::new(), Vec::new());
        let item = self.show_one(call, grant, row, &title).await?;
        Ok(item.simple())
    }
}
