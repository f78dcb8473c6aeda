//! Resolves a credential to a caller. An unknown, expired, revoked or malformed credential
//! is refused everywhere, on public resources too; it never counts as anonymous.

use std::sync::Arc;

use migration::aggregates::Kind;
use sea_orm::{EntityTrait, QueryFilter};
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::authorization::{Presented, presented, unreadable};
use super::{Access, aggregates_of};
use crate::explain;
use crate::explain::step;
use contract::caller::{Caller, Permissions, Person, Reach};
use contract::control::journal::{AdviceAction, Check, StepOutcome};
use contract::problem::Problem;
use contract::reply::Outcome;
use contract::values::Timestamp;
use storage::cache::{CacheKind, Key, Weigh};
use storage::database::{Connection, dependencies};
use storage::entities::{account, app, installation, token, token_repository};

/// A credential; a token is known only by its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential<'a> {
    None,
    /// A token, by its hash.
    Token(String),
    Jwt(&'a str),
}

impl<'a> Credential<'a> {
    /// Reads an `Authorization` header, if there is one.
    pub fn of(authorization: Option<&'a [u8]>) -> Outcome<Self> {
        let Some(header) = authorization else {
            return Ok(Self::None);
        };
        match presented(header) {
            Some(Presented::Token(value)) => Ok(Self::Token(hash(&value))),
            Some(Presented::Jwt(value)) => Ok(Self::Jwt(value)),
            None => {
                explain::note(|| unreadable(header));
                Err(Problem::BAD_CREDENTIALS)
            }
        }
    }
}

/// The hash that is stored of a token.
pub fn hash(value: &str) -> String {
    hex::encode(Sha256::digest(value.as_bytes()))
}

/// A caller, and when its credential expires.
#[derive(Debug, Clone)]
pub struct Identity {
    pub caller: Arc<Caller>,
    pub expires_at: Option<i64>,
}

impl Weigh for Identity {
    fn heap_bytes(&self) -> usize {
        self.caller.heap_bytes()
    }
}

impl Access {
    /// Identifies the caller.
    #[tracing::instrument(level = "debug", name = "access", skip_all)]
    pub async fn identify(&self, credential: &Credential<'_>) -> Outcome<Identity> {
        let caller = match credential {
            Credential::None => self.anonymous.clone(),
            Credential::Jwt(value) => Arc::new(Box::pin(self.app_of_jwt(value)).await?),
            Credential::Token(hash) => return self.holder_of(hash).await,
        };
        Ok(Identity {
            caller,
            expires_at: None,
        })
    }

    /// Same as [`Self::identify`] for a request that may write: the versions of everything that
    /// authorizes it are read first.
    pub async fn identify_writer(&self, credential: &Credential<'_>) -> Outcome<Identity> {
        let identity = self.identify(credential).await?;
        let aggregates = aggregates_of(&identity.caller);
        if dependencies::unseen(aggregates.iter().copied()).is_empty() {
            return Ok(identity);
        }
        self.db.load_versions(aggregates).await;
        self.identify(credential).await
    }

    /// A token's holder is looked up again when something about it has changed; the expiry is
    /// checked every time.
    async fn holder_of(&self, hash: &str) -> Outcome<Identity> {
        let key = Key::of(CacheKind::Token).text(hash);
        let find = || self.find_holder(hash);
        let holder = self.cache.get_or_compute(key, find).await?;
        let now = self.clock.now().0;
        if let Some(expiry) = holder.expires_at.filter(|expiry| *expiry <= now) {
            return Err(bad_token(|| format!("expired at {}", Timestamp(expiry))));
        }
        Ok(Identity::clone(&holder))
    }

    async fn find_holder(&self, hash: &str) -> Outcome<Identity> {
        let find = |reads: Arc<Connection>| async move {
            let by_hash = token::Entity::find().filter(token::COLUMN.hash.eq(hash));
            by_hash.one(&*reads).await
        };
        let aggregates = |row: &token::Model| {
            let user = row.user_id.map(|id| Kind::Account.of(id));
            let app = row.app_id.map(|id| Kind::App.of(id));
            let installation = row.installation_id.map(|id| Kind::Installation.of(id));
            let holder_aggregates = [user, app, installation].into_iter().flatten();
            holder_aggregates.chain([Kind::Token.of(row.id)]).collect()
        };
        let row = self.db.resolve(find, aggregates).await?;
        let row = row.ok_or_else(|| bad_token(|| "there is no such token".to_owned()))?;
        // The index compares hashes, which tells an attacker nothing about the value. The
        // comparison in constant time makes that explicit.
        let matches: bool = row.hash.as_bytes().ct_eq(hash.as_bytes()).into();
        if !matches || row.revoked_at.is_some() {
            return Err(bad_token(|| "was revoked".to_owned()));
        }
        Ok(Identity {
            expires_at: row.expires_at,
            caller: Arc::new(self.caller_of(row).await?),
        })
    }

    async fn caller_of(&self, row: token::Model) -> Outcome<Caller> {
        match row.kind {
            token::TokenKind::Classic => Ok(Caller::Classic {
                token: row.id,
                expires_at: row.expires_at.map(Timestamp),
                user: self.person(row.user_id).await?,
                scopes: parsed(&row.scopes)?,
            }),
            token::TokenKind::Oauth => Ok(Caller::OAuth {
                token: row.id,
                user: self.person(row.user_id).await?,
                scopes: parsed(&row.scopes)?,
                client_id: row.client_id,
            }),
            token::TokenKind::FineGrained => self.fine_grained(row).await,
            token::TokenKind::AppUser => self.app_user(row).await,
            token::TokenKind::Installation => self.installation(row).await,
        }
    }

    async fn fine_grained(&self, row: token::Model) -> Outcome<Caller> {
        Ok(Caller::FineGrained {
            token: row.id,
            user: self.person(row.user_id).await?,
            owner: row.owner_id.ok_or(Problem::BAD_CREDENTIALS)?,
            reach: self.reach(&row).await?,
            permissions: parsed(&row.permissions)?,
            expires_at: row.expires_at.map(Timestamp),
        })
    }

    async fn app_user(&self, row: token::Model) -> Outcome<Caller> {
        let id = row.app_id.ok_or(Problem::BAD_CREDENTIALS)?;
        let app = self.find_app(id).await?;
        Ok(Caller::AppUser {
            token: row.id,
            user: self.person(row.user_id).await?,
            app: app.id,
            client_id: app.client_id,
        })
    }

    async fn installation(&self, row: token::Model) -> Outcome<Caller> {
        let id = row.installation_id.ok_or(Problem::BAD_CREDENTIALS)?;
        let installation = installation::Entity::find_by_id(id)
            .one(self.reading(&[Kind::Installation.of(id)]).await)
            .await?
            .ok_or(Problem::BAD_CREDENTIALS)?;
        let app = self.find_app(installation.app_id).await?;
        Ok(Caller::Installation {
            token: row.id,
            installation: installation.id,
            app: app.id,
            app_slug: app.slug,
            bot: Some(app.bot_id),
            account: installation.account_id,
            selected: installation.repository_selection
                == installation::RepositorySelection::Selected,
            reach: self.reach(&row).await?,
            permissions: within(
                parsed(&row.permissions)?,
                &parsed(&installation.permissions)?,
            ),
            suspended: installation.suspended_at.is_some(),
        })
    }

    async fn find_app(&self, id: i64) -> Outcome<app::Model> {
        let app = app::Entity::find_by_id(id)
            .one(self.reading(&[Kind::App.of(id)]).await)
            .await?;
        app.ok_or(Problem::BAD_CREDENTIALS)
    }

    async fn reach(&self, row: &token::Model) -> Outcome<Reach> {
        Ok(match row.repository_selection {
            None | Some(token::TokenSelection::All) => Reach::All,
            Some(token::TokenSelection::Public) => Reach::Public,
            Some(token::TokenSelection::Selected) => Reach::Selected(
                token_repository::Entity::find()
                    .filter(token_repository::COLUMN.token_id.eq(row.id))
                    .all(self.reading(&[Kind::Token.of(row.id)]).await)
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
            .one(self.reading(&[Kind::Account.of(id)]).await)
            .await?
            .filter(|user| !user.mannequin)
            .ok_or(Problem::BAD_CREDENTIALS)?;
        Ok(Person {
            id: user.id,
            login: user.login,
            site_admin: user.site_admin,
        })
    }
}

/// Refuses a token, and records why.
fn bad_token(sentence: impl FnOnce() -> String) -> Problem {
    explain::note(|| {
        let sentence = format!("token: {}", sentence());
        let rejected = step(Check::Credential, StepOutcome::Refused, "token", sentence);
        let advice = "Issue a new token, or correct the token in the request.";
        rejected.advise(AdviceAction::RenewToken, "token", "", advice)
    });
    Problem::BAD_CREDENTIALS
}

/// The permissions of a token that its installation still has: the owner of an app may have
/// given up permissions since the token was issued.
fn within(permissions: Permissions, granted: &Permissions) -> Permissions {
    let limited = permissions.into_iter().filter_map(|(name, level)| {
        let most = *granted.get(&name)?;
        Some((name, level.min(most)))
    });
    limited.collect()
}

/// The value of a JSON column. Fails with an internal error: the row is broken, not the request.
pub fn parsed<T: DeserializeOwned>(json: &str) -> Outcome<T> {
    serde_json::from_str(json).map_err(Problem::internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_hash_of_a_token_is_kept() {
        assert_eq!(
            hash("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
