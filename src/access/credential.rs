//! From an `Authorization` header to a caller. A credential that is unknown,
//! expired, revoked or malformed is refused wherever it is used, on public
//! things too; it never passes as anonymous.

use std::sync::Arc;

use sea_orm::{EntityTrait, QueryFilter};
use serde::de::DeserializeOwned;
use subtle::ConstantTimeEq;

use super::{Access, mint};
use crate::contract::caller::{Caller, Person, Reach};
use crate::contract::problem::Problem;
use crate::contract::reply::Outcome;
use crate::entities::{account, app, installation, token, token_repository};
use crate::memory::{Key, Memorable};

/// What an `Authorization` header holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presented<'a> {
    Token(&'a str),
    Jwt(&'a str),
}

/// Reads an `Authorization` header; `None` if it can be no credential of ours.
pub fn presented(header: &[u8]) -> Option<Presented<'_>> {
    let header = std::str::from_utf8(header).ok()?;
    let (scheme, value) = header
        .trim()
        .split_once(|character: char| character.is_ascii_whitespace())?;
    let value = value.trim();
    let bearer = scheme.eq_ignore_ascii_case("bearer");
    if !bearer && !scheme.eq_ignore_ascii_case("token") {
        return None;
    }
    // Spec, Authentication, rule 1: a JSON web token must come with Bearer.
    match looks_like_jwt(value) {
        true => bearer.then_some(Presented::Jwt(value)),
        false => Some(Presented::Token(value)),
    }
}

/// Who holds a token, and until when.
struct Holder {
    caller: Arc<Caller>,
    expires_at: Option<i64>,
}

impl Memorable for Holder {
    fn weight(&self) -> usize {
        self.caller.weight()
    }
}

impl Access {
    /// Who calls, by the value of the `Authorization` header.
    pub async fn identify(&self, authorization: Option<&[u8]>) -> Outcome<Arc<Caller>> {
        let Some(header) = authorization else {
            return Ok(self.anonymous.clone());
        };
        match presented(header).ok_or(Problem::BAD_CREDENTIALS)? {
            Presented::Jwt(value) => Box::pin(self.app_of_jwt(value)).await.map(Arc::new),
            Presented::Token(value) => self.holder_of(value).await,
        }
    }

    /// A token's holder is looked up again when something about it has changed;
    /// whether its time is over, every time.
    async fn holder_of(&self, value: &str) -> Outcome<Arc<Caller>> {
        let hash = mint::hash(value);
        let key = Key::of("holder").text(&hash);
        let holder = self.memory.recall(key, || self.find_holder(&hash)).await?;
        let now = self.clock.now().0;
        if holder.expires_at.is_some_and(|moment| moment <= now) {
            return Err(Problem::BAD_CREDENTIALS);
        }
        Ok(holder.caller.clone())
    }

    async fn find_holder(&self, hash: &str) -> Outcome<Holder> {
        let row = token::Entity::find()
            .filter(token::COLUMN.hash.eq(hash))
            .one(self.reads())
            .await?
            .ok_or(Problem::BAD_CREDENTIALS)?;
        // The index has compared hashes, which tells an attacker nothing about
        // the value; comparing again in constant time keeps it so by design.
        let same: bool = row.hash.as_bytes().ct_eq(hash.as_bytes()).into();
        if !same || row.revoked_at.is_some() {
            return Err(Problem::BAD_CREDENTIALS);
        }
        Ok(Holder {
            expires_at: row.expires_at,
            caller: Arc::new(self.caller_of(row).await?),
        })
    }

    async fn caller_of(&self, row: token::Model) -> Outcome<Caller> {
        match row.kind {
            token::Kind::Classic => Ok(Caller::Classic {
                token: row.id,
                user: self.person(row.user_id).await?,
                scopes: parsed(&row.scopes)?,
            }),
            token::Kind::Oauth => Ok(Caller::OAuth {
                token: row.id,
                user: self.person(row.user_id).await?,
                scopes: parsed(&row.scopes)?,
            }),
            token::Kind::FineGrained => self.fine_grained(row).await,
            token::Kind::AppUser => self.app_user(row).await,
            token::Kind::Installation => self.installation(row).await,
        }
    }

    async fn fine_grained(&self, row: token::Model) -> Outcome<Caller> {
        Ok(Caller::FineGrained {
            token: row.id,
            user: self.person(row.user_id).await?,
            owner: row.owner_id.ok_or(Problem::BAD_CREDENTIALS)?,
            reach: self.reach(&row).await?,
            permissions: parsed(&row.permissions)?,
        })
    }

    async fn app_user(&self, row: token::Model) -> Outcome<Caller> {
        let id = row.app_id.ok_or(Problem::BAD_CREDENTIALS)?;
        let app = app::Entity::find_by_id(id)
            .one(self.reads())
            .await?
            .ok_or(Problem::BAD_CREDENTIALS)?;
        Ok(Caller::AppUser {
            token: row.id,
            user: self.person(row.user_id).await?,
            app: app.id,
            client_id: app.client_id,
        })
    }

    async fn installation(&self, row: token::Model) -> Outcome<Caller> {
        let id = row.installation_id.ok_or(Problem::BAD_CREDENTIALS)?;
        let (installation, app) = installation::Entity::find_by_id(id)
            .find_also_related(app::Entity)
            .one(self.reads())
            .await?
            .ok_or(Problem::BAD_CREDENTIALS)?;
        let app = app.ok_or(Problem::BAD_CREDENTIALS)?;
        Ok(Caller::Installation {
            token: row.id,
            installation: installation.id,
            app: app.id,
            app_slug: app.slug,
            bot: Some(app.bot_id),
            account: installation.account_id,
            selected: installation.repository_selection == installation::Selection::Selected,
            reach: self.reach(&row).await?,
            permissions: parsed(&row.permissions)?,
            suspended: installation.suspended_at.is_some(),
        })
    }

    async fn reach(&self, row: &token::Model) -> Outcome<Reach> {
        Ok(match row.repository_selection {
            None | Some(token::Selection::All) => Reach::All,
            Some(token::Selection::Public) => Reach::Public,
            Some(token::Selection::Selected) => Reach::Selected(
                token_repository::Entity::find()
                    .filter(token_repository::COLUMN.token_id.eq(row.id))
                    .all(self.reads())
                    .await?
                    .into_iter()
                    .map(|row| row.repository_id)
                    .collect(),
            ),
        })
    }

    async fn person(&self, id: Option<i64>) -> Outcome<Person> {
        let id = id.ok_or(Problem::BAD_CREDENTIALS)?;
        let user = account::Entity::find_by_id(id)
            .one(self.reads())
            .await?
            .ok_or(Problem::BAD_CREDENTIALS)?;
        Ok(Person {
            id: user.id,
            login: user.login,
            site_admin: user.site_admin,
        })
    }
}

/// Three parts between dots, the first of which is a JSON object in base64.
fn looks_like_jwt(value: &str) -> bool {
    value.starts_with("ey") && value.split('.').count() == 3
}

/// A JSON column of ours. If it cannot be read, the row is broken, not the request.
pub(super) fn parsed<T: DeserializeOwned>(json: &str) -> Outcome<T> {
    serde_json::from_str(json).map_err(Problem::internal)
}
