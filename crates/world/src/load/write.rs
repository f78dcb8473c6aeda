//! Stores rows: inserts new ones, updates those that differ, and leaves those unchanged that match
//! the file. The sections decide what the rows are.

use std::collections::HashMap;

use sea_orm::{
    ActiveModelBehavior, ActiveModelTrait, DbErr, EntityTrait, IntoActiveModel, Iterable,
    ModelTrait, PrimaryKeyToColumn, PrimaryKeyTrait,
};

use super::key_file::NewKeys;
use super::{CreatedItem, IssuedToken, LoadError, Loaded, WorldSource};
use crate::body::RequestBody;
use crate::findings::{Finding, Findings};
use crate::scalar::{DateTime, Positive};
use crate::stored::StoredRows;
use crate::yaml::At;
use contract::problem::Problem;
use git::Sha;
use storage::clock::Clock;
use storage::database::Connection;
use storage::entities::{
    account, app, collaborator, git_ref, installation, issue, issue_comment, label, membership,
    project, project_field, project_item, pull, repository, review, token,
};
use storage::entropy::Entropy;

/// A load in progress.
pub struct Load<'a> {
    pub db: &'a Connection,
    pub stored: StoredRows,
    pub source: &'a WorldSource,
    pub now: i64,
    pub entropy: &'a dyn Entropy,
    pub keys: NewKeys,
    /// Whether the load will be rolled back: then it writes no files.
    pub dry_run: bool,
    /// The commits that the file writes by hand, by repository and name.
    pub commits: HashMap<(i64, String), Sha>,
    /// The reviews of each pull request, by their keys in the file.
    pub reviews: HashMap<i64, HashMap<String, i64>>,
    loaded: Loaded,
    last: ItemOutcome,
    /// Of the items of this stage that failed.
    findings: Findings,
}

impl<'a> Load<'a> {
    pub fn new(
        db: &'a Connection,
        stored: StoredRows,
        source: &'a WorldSource,
        clock: &dyn Clock,
        entropy: &'a dyn Entropy,
    ) -> Self {
        Self {
            db,
            stored,
            source,
            now: clock.now().0,
            entropy,
            keys: NewKeys::default(),
            dry_run: false,
            commits: HashMap::new(),
            reviews: HashMap::new(),
            loaded: Loaded::default(),
            last: ItemOutcome::Added,
            findings: Findings::of(&source.name),
        }
    }

    /// The outcome of an item, or `None` if it has findings. They end the load after its stage, so
    /// that the other items are checked too.
    pub fn collect<T>(&mut self, outcome: Result<T, LoadError>) -> Result<Option<T>, LoadError> {
        match outcome {
            Ok(value) => Ok(Some(value)),
            Err(LoadError::Findings(found)) => {
                self.findings.append(found);
                Ok(None)
            }
            Err(other) => Err(other),
        }
    }

    /// Ends a stage: the next one relies on all of its items. A finding may make PostgreSQL refuse
    /// what follows, so it takes precedence over an error of the database.
    pub fn end_stage(&mut self, outcome: Result<(), LoadError>) -> Result<(), LoadError> {
        match (self.collect(outcome), self.findings.is_empty()) {
            (outcome, true) => outcome.map(|_| ()),
            (_, false) => Err(std::mem::take(&mut self.findings).sorted().into()),
        }
    }

    /// Stores an item with the id and the time that the file gives it, if any, and reports its
    /// id if it is new.
    pub async fn save<M: WorldRow>(
        &mut self,
        item: WorldItem<'_>,
        stored: Option<&M>,
        mut row: M,
    ) -> Result<M, DbErr> {
        if let Some(id) = item.id {
            row.set_id(id.value.0);
        }
        if let Some(created_at) = item.created_at {
            row.date(created_at.seconds(), stored.is_none());
        }
        let updated_at = item.updated_at.map(DateTime::seconds);
        if let Some(updated_at) = updated_at {
            row.touch(updated_at);
        }
        let now = updated_at.unwrap_or(self.now);
        let row = self.upsert_at(stored, row, now).await?;
        self.report_id(item.kind, item.name, row.id());
        Ok(row)
    }

    /// Inserts a row, or updates the stored one if it differs; returns it as stored.
    pub async fn upsert<M: WorldRow>(&mut self, stored: Option<&M>, row: M) -> Result<M, DbErr> {
        self.upsert_at(stored, row, self.now).await
    }

    /// The same, at a time that the file gives.
    async fn upsert_at<M: WorldRow>(
        &mut self,
        stored: Option<&M>,
        mut row: M,
        now: i64,
    ) -> Result<M, DbErr> {
        match stored {
            Some(stored) if *stored == row => {
                self.count(ItemOutcome::Unchanged);
                Ok(row)
            }
            Some(_) => {
                self.count(ItemOutcome::Changed);
                row.touch(now);
                self.update(row).await
            }
            None => {
                self.count(ItemOutcome::Added);
                self.insert(row).await
            }
        }
    }

    /// Adds a row that is part of another item, and is not counted.
    pub async fn insert<M: WorldRow>(&mut self, model: M) -> Result<M, DbErr> {
        let assigned = model.id() == UNASSIGNED;
        let mut row = model.into_active_model().reset_all();
        type Key<M> = <<M as ModelTrait>::Entity as EntityTrait>::PrimaryKey;
        if assigned && Key::<M>::auto_increment() {
            Key::<M>::iter().for_each(|key| row.not_set(key.into_column()));
        }
        row.insert(self.db).await
    }

    /// Changes a row that is counted already.
    pub async fn update<M: WorldRow>(&self, model: M) -> Result<M, DbErr> {
        model.into_active_model().reset_all().update(self.db).await
    }

    pub fn count(&mut self, outcome: ItemOutcome) {
        *self.counter(outcome) += 1;
        self.last = outcome;
    }

    /// Reports the id of the item that was counted last, if it is new.
    pub fn report_id(&mut self, kind: &'static str, name: impl Into<String>, id: i64) {
        if self.last == ItemOutcome::Added {
            let name = name.into();
            self.loaded.created.push(CreatedItem { kind, name, id });
        }
    }

    /// Counts the last item as changed: its row is the same, but rows that belong to it
    /// are not.
    pub fn mark_changed(&mut self) {
        if self.last == ItemOutcome::Unchanged {
            *self.counter(ItemOutcome::Unchanged) -= 1;
            self.count(ItemOutcome::Changed);
        }
    }

    fn counter(&mut self, outcome: ItemOutcome) -> &mut usize {
        match outcome {
            ItemOutcome::Added => &mut self.loaded.added,
            ItemOutcome::Changed => &mut self.loaded.changed,
            ItemOutcome::Unchanged => &mut self.loaded.unchanged,
        }
    }

    /// An error at a location in the file that shows only while writing.
    pub fn rejection(&self, finding: Finding) -> LoadError {
        Findings::one(&self.source.name, finding).into()
    }

    /// The error for a request body that an operation of the API rejects.
    pub fn body_rejection(&self, body: &RequestBody, problem: Problem) -> LoadError {
        body.rejection(&self.source.name, problem)
    }

    pub fn issue(&mut self, token: IssuedToken) {
        self.loaded.tokens.push(token);
    }

    pub fn finish(self) -> (Loaded, NewKeys) {
        (self.loaded, self.keys)
    }
}

/// The outcome of loading an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemOutcome {
    Added,
    Changed,
    Unchanged,
}

/// The parts of an item that all kinds have.
pub struct WorldItem<'w> {
    pub kind: &'static str,
    pub name: String,
    pub id: &'w Option<At<Positive>>,
    pub created_at: Option<DateTime>,
    /// None is the time of the load, if the load changes the item.
    pub updated_at: Option<DateTime>,
}

/// A row of a world.
pub trait WorldRow:
    ModelTrait<Entity: EntityTrait<Model = Self>>
    + PartialEq
    + IntoActiveModel<<Self as WorldRow>::Active>
{
    type Active: ActiveModelTrait<Entity = Self::Entity> + ActiveModelBehavior + Send;

    /// Never [`UNASSIGNED`] for a table without an id column.
    fn id(&self) -> i64 {
        i64::MAX
    }

    fn set_id(&mut self, _id: i64) {}

    /// Sets when it was changed, where the table has a column for it.
    fn touch(&mut self, _now: i64) {}

    /// Sets when it was created. A new item has not been changed since.
    fn date(&mut self, _created_at: i64, _is_new: bool) {}
}

/// The id of a row that has none yet. Ids of files and databases begin at 1.
pub const UNASSIGNED: i64 = 0;

macro_rules! rows {
    ($($entity:ident: $($column:ident),*;)*) => { $(
        impl WorldRow for $entity::Model {
            type Active = $entity::ActiveModel;

            $( rows!(@ $column); )*
        }
    )* };
    (@ id) => {
        fn id(&self) -> i64 {
            self.id
        }

        fn set_id(&mut self, id: i64) {
            self.id = id;
        }
    };
    (@ created_at) => {
        fn date(&mut self, created_at: i64, is_new: bool) {
            self.created_at = created_at;
            if is_new {
                self.updated_at = created_at;
            }
        }
    };
    (@ updated_at) => {
        fn touch(&mut self, now: i64) {
            self.updated_at = now;
        }
    };
}

rows! {
    account: id, created_at, updated_at;
    membership: ;
    repository: id, created_at, updated_at;
    collaborator: ;
    project: id, created_at, updated_at;
    app: id, created_at, updated_at;
    installation: id, created_at, updated_at;
    token: id;
    git_ref: id, updated_at;
    pull: id, created_at, updated_at;
    issue: id, created_at, updated_at;
    issue_comment: id, created_at, updated_at;
    label: id, created_at, updated_at;
    review: id;
    project_field: id, updated_at;
    project_item: id, created_at, updated_at;
}
