//! Tokens. One with a value is found again by it; one without is generated, and found
//! again by everything else that the file says about it.
//! The rule that surprises: a revoked token stays revoked, whatever the file says,
//! and an expired one gets a new expiry when the file has `expires_in`.

use std::collections::{BTreeSet, HashMap, HashSet};

use sea_orm::DbErr;

use super::apps::{array, permissions};
use super::write::Load;
use super::{IssuedToken, LoadError};
use crate::contract::values::Timestamp;
use crate::database::rows_with;
use crate::entities::token::{self, TokenKind, TokenSelection};
use crate::entities::token_repository;
use crate::tokens::{self, INSTALLATION_TOKEN_SECONDS, TokenDraft, select_repositories};
use crate::world::file::{Token, TokenRepositories, World};
use crate::world::ids::id_of;
use crate::world::scalar::DateTime;
use crate::world::stored::{StoredRows, vanished};
use crate::world::yaml::{At, value_of};

/// Marks a token whose value was generated, when the file does not describe it.
const GENERATED: &str = "world file";

pub async fn write(load: &mut Load<'_>, world: &World) -> Result<(), LoadError> {
    let mut wanted = Vec::with_capacity(world.tokens.len());
    for said in &world.tokens {
        let draft = draft(&load.stored, said)?;
        wanted.push(WantedToken { said, draft });
    }
    let mut generated = GeneratedTokens::fetch(load, &wanted).await?;
    for wanted in &wanted {
        match &wanted.said.value {
            Some(value) => write_known(load, wanted, &value.value).await?,
            None => write_generated(load, wanted, &mut generated).await?,
        }
    }
    Ok(())
}

async fn write_known(
    load: &mut Load<'_>,
    wanted: &WantedToken<'_>,
    value: &str,
) -> Result<(), DbErr> {
    let stored = load.stored.token(value).cloned();
    let mut row = wanted.row(stored.as_ref(), value, load.now);
    row.demo = load.source.demo;
    let row = load.keep(stored.as_ref(), row).await?;
    if select_repositories(load.db, row.id, &wanted.draft.repositories).await? {
        load.amended();
    }
    Ok(())
}

async fn write_generated(
    load: &mut Load<'_>,
    wanted: &WantedToken<'_>,
    generated: &mut GeneratedTokens,
) -> Result<(), DbErr> {
    if let Some(stored) = generated.take(wanted, load.now) {
        let row = wanted.same_value(&stored, load.now);
        load.keep(Some(&stored), row).await?;
        return Ok(());
    }
    let kind = wanted.said.kind;
    let value = tokens::generate(kind, load.entropy);
    let row = wanted.row(None, &value, load.now);
    let row = load.keep(None, row).await?;
    select_repositories(load.db, row.id, &wanted.draft.repositories).await?;
    load.issue(IssuedToken {
        value,
        kind,
        holder: wanted.said.holder(),
        description: wanted.said.purpose(),
    });
    Ok(())
}

/// What the file says, with ids for names.
fn draft(stored: &StoredRows, said: &Token) -> Result<TokenDraft, DbErr> {
    let account = |login: &Option<At<String>>| {
        let login = login.as_ref();
        login
            .map(|login| stored.account_id(&login.value))
            .transpose()
    };
    let app = said
        .app
        .as_ref()
        .filter(|_| said.kind == TokenKind::AppUser);
    let label = said.description.clone();
    let mut draft = TokenDraft {
        user: account(&said.user)?,
        app: app.map(|app| stored.app_id(&app.value)).transpose()?,
        client_id: value_of(&said.client_id),
        owner: account(&said.owner)?,
        scopes: array(&said.scopes),
        label: label.or_else(|| said.value.is_none().then(|| GENERATED.to_owned())),
        expires_at: said
            .expires_at
            .as_ref()
            .map(|at| Timestamp(at.value.seconds())),
        ..TokenDraft::of(said.kind)
    };
    match said.kind {
        TokenKind::FineGrained => fine_grained(&mut draft, stored, said)?,
        TokenKind::Installation => installed(&mut draft, stored, said)?,
        TokenKind::Classic | TokenKind::Oauth | TokenKind::AppUser => {}
    }
    Ok(draft)
}

fn fine_grained(draft: &mut TokenDraft, stored: &StoredRows, said: &Token) -> Result<(), DbErr> {
    draft.permissions = permissions(&said.permissions);
    draft.selection = Some(match (&said.repositories, &said.owner) {
        (Some(TokenRepositories::All), _) => TokenSelection::All,
        (Some(TokenRepositories::Only(names)), Some(owner)) => {
            let names = names.iter().map(|name| name.value.as_str());
            draft.repositories = stored.repository_ids(&owner.value, names)?;
            TokenSelection::Selected
        }
        _ => TokenSelection::Public,
    });
    Ok(())
}

/// An installation token reaches all that its installation reaches, now and later.
fn installed(draft: &mut TokenDraft, stored: &StoredRows, said: &Token) -> Result<(), DbErr> {
    let pair = said.app.as_ref().zip(said.account.as_ref());
    let row = pair.and_then(|(app, account)| stored.installation(&app.value, &account.value));
    let row = row.ok_or_else(|| vanished("installation", &said.holder()))?;
    draft.installation = Some(row.id);
    draft.selection = Some(TokenSelection::All);
    draft.permissions.clone_from(&row.permissions);
    Ok(())
}

/// A token of the file.
struct WantedToken<'w> {
    said: &'w Token,
    draft: TokenDraft,
}

impl WantedToken<'_> {
    /// Its lifetime in seconds, from the load that creates it.
    fn lifetime(&self) -> Option<i64> {
        let said = id_of(&self.said.expires_in);
        let endless = self.said.kind != TokenKind::Installation || self.said.expires_at.is_some();
        said.or((!endless).then_some(INSTALLATION_TOKEN_SECONDS))
    }

    /// The row that is wanted, on top of the stored one.
    fn row(&self, stored: Option<&token::Model>, value: &str, now: i64) -> token::Model {
        let said = self.said.created_at.map(DateTime::seconds);
        let created_at = said.or(stored.map(|row| row.created_at)).unwrap_or(now);
        let mut row = self.draft.row(value, created_at);
        if let Some(seconds) = self.lifetime() {
            let running = stored.and_then(|row| row.expires_at);
            let running = running.filter(|moment| *moment > now);
            row.expires_at = running.or(Some(now.saturating_add(seconds)));
        }
        if let Some(stored) = stored {
            row.id = stored.id;
            row.label = row.label.or_else(|| stored.label.clone());
            row.demo = stored.demo;
            row.revoked_at = stored.revoked_at;
        }
        row.id = id_of(&self.said.id).unwrap_or(row.id);
        row
    }

    /// The row of a token whose value is unknown by now. Its lifetime began with the load
    /// that created it.
    fn same_value(&self, stored: &token::Model, now: i64) -> token::Model {
        token::Model {
            hash: stored.hash.clone(),
            hint: stored.hint.clone(),
            ..self.row(Some(stored), "", now)
        }
    }

    /// Whether a token is the one that is wanted, in all but its times and its value.
    fn describes(&self, row: &token::Model, selection: &BTreeSet<i64>) -> bool {
        let same = token::Model {
            created_at: row.created_at,
            expires_at: row.expires_at,
            ..self.same_value(row, row.created_at)
        };
        same == *row && *selection == self.draft.repositories
    }
}

/// Tokens whose values earlier loads have generated, which may be what the file means.
struct GeneratedTokens {
    rows: Vec<token::Model>,
    selections: HashMap<i64, BTreeSet<i64>>,
    taken: HashSet<i64>,
}

impl GeneratedTokens {
    async fn fetch(load: &Load<'_>, wanted: &[WantedToken<'_>]) -> Result<Self, DbErr> {
        let nameless = wanted.iter().filter(|wanted| wanted.said.value.is_none());
        let labels = nameless.filter_map(|wanted| wanted.draft.label.clone());
        let mut rows = rows_with(load.db, token::Column::Label, labels).await?;
        rows.sort_by_key(|row| row.id);
        let ids = rows.iter().map(|row| row.id);
        let mut selections: HashMap<i64, BTreeSet<i64>> = HashMap::new();
        for row in rows_with(load.db, token_repository::Column::TokenId, ids).await? {
            let selection = selections.entry(row.token_id).or_default();
            selection.insert(row.repository_id);
        }
        Ok(Self {
            rows,
            selections,
            taken: HashSet::new(),
        })
    }

    /// The first token that is as wanted, unexpired, and not found before: two equal
    /// items of a file are two tokens.
    fn take(&mut self, wanted: &WantedToken<'_>, now: i64) -> Option<token::Model> {
        let none = BTreeSet::new();
        let row = self.rows.iter().find(|row| {
            let selection = self.selections.get(&row.id).unwrap_or(&none);
            !self.taken.contains(&row.id)
                && row.expires_at.is_none_or(|moment| moment > now)
                && wanted.describes(row, selection)
        })?;
        self.taken.insert(row.id);
        Some(row.clone())
    }
}
