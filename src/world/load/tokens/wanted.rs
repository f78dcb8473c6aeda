//! What a file wants of a token, with names turned into ids.

use std::collections::BTreeSet;

use sea_orm::DbErr;

use crate::access::mint;
use crate::entities::token::{self, Kind, Selection};
use crate::world::file::{FineGrainedToken, InstallationToken, Token, TokenRepositories};
use crate::world::load::apps::{array, permissions};
use crate::world::load::stored::vanished;
use crate::world::load::write::{UNASSIGNED, Writing};
use crate::world::node::At;
use crate::world::scalar::Timestamp;

/// Spec, Authentication: an installation token expires after 60 minutes.
const INSTALLATION_LIFE: i64 = 3600;

/// Marks a token whose value was generated, when the file does not describe it.
const GENERATED: &str = "world file";

pub struct Wanted {
    pub kind: Kind,
    pub repositories: BTreeSet<i64>,
    /// Seconds from the load that makes it.
    pub lives: Option<i64>,
    pub label: Option<String>,
    id: Option<i64>,
    user: Option<i64>,
    app: Option<i64>,
    client_id: Option<String>,
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
                ..Self::of(token, said.created_at, &said.expires_at)
            },
            Token::Oauth(said) => Self {
                user: account(&said.user)?,
                scopes: array(&said.scopes),
                client_id: said.client_id.as_ref().map(|id| id.value.clone()),
                ..Self::of(token, said.created_at, &said.expires_at)
            },
            Token::AppUser(said) => Self {
                user: account(&said.user)?,
                app: Some(writing.stored.app_id(&said.app.value)?),
                ..Self::of(token, said.created_at, &said.expires_at)
            },
            Token::FineGrained(said) => Self::fine_grained(writing, token, said)?,
            Token::Installation(said) => Self::installation(writing, token, said)?,
        })
    }

    fn of(
        token: &Token,
        created_at: Option<Timestamp>,
        expires_at: &Option<At<Timestamp>>,
    ) -> Self {
        Self {
            kind: kind(token),
            repositories: BTreeSet::new(),
            lives: None,
            label: match (token.description(), token.value()) {
                (Some(description), _) => Some(description.to_owned()),
                (None, Some(_)) => None,
                (None, None) => Some(GENERATED.to_owned()),
            },
            id: token.id().map(|id| id.value.0),
            user: None,
            app: None,
            client_id: None,
            installation: None,
            owner: None,
            selection: None,
            scopes: "[]".to_owned(),
            permissions: "{}".to_owned(),
            created_at: created_at.map(Timestamp::seconds),
            expires_at: expires_at.as_ref().map(|moment| moment.value.seconds()),
        }
    }

    fn fine_grained(
        writing: &Writing<'_>,
        token: &Token,
        said: &FineGrainedToken,
    ) -> Result<Self, DbErr> {
        let (selection, repositories) = match &said.repositories {
            TokenRepositories::All => (Selection::All, BTreeSet::new()),
            TokenRepositories::Public => (Selection::Public, BTreeSet::new()),
            TokenRepositories::Only(names) => {
                let names = names.iter().map(|name| name.value.as_str());
                let ids = writing.stored.repository_ids(&said.owner.value, names)?;
                (Selection::Selected, ids)
            }
        };
        Ok(Self {
            user: Some(writing.stored.account_id(&said.user.value)?),
            owner: Some(writing.stored.account_id(&said.owner.value)?),
            selection: Some(selection),
            repositories,
            permissions: permissions(&said.permissions),
            ..Self::of(token, said.created_at, &said.expires_at)
        })
    }

    /// It reaches all that its installation reaches, now and later.
    fn installation(
        writing: &Writing<'_>,
        token: &Token,
        said: &InstallationToken,
    ) -> Result<Self, DbErr> {
        let (app, account) = (&said.app.value, &said.account.value);
        let installation = writing
            .stored
            .installation(app, account)
            .ok_or_else(|| vanished("installation", app))?;
        let lives = said.expires_in.as_ref().map(|seconds| seconds.value.0);
        Ok(Self {
            installation: Some(installation.id),
            selection: Some(Selection::All),
            permissions: installation.permissions.clone(),
            lives: match said.expires_at {
                Some(_) => None,
                None => Some(lives.unwrap_or(INSTALLATION_LIFE)),
            },
            ..Self::of(token, said.created_at, &said.expires_at)
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
            client_id: self.client_id.clone(),
            installation_id: self.installation,
            owner_id: self.owner,
            repository_selection: self.selection,
            scopes: self.scopes.clone(),
            permissions: self.permissions.clone(),
            label: self
                .label
                .clone()
                .or_else(|| stored.and_then(|row| row.label.clone())),
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

    /// The row of a token whose value is not known any more. Its time runs from the
    /// load that made it.
    pub fn same_value(&self, stored: &token::Model, now: i64) -> token::Model {
        token::Model {
            hash: stored.hash.clone(),
            hint: stored.hint.clone(),
            ..self.row(Some(stored), "", now)
        }
    }

    /// Whether a token is the one that is wanted, in all but its times and its value.
    pub fn describes(&self, row: &token::Model, selection: &BTreeSet<i64>) -> bool {
        let same = token::Model {
            created_at: row.created_at,
            expires_at: row.expires_at,
            ..self.same_value(row, row.created_at)
        };
        same == *row && *selection == self.repositories
    }
}

fn kind(token: &Token) -> Kind {
    match token {
        Token::Classic(_) => Kind::Classic,
        Token::FineGrained(_) => Kind::FineGrained,
        Token::Oauth(_) => Kind::Oauth,
        Token::AppUser(_) => Kind::AppUser,
        Token::Installation(_) => Kind::Installation,
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

/// What a token is for: as the file says, or else what it may do.
pub fn description(token: &Token) -> String {
    let said = token.description().map(str::to_owned);
    said.unwrap_or_else(|| power(token))
}

fn power(token: &Token) -> String {
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
