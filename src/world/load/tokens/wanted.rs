//! What a file wants of a token, with names turned into ids.

use std::collections::BTreeSet;

use sea_orm::DbErr;

use crate::access::mint;
use crate::entities::token::{self, Kind, Selection};
use crate::world::file::{FineGrainedToken, InstallationToken, Token, TokenRepositories};
use crate::world::load::apps::{array, object};
use crate::world::load::stored::vanished;
use crate::world::load::write::{UNASSIGNED, Writing};
use crate::world::node::At;
use crate::world::scalar::{Positive, Timestamp};

/// Spec, Authentication: an installation token expires after 60 minutes.
const INSTALLATION_LIFE: i64 = 3600;

pub struct Wanted {
    pub kind: Kind,
    pub repositories: BTreeSet<i64>,
    /// Seconds from the load that makes it.
    pub lives: Option<i64>,
    id: Option<i64>,
    user: Option<i64>,
    app: Option<i64>,
    installation: Option<i64>,
    owner: Option<i64>,
    selection: Option<Selection>,
    scopes: String,
    permissions: String,
    created_at: Option<i64>,
    expires_at: Option<i64>,
}

impl Wanted {
    pub fn by(writing: &Writing<'_>, token: &Token) -> Result<Self, DbErr> {
        let account = |login: &At<String>| writing.stored.account_id(&login.value).map(Some);
        Ok(match token {
            Token::Classic(said) => Self {
                user: account(&said.user)?,
                scopes: array(&said.scopes),
                ..Self::of(Kind::Classic, token.id(), said.created_at, &said.expires_at)
            },
            Token::Oauth(said) => Self {
                user: account(&said.user)?,
                scopes: array(&said.scopes),
                ..Self::of(Kind::Oauth, token.id(), said.created_at, &said.expires_at)
            },
            Token::AppUser(said) => Self {
                user: account(&said.user)?,
                app: Some(writing.stored.app_id(&said.app.value)?),
                ..Self::of(Kind::AppUser, token.id(), said.created_at, &said.expires_at)
            },
            Token::FineGrained(said) => Self::fine_grained(writing, said)?,
            Token::Installation(said) => Self::installation(writing, said)?,
        })
    }

    fn of(
        kind: Kind,
        id: Option<&At<Positive>>,
        created_at: Option<Timestamp>,
        expires_at: &Option<At<Timestamp>>,
    ) -> Self {
        Self {
            kind,
            repositories: BTreeSet::new(),
            lives: None,
            id: id.map(|id| id.value.0),
            user: None,
            app: None,
            installation: None,
            owner: None,
            selection: None,
            scopes: "[]".to_owned(),
            permissions: "{}".to_owned(),
            created_at: created_at.map(Timestamp::seconds),
            expires_at: expires_at.as_ref().map(|moment| moment.value.seconds()),
        }
    }

    fn fine_grained(writing: &Writing<'_>, said: &FineGrainedToken) -> Result<Self, DbErr> {
        let (selection, repositories) = match &said.repositories {
            TokenRepositories::All => (Selection::All, BTreeSet::new()),
            TokenRepositories::Public => (Selection::Public, BTreeSet::new()),
            TokenRepositories::Only(names) => {
                let names = names.iter().map(|name| name.value.as_str());
                let ids = writing.stored.repository_ids(&said.owner.value, names)?;
                (Selection::Selected, ids)
            }
        };
        let (id, created_at) = (said.id.as_ref(), said.created_at);
        Ok(Self {
            user: Some(writing.stored.account_id(&said.user.value)?),
            owner: Some(writing.stored.account_id(&said.owner.value)?),
            selection: Some(selection),
            repositories,
            permissions: object(&said.permissions),
            ..Self::of(Kind::FineGrained, id, created_at, &said.expires_at)
        })
    }

    /// It reaches all that its installation reaches, now and later.
    fn installation(writing: &Writing<'_>, said: &InstallationToken) -> Result<Self, DbErr> {
        let (app, account) = (&said.app.value, &said.account.value);
        let installation = writing
            .stored
            .installation(app, account)
            .ok_or_else(|| vanished("installation", app))?;
        let lives = said.expires_in.as_ref().map(|seconds| seconds.value.0);
        let (id, created_at) = (said.id.as_ref(), said.created_at);
        Ok(Self {
            installation: Some(installation.id),
            selection: Some(Selection::All),
            permissions: installation.permissions.clone(),
            lives: match said.expires_at {
                Some(_) => None,
                None => Some(lives.unwrap_or(INSTALLATION_LIFE)),
            },
            ..Self::of(Kind::Installation, id, created_at, &said.expires_at)
        })
    }

    /// The row that is wanted, on top of the stored one.
    pub fn row(&self, stored: Option<&token::Model>, value: &str, now: i64) -> token::Model {
        let running = stored
            .and_then(|row| row.expires_at)
            .filter(|moment| *moment > now);
        let expires_at = match self.lives {
            Some(seconds) => running.or(Some(now.saturating_add(seconds))),
            None => self.expires_at,
        };
        token::Model {
            id: self.id.or(stored.map(|row| row.id)).unwrap_or(UNASSIGNED),
            hash: mint::hash(value),
            kind: self.kind,
            user_id: self.user,
            app_id: self.app,
            installation_id: self.installation,
            owner_id: self.owner,
            repository_selection: self.selection,
            scopes: self.scopes.clone(),
            permissions: self.permissions.clone(),
            label: stored.and_then(|row| row.label.clone()),
            hint: mint::hint(value),
            demo: stored.is_some_and(|row| row.demo),
            created_at: self
                .created_at
                .or(stored.map(|row| row.created_at))
                .unwrap_or(now),
            expires_at,
            revoked_at: stored.and_then(|row| row.revoked_at),
        }
    }

    /// Whether a token is the one that is wanted, in all but its times and its value.
    pub fn describes(&self, row: &token::Model, selection: &BTreeSet<i64>) -> bool {
        let same = token::Model {
            hash: row.hash.clone(),
            hint: row.hint.clone(),
            demo: row.demo,
            created_at: row.created_at,
            expires_at: row.expires_at,
            ..self.row(Some(row), "", row.created_at)
        };
        same == *row && *selection == self.repositories
    }
}

/// Whose token it is, in words.
pub fn holder(token: &Token) -> String {
    match token {
        Token::Classic(said) => said.user.value.clone(),
        Token::Oauth(said) => said.user.value.clone(),
        Token::FineGrained(said) => said.user.value.clone(),
        Token::AppUser(said) => said.user.value.clone(),
        Token::Installation(said) => format!("{} on {}", said.app.value, said.account.value),
    }
}

/// What a token may do, in words.
pub fn description(token: &Token) -> String {
    let words = |words: &[At<String>]| match words {
        [] => "no scopes".to_owned(),
        words => words
            .iter()
            .map(|word| word.value.as_str())
            .collect::<Vec<_>>()
            .join(", "),
    };
    match token {
        Token::Classic(said) => words(&said.scopes),
        Token::Oauth(said) => words(&said.scopes),
        Token::AppUser(said) => format!("for the app {}", said.app.value),
        Token::Installation(_) => "what the installation may".to_owned(),
        Token::FineGrained(said) => {
            let granted = said.permissions.iter();
            let granted: Vec<String> = granted
                .map(|(name, level)| format!("{}: {}", name.value, level.value))
                .collect();
            format!("{} of {}", granted.join(", "), said.owner.value)
        }
    }
}
