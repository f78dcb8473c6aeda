//! Tokens. One with a value is matched by it; one without is generated, and matched by all its
//! other keys in the file.
//! Note: a revoked token stays revoked, whatever the file says, and an expired one gets a new
//! expiry if the file has `expires_in`.

use std::collections::{BTreeSet, HashMap, HashSet};

use sea_orm::DbErr;

use super::apps::{array, permissions};
use super::write::Load;
use super::{IssuedToken, LoadError};
use crate::file::{Token, TokenRepositories, World};
use crate::ids::id_of;
use crate::scalar::DateTime;
use crate::stored::{StoredRows, vanished};
use crate::yaml::{At, value_of};
use contract::values::Timestamp;
use forge::tokens;
use forge::tokens::{INSTALLATION_TOKEN_SECONDS, TokenDraft, select_repositories};
use storage::database::rows_with;
use storage::entities::token::{self, TokenKind, TokenSelection};
use storage::entities::token_repository;

/// Marks a token whose value was generated, when the file does not describe it.
const GENERATED: &str = "world file";

pub async fn write(load: &mut Load<'_>, world: &World) -> Result<(), LoadError> {
    let mut items = Vec::with_capacity(world.tokens.len());
    for spec in &world.tokens {
        let draft = draft(&load.stored, spec)?;
        items.push(TokenItem { spec, draft });
    }
    let mut generated = GeneratedTokens::fetch(load, &items).await?;
    for item in &items {
        match &item.spec.value {
            Some(value) => write_known(load, item, &value.value).await?,
            None => write_generated(load, item, &mut generated).await?,
        }
    }
    Ok(())
}

async fn write_known(load: &mut Load<'_>, item: &TokenItem<'_>, value: &str) -> Result<(), DbErr> {
    let stored = load.stored.token(value).cloned();
    let mut row = item.row(stored.as_ref(), value, load.now);
    row.demo = load.source.demo;
    let row = load.upsert(stored.as_ref(), row).await?;
    if select_repositories(load.db, row.id, &item.draft.repositories).await? {
        load.mark_changed();
    }
    Ok(())
}

async fn write_generated(
    load: &mut Load<'_>,
    item: &TokenItem<'_>,
    generated: &mut GeneratedTokens,
) -> Result<(), DbErr> {
    if let Some(stored) = generated.take(item, load.now) {
        let row = item.same_value(&stored, load.now);
        load.upsert(Some(&stored), row).await?;
        return Ok(());
    }
    let kind = item.spec.kind;
    let value = tokens::generate(kind, load.entropy);
    let row = item.row(None, &value, load.now);
    let row = load.upsert(None, row).await?;
    select_repositories(load.db, row.id, &item.draft.repositories).await?;
    load.issue(IssuedToken {
        value,
        kind,
        holder: item.spec.holder(),
        description: item.spec.purpose(),
    });
    Ok(())
}

/// The draft of a token, with ids instead of names.
fn draft(stored: &StoredRows, spec: &Token) -> Result<TokenDraft, DbErr> {
    let account = |login: &Option<At<String>>| {
        let login = login.as_ref();
        login
            .map(|login| stored.account_id(&login.value))
            .transpose()
    };
    let app = spec
        .app
        .as_ref()
        .filter(|_| spec.kind == TokenKind::AppUser);
    let label = spec.description.clone();
    let mut draft = TokenDraft {
        user: account(&spec.user)?,
        app: app.map(|app| stored.app_id(&app.value)).transpose()?,
        client_id: value_of(&spec.client_id),
        owner: account(&spec.owner)?,
        scopes: array(&spec.scopes),
        label: label.or_else(|| spec.value.is_none().then(|| GENERATED.to_owned())),
        expires_at: spec
            .expires_at
            .as_ref()
            .map(|at| Timestamp(at.value.seconds())),
        ..TokenDraft::of(spec.kind)
    };
    match spec.kind {
        TokenKind::FineGrained => fine_grained(&mut draft, stored, spec)?,
        TokenKind::Installation => installed(&mut draft, stored, spec)?,
        TokenKind::Classic | TokenKind::Oauth | TokenKind::AppUser => {}
    }
    Ok(draft)
}

fn fine_grained(draft: &mut TokenDraft, stored: &StoredRows, spec: &Token) -> Result<(), DbErr> {
    draft.permissions = permissions(&spec.permissions);
    draft.selection = Some(match (&spec.repositories, &spec.owner) {
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

/// An installation token can access everything that its installation can, now and later.
fn installed(draft: &mut TokenDraft, stored: &StoredRows, spec: &Token) -> Result<(), DbErr> {
    let pair = spec.app.as_ref().zip(spec.account.as_ref());
    let row = pair.and_then(|(app, account)| stored.installation(&app.value, &account.value));
    let row = row.ok_or_else(|| vanished("installation", &spec.holder()))?;
    draft.installation = Some(row.id);
    draft.selection = Some(TokenSelection::All);
    draft.permissions.clone_from(&row.permissions);
    Ok(())
}

/// A token of the file.
struct TokenItem<'w> {
    spec: &'w Token,
    draft: TokenDraft,
}

impl TokenItem<'_> {
    /// Its lifetime in seconds, from the load that creates it.
    fn lifetime(&self) -> Option<i64> {
        let expires_in = id_of(&self.spec.expires_in);
        let endless = self.spec.kind != TokenKind::Installation || self.spec.expires_at.is_some();
        expires_in.or((!endless).then_some(INSTALLATION_TOKEN_SECONDS))
    }

    /// The row for this item, based on the stored one.
    fn row(&self, stored: Option<&token::Model>, value: &str, now: i64) -> token::Model {
        let created_at = self.spec.created_at.map(DateTime::seconds);
        let created_at = created_at
            .or(stored.map(|row| row.created_at))
            .unwrap_or(now);
        let mut row = self.draft.row(value, created_at);
        if let Some(seconds) = self.lifetime() {
            let running = stored.and_then(|row| row.expires_at);
            let running = running.filter(|expiry| *expiry > now);
            row.expires_at = running.or(Some(now.saturating_add(seconds)));
        }
        if let Some(stored) = stored {
            row.id = stored.id;
            row.label = row.label.or_else(|| stored.label.clone());
            row.demo = stored.demo;
            row.revoked_at = stored.revoked_at;
        }
        row.id = id_of(&self.spec.id).unwrap_or(row.id);
        row
    }

    /// The row of a token whose value is no longer known. Its lifetime began with the load
    /// that created it.
    fn same_value(&self, stored: &token::Model, now: i64) -> token::Model {
        token::Model {
            hash: stored.hash.clone(),
            hint: stored.hint.clone(),
            ..self.row(Some(stored), "", now)
        }
    }

    /// Whether a row matches this item, except for its times and its value.
    fn describes(&self, row: &token::Model, selection: &BTreeSet<i64>) -> bool {
        let expected = token::Model {
            created_at: row.created_at,
            expires_at: row.expires_at,
            ..self.same_value(row, row.created_at)
        };
        expected == *row && *selection == self.draft.repositories
    }
}

/// Tokens that earlier loads generated, which may match items of the file.
struct GeneratedTokens {
    rows: Vec<token::Model>,
    selections: HashMap<i64, BTreeSet<i64>>,
    matched: HashSet<i64>,
}

impl GeneratedTokens {
    async fn fetch(load: &Load<'_>, items: &[TokenItem<'_>]) -> Result<Self, DbErr> {
        let nameless = items.iter().filter(|item| item.spec.value.is_none());
        let labels = nameless.filter_map(|item| item.draft.label.clone());
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
            matched: HashSet::new(),
        })
    }

    /// The first token that matches, is unexpired, and was not matched before: two equal
    /// items of a file are two tokens.
    fn take(&mut self, item: &TokenItem<'_>, now: i64) -> Option<token::Model> {
        let none = BTreeSet::new();
        let row = self.rows.iter().find(|row| {
            let selection = self.selections.get(&row.id).unwrap_or(&none);
            !self.matched.contains(&row.id)
                && row.expires_at.is_none_or(|expiry| expiry > now)
                && item.describes(row, selection)
        })?;
        self.matched.insert(row.id);
        Some(row.clone())
    }
}
