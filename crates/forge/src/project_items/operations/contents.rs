//! The content of items, as far as the caller may read it. The issues of a page are read at once,
//! their related rows once for each repository.

use std::collections::{BTreeSet, HashMap};

use migration::aggregates::{Aggregate, Kind};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, RelationTrait};

use crate::access::{ProjectGrant, RepositoryGrant};
use crate::issues::rows as issues;
use crate::issues::showing::{PullMarks, show_all};
use crate::project_items::ProjectItems;
use crate::project_items::filter::ReadableRepositories;
use crate::project_items::rows;
use crate::project_items::rules::{ContentReference, FieldAssignment, SetTo, invalid};
use crate::project_items::view::{VisibleContent, object};
use crate::pulls::showing::summaries;
use crate::repositories::relations::RepositoryRelations;
use crate::repositories::view::nested;
use crate::urls::Urls;
use contract::call::Call;
use contract::operation::Operation;
use contract::problem::Problem;
use contract::project_items::AddedItemType;
use contract::reply::Outcome;
use storage::database::rows_with;
use storage::entities::{issue, project_item, pull};

/// The operation that reads an issue, or a pull request.
fn reading(kind: AddedItemType) -> Outcome<&'static Operation> {
    operation(match kind {
        AddedItemType::Issue => "get_issue",
        AddedItemType::PullRequest => "get_pull",
    })
}

fn operation(id: &str) -> Outcome<&'static Operation> {
    contract::operation(id).ok_or_else(|| Problem::internal("an operation has no name"))
}

impl ProjectItems {
    /// The repositories among these that the caller may read.
    async fn readable(
        &self,
        call: &Call,
        of_issues: BTreeSet<i64>,
        of_pulls: BTreeSet<i64>,
    ) -> Outcome<ReadableRepositories> {
        let access = &self.app.access;
        let (issue, pull) = (
            reading(AddedItemType::Issue)?,
            reading(AddedItemType::PullRequest)?,
        );
        Ok(ReadableRepositories {
            issues: access.readable(call, issue, of_issues).await?,
            pulls: access.readable(call, pull, of_pulls).await?,
        })
    }

    /// The repositories of a project's items that the caller may read.
    pub(super) async fn readable_in(
        &self,
        call: &Call,
        grant: &ProjectGrant,
    ) -> Outcome<ReadableRepositories> {
        let repositories: Vec<(i64, Option<i64>)> = issue::Entity::find()
            .select_only()
            .column(issue::Column::RepositoryId)
            .column_as(issue::Column::PullId.max(), "pull")
            .join_rev(
                sea_orm::JoinType::InnerJoin,
                project_item::Relation::Issue.def(),
            )
            .filter(project_item::COLUMN.project_id.eq(grant.project.id))
            .group_by(issue::Column::RepositoryId)
            .group_by(issue::Column::PullId.is_null())
            .into_tuple()
            .all(self.app.db.reads())
            .await?;
        let of_kind = |pulls: bool| {
            let is_of_kind = move |row: &&(i64, Option<i64>)| row.1.is_some() == pulls;
            repositories
                .iter()
                .filter(is_of_kind)
                .map(|row| row.0)
                .collect()
        };
        self.readable(call, of_kind(false), of_kind(true)).await
    }

    /// The issues of items, and their readable contents, by issue id.
    pub(super) async fn contents(
        &self,
        call: &Call,
        items: &[project_item::Model],
        with_repository: bool,
    ) -> Outcome<(HashMap<i64, issue::Model>, HashMap<i64, VisibleContent>)> {
        let ids: BTreeSet<i64> = items.iter().filter_map(|item| item.issue_id).collect();
        let aggregates: Vec<Aggregate> = ids.iter().map(|id| Kind::Issue.of(*id)).collect();
        let reads = self.app.db.reading(&aggregates).await;
        let rows = rows_with(reads, issue::Column::Id, ids).await?;
        let of_kind = |pulls: bool| {
            let is_of_kind = move |row: &&issue::Model| row.pull_id.is_some() == pulls;
            rows.iter()
                .filter(is_of_kind)
                .map(|row| row.repository_id)
                .collect()
        };
        let readable = self.readable(call, of_kind(false), of_kind(true)).await?;
        let mut contents = HashMap::new();
        for grant in readable.issues.values() {
            let of_repository = |row: &&issue::Model| {
                row.repository_id == grant.repository.id && row.pull_id.is_none()
            };
            let rows: Vec<issue::Model> = rows.iter().filter(of_repository).cloned().collect();
            let issues = show_all(&self.app, call, grant, &rows).await?;
            let repository = self.repository(call, grant, with_repository).await?;
            for (row, issue) in rows.into_iter().zip(issues) {
                let content = object(&issue)?;
                contents.insert(row.id, visible_content(content, row, &repository));
            }
        }
        for grant in readable.pulls.values() {
            self.add_pulls(call, grant, &rows, with_repository, &mut contents)
                .await?;
        }
        let rows = rows.into_iter().map(|row| (row.id, row)).collect();
        Ok((rows, contents))
    }

    async fn add_pulls(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        rows: &[issue::Model],
        with_repository: bool,
        contents: &mut HashMap<i64, VisibleContent>,
    ) -> Outcome<()> {
        let rows = rows.iter();
        let rows = rows.filter(|row| row.repository_id == grant.repository.id);
        let by_pull: HashMap<i64, &issue::Model> =
            rows.filter_map(|row| Some((row.pull_id?, row))).collect();
        let aggregates: Vec<Aggregate> = by_pull.keys().map(|id| Kind::Pull.of(*id)).collect();
        let reads = self.app.db.reading(&aggregates).await;
        let pulls = rows_with(reads, pull::Column::Id, by_pull.keys().copied()).await?;
        let marks = PullMarks::of(&self.app.db, &grant.repository, &pulls).await?;
        let summaries = summaries(&self.app.db, call, grant, &pulls, &marks).await?;
        let repository = self.repository(call, grant, with_repository).await?;
        for pull in summaries {
            if let Some(row) = by_pull.get(&pull.id) {
                let content = object(&pull)?;
                contents.insert(
                    row.id,
                    visible_content(content, (*row).clone(), &repository),
                );
            }
        }
        Ok(())
    }

    /// The view of a repository, if a field needs it.
    async fn repository(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        needed: bool,
    ) -> Outcome<Option<serde_json::Value>> {
        if !needed {
            return Ok(None);
        }
        let row = &grant.repository;
        let relations =
            RepositoryRelations::of(&self.app.db, std::slice::from_ref(row), None).await?;
        let view = nested(&Urls::of(call), row, &relations)?;
        serde_json::to_value(view)
            .map(Some)
            .map_err(Problem::internal)
    }

    /// Checks that the caller may set values of an item's issue, if the settings do that.
    pub(super) async fn check_issue_fields(
        &self,
        call: &Call,
        project: &ProjectGrant,
        item: &project_item::Model,
        settings: &[FieldAssignment<'_>],
    ) -> Outcome<()> {
        let mirrored = |set: &&FieldAssignment<'_>| matches!(set.value, SetTo::Issue(..));
        let Some(set) = settings.iter().find(mirrored) else {
            return Ok(());
        };
        let issue = rows::issue_of(self.app.db.reads(), item).await?;
        let call = Call::new((**call).clone(), operation("add_issue_field_values")?);
        let grant = match issue {
            Some(issue) => {
                let id = issue.repository_id;
                let grant = self.app.access.repository_by_id(&call, id).await?;
                grant.check_issue_kind(issue.pull_id.is_some())?;
                Some(grant)
            }
            None => None,
        };
        match grant.filter(|grant| grant.owner.id == project.owner.id) {
            Some(grant) => grant.writable(),
            None => {
                let name = set.field.name();
                let message = format!("{name} can only be set on issues of the organization");
                Err(invalid("fields", message).into())
            }
        }
    }

    /// The issue or pull request that a body names, if the caller may read it.
    pub(super) async fn addable(
        &self,
        call: &Call,
        kind: AddedItemType,
        reference: &ContentReference,
    ) -> Outcome<issue::Model> {
        let reads = self.app.db.reads();
        let issue = match reference {
            ContentReference::ById(id) => match kind {
                AddedItemType::Issue => issue::Entity::find_by_id(*id).one(reads).await?,
                AddedItemType::PullRequest => {
                    let of_pull = issue::Column::PullId.eq(*id);
                    issue::Entity::find().filter(of_pull).one(reads).await?
                }
            },
            ContentReference::ByNumber(at, number) => {
                match self.app.access.repository_id(at).await? {
                    Some(repository) => issues::issue(reads, repository, *number).await?,
                    None => None,
                }
            }
        };
        let is_of_kind =
            |row: &issue::Model| row.pull_id.is_some() == (kind == AddedItemType::PullRequest);
        let Some(row) = issue.filter(is_of_kind) else {
            return Err(reference.unknown(kind).into());
        };
        let access = &self.app.access;
        let repositories = BTreeSet::from([row.repository_id]);
        let readable = access.readable(call, reading(kind)?, repositories).await?;
        match readable.is_empty() {
            true => Err(reference.unknown(kind).into()),
            false => Ok(row),
        }
    }
}

fn visible_content(
    content: serde_json::Map<String, serde_json::Value>,
    issue: issue::Model,
    repository: &Option<serde_json::Value>,
) -> VisibleContent {
    VisibleContent {
        content,
        issue: Some(issue),
        repository: repository.clone(),
    }
}
