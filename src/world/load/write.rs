//! How a row is kept: added when it is new, changed when it differs, left alone
//! when it is as the file says. What the rows are is decided by the sections.

use std::collections::{BTreeSet, HashMap};

use sea_orm::{
    ActiveModelBehavior, ActiveModelTrait, DbErr, EntityTrait, IntoActiveModel, Iterable,
    ModelTrait, PrimaryKeyToColumn, PrimaryKeyTrait,
};

use super::key_file::NewKeys;
use super::stored::Stored;
use super::{IssuedToken, LoadError, Loaded, Made, Source};
use crate::clock::Clock;
use crate::database::{self, Transaction};
use crate::entities::{
    account, app, collaborator, git_ref, installation, membership, project, project_field, pull,
    repository, token,
};
use crate::entropy::Entropy;
use crate::git::Sha;
use crate::world::findings::{Finding, Findings};
use crate::world::scalar::Timestamp;

/// A load under way.
pub struct Writing<'a> {
    pub db: &'a Transaction,
    pub stored: Stored,
    pub source: &'a Source,
    pub now: i64,
    pub entropy: &'a dyn Entropy,
    pub keys: NewKeys,
    /// Whether all of it will be undone: then nothing is written that could not be.
    pub rehearsal: bool,
    /// The commits that the file writes by hand, by repository and name.
    pub commits: HashMap<(i64, String), Sha>,
    loaded: Loaded,
    last: Kept,
    fixed: BTreeSet<&'static str>,
}

impl<'a> Writing<'a> {
    pub fn new(
        db: &'a Transaction,
        stored: Stored,
        source: &'a Source,
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
            rehearsal: false,
            commits: HashMap::new(),
            loaded: Loaded::default(),
            last: Kept::Added,
            fixed: BTreeSet::new(),
        }
    }

    /// Brings a row to the state that `wanted` has, and gives out the row as stored.
    pub async fn keep<M, A>(&mut self, stored: Option<&M>, mut wanted: M) -> Result<M, DbErr>
    where
        M: Row + IntoActiveModel<A>,
        A: ActiveModelTrait<Entity = M::Entity> + ActiveModelBehavior + Send,
        M::Entity: EntityTrait<Model = M>,
    {
        match stored {
            Some(stored) if *stored == wanted => {
                self.count(Kept::Unchanged);
                Ok(wanted)
            }
            Some(_) => {
                self.count(Kept::Changed);
                wanted.touch(self.now);
                self.update(wanted).await
            }
            None => {
                self.count(Kept::Added);
                self.insert(wanted).await
            }
        }
    }

    /// Adds a row that is part of another item, and is not counted.
    pub async fn insert<M, A>(&mut self, wanted: M) -> Result<M, DbErr>
    where
        M: Row + IntoActiveModel<A>,
        A: ActiveModelTrait<Entity = M::Entity> + ActiveModelBehavior + Send,
        M::Entity: EntityTrait<Model = M>,
    {
        let assigned = wanted.awaits_id();
        let mut row = wanted.into_active_model().reset_all();
        type Key<M> = <<M as ModelTrait>::Entity as EntityTrait>::PrimaryKey;
        if Key::<M>::auto_increment() {
            if assigned {
                Key::<M>::iter().for_each(|key| row.not_set(key.into_column()));
            } else {
                self.fixed.insert(M::TABLE);
            }
        }
        row.insert(self.db).await
    }

    /// Changes a row that is counted already.
    pub async fn update<M, A>(&self, wanted: M) -> Result<M, DbErr>
    where
        M: Row + IntoActiveModel<A>,
        A: ActiveModelTrait<Entity = M::Entity> + ActiveModelBehavior + Send,
        M::Entity: EntityTrait<Model = M>,
    {
        wanted.into_active_model().reset_all().update(self.db).await
    }

    pub fn count(&mut self, kept: Kept) {
        *self.counter(kept) += 1;
        self.last = kept;
    }

    /// Counts an item that an area's own store has added, with the id that the file
    /// gives it, if any.
    pub fn added(&mut self, table: &'static str, fixed: Option<i64>) {
        self.count(Kept::Added);
        if fixed.is_some() {
            self.fixed.insert(table);
        }
    }

    /// Tells the id of the item that was counted last, if it is new.
    pub fn tell(&mut self, what: &'static str, name: impl Into<String>, id: i64) {
        if self.last == Kept::Added {
            let name = name.into();
            self.loaded.made.push(Made { what, name, id });
        }
    }

    /// The item that was counted last differs after all: not in its row, but in
    /// what belongs to it.
    pub fn amended(&mut self) {
        if self.last == Kept::Unchanged {
            *self.counter(Kept::Unchanged) -= 1;
            self.count(Kept::Changed);
        }
    }

    fn counter(&mut self, kept: Kept) -> &mut usize {
        match kept {
            Kept::Added => &mut self.loaded.added,
            Kept::Changed => &mut self.loaded.changed,
            Kept::Unchanged => &mut self.loaded.unchanged,
        }
    }

    /// What a place in the file is refused for, when only writing shows it.
    pub fn refused(&self, finding: Finding) -> LoadError {
        Findings::one(&self.source.name, finding).into()
    }

    pub fn issue(&mut self, token: IssuedToken) {
        self.loaded.tokens.push(token);
    }

    /// Ends the writing: ids that the database assigns go on after the file's.
    pub async fn finish(self) -> Result<(Loaded, NewKeys), DbErr> {
        for table in self.fixed.iter().filter(|_| !self.rehearsal) {
            database::continue_ids(self.db, table).await?;
        }
        Ok((self.loaded, self.keys))
    }
}

/// What became of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    Added,
    Changed,
    Unchanged,
}

/// A row of a world.
pub trait Row: ModelTrait + PartialEq {
    const TABLE: &'static str;

    /// Whether the database is to choose the id.
    fn awaits_id(&self) -> bool {
        false
    }

    /// Notes when it was changed, where the table has a column for it.
    fn touch(&mut self, _now: i64) {}

    /// Takes the moment at which the file says that it was made. What is made has
    /// not been changed since.
    fn date(&mut self, _said: Option<Timestamp>, _is_new: bool) {}
}

/// The id of a row that has none yet. Ids that files and databases give begin at 1.
pub const UNASSIGNED: i64 = 0;

macro_rules! rows {
    ($($entity:ident: $($column:ident),*;)*) => { $(
        impl Row for $entity::Model {
            const TABLE: &'static str = stringify!($entity);
            $( rows!(@ $column); )*
        }
    )* };
    (@ id) => {
        fn awaits_id(&self) -> bool {
            self.id == UNASSIGNED
        }
    };
    (@ created_at) => {
        fn date(&mut self, said: Option<Timestamp>, is_new: bool) {
            let Some(moment) = said.map(Timestamp::seconds) else {
                return;
            };
            self.created_at = moment;
            if is_new {
                self.updated_at = moment;
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
    project_field: id, updated_at;
}
