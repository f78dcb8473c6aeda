//! The authors of comments, and their association with the repository.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use migration::aggregates::Kind;
use sea_orm::{DbErr, EntityTrait, QueryFilter};

use crate::accounts::association::Associations;
use crate::app::App;
use crate::explain;
use contract::call::Call;
use contract::control::journal::StepOutcome;
use contract::reply::Outcome;
use contract::review_comments::AuthorAssociation;
use storage::cache::{CacheKind, Key, Weigh};
use storage::database::ReadSource;
use storage::entities::{account, repository};

/// Records the author of a resource, after somebody else was denied access to it.
pub async fn note_author(
    app: &App,
    call: &Call,
    (thing, outcome): (&str, StepOutcome),
    author: Option<i64>,
) -> Outcome<()> {
    if let Some(author) = author.filter(|_| explain::is_recording()) {
        let account = account::Entity::find_by_id(author).one(app.db.reads());
        let login = account
            .await?
            .map_or_else(String::new, |account| account.login);
        explain::note(|| explain::not_theirs(thing, outcome, &login, call.caller.name()));
    }
    Ok(())
}

/// The authors of a page of comments, loaded with one query for accounts and one for
/// associations.
#[derive(Debug, Default)]
pub struct Authors {
    accounts: HashMap<i64, account::Model>,
    associations: Associations,
}

impl Authors {
    pub async fn of(
        source: &impl ReadSource,
        repository: &repository::Model,
        authors: &BTreeSet<i64>,
    ) -> Result<Self, DbErr> {
        let associations = Associations::of(source, repository, authors).await?;
        let aggregates: Vec<_> = authors.iter().map(|id| Kind::Account.of(*id)).collect();
        let connection = source.reading(&aggregates).await;
        let rows = account::Entity::find()
            .filter(account::COLUMN.id.is_in(authors.iter().copied()))
            .all(connection)
            .await?;
        Ok(Self {
            accounts: rows.into_iter().map(|row| (row.id, row)).collect(),
            associations,
        })
    }

    /// Like `of`, but cached.
    pub async fn cached(
        app: &App,
        repository: &repository::Model,
        authors: &BTreeSet<i64>,
    ) -> Outcome<Arc<Self>> {
        let key = Key::of(CacheKind::Authors).number(repository.id);
        let key = authors.iter().copied().fold(key, Key::number);
        let compute = || Self::of(&app.db, repository, authors);
        Ok(app.cache.get_or_compute(key, compute).await?)
    }

    /// An author, unless the account is deleted.
    pub fn account(&self, author: Option<i64>) -> Option<&account::Model> {
        author.and_then(|id| self.accounts.get(&id))
    }

    pub fn association(&self, author: Option<i64>) -> AuthorAssociation {
        self.associations.association(author)
    }
}

impl Weigh for Authors {
    fn heap_bytes(&self) -> usize {
        self.accounts.len() * 1024
    }
}
