//! What an import gathers for its world, and what limits it.

use std::collections::{BTreeSet, HashSet};

use time::format_description::well_known::Rfc3339;
use time::{OffsetDateTime, UtcOffset};

use crate::accounts::WorldAccounts;
use crate::answers::{GivenAccount, GivenApp, GivenReactions};
use crate::apps::{WorldApps, is_slug};
use crate::left_out::LeftOut;
use crate::list::Allowed;

/// What to import.
#[derive(Debug, Clone, Default)]
pub struct ImportLimits {
    /// Only issues and pull requests that were updated since this time.
    pub since: Option<String>,
    /// At most this many pull requests of each repository, the newest.
    pub pulls: Option<usize>,
}

impl ImportLimits {
    /// Times of the API are all in UTC and in one form, so that their order is that of texts.
    pub fn includes(&self, updated_at: &Option<String>) -> bool {
        match (&self.since, updated_at) {
            (Some(since), Some(updated_at)) => updated_at >= since,
            _ => true,
        }
    }
}

/// A day or a time as the API writes it: in UTC, with seconds.
pub fn parse_since(text: &str) -> Result<String, String> {
    let day = |text: &str| OffsetDateTime::parse(&format!("{text}T00:00:00Z"), &Rfc3339);
    let time = OffsetDateTime::parse(text, &Rfc3339).or_else(|_| day(text));
    let time = time.map_err(|_| "expected a day or a time such as 2026-01-02".to_owned())?;
    let time = time.to_offset(UtcOffset::UTC).replace_nanosecond(0);
    let time = time.map_err(|error| error.to_string())?;
    time.format(&Rfc3339).map_err(|error| error.to_string())
}

/// What the import knows of the world so far.
#[derive(Debug, Default)]
pub struct Gathered {
    pub accounts: WorldAccounts,
    pub apps: WorldApps,
    pub left_out: LeftOut,
    ids: HashSet<(&'static str, i64)>,
    /// The issues and pull requests, by repository in lower case and number.
    pub issues: BTreeSet<(String, i64)>,
}

impl Gathered {
    pub fn user(&mut self, account: Option<&GivenAccount>) -> String {
        self.accounts.user(account, &mut self.left_out)
    }

    /// The logins of users, each once.
    pub fn users(&mut self, accounts: &[GivenAccount]) -> Vec<String> {
        let mut logins = BTreeSet::new();
        accounts
            .iter()
            .map(|account| self.user(Some(account)))
            .filter(|login| logins.insert(login.clone()))
            .collect()
    }

    /// An id that no other item of its kind has.
    pub fn id(&mut self, kind: &'static str, id: i64) -> Option<i64> {
        crate::text::id(id).filter(|id| self.ids.insert((kind, *id)))
    }

    pub fn has_id(&self, kind: &'static str, id: i64) -> bool {
        self.ids.contains(&(kind, id))
    }

    /// The items of a list, or none and a note if the token may not read it.
    pub fn allowed<T>(&mut self, what: &str, answer: Allowed<Vec<T>>) -> Vec<T> {
        answer.unwrap_or_else(|refusal| {
            self.left_out.refused(what, &refusal);
            Vec::new()
        })
    }

    /// The slug of an app, which becomes part of the world.
    pub fn app(&mut self, app: &GivenApp) -> Option<String> {
        let slug = app.slug.clone().filter(|slug| is_slug(slug))?;
        if !self.apps.has(&slug) {
            let owner = match &app.owner {
                Some(owner) => self.accounts.account(owner, &mut self.left_out),
                None => self.user(None),
            };
            self.apps.add(&slug, app, &owner);
            let why = "the server does not tell them";
            self.left_out.add("keys and webhooks of apps", why);
        }
        Some(slug)
    }

    pub fn note_reactions(&mut self, reactions: Option<&GivenReactions>) {
        let count = reactions.map_or(0, |reactions| reactions.total_count);
        let count = usize::try_from(count).unwrap_or_default();
        self.left_out
            .add_many("reactions", "a world file has none", count);
    }
}
