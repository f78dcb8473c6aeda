//! Tokens of five kinds. All of them are one record, but each kind accepts only some of its keys,
//! and a key of another kind is an unknown key. `check.rs` checks the references of a token.
//! Note: `kind` is read first, and nothing else without it.

use crate::findings::Findings;
use crate::record::{FromYaml, Keys, Record, mismatch, record, words};
use crate::scalar::{DateTime, Positive};
use crate::yaml::{At, Yaml, YamlValue, value_of};
use storage::entities::token::TokenKind;

words! {
    TokenKind: Classic | FineGrained | Oauth | AppUser | Installation;
}

record! {
    /// A credential. The keys that its kind requires are always there.
    loose Token is "a token" {
        optional id: At<Positive>,
        required kind: TokenKind,
        optional user: At<String>,
        /// The account whose resources it can access.
        optional owner: At<String>,
        optional app: At<String>,
        optional account: At<String>,
        list scopes: At<String>,
        /// The client that it was issued to.
        optional client_id: At<String>,
        optional repositories: TokenRepositories,
        entries permissions: At<String>,
        /// Its purpose, for lists of tokens.
        optional description: String,
        optional value: At<String>,
        /// Seconds from the time of loading.
        optional expires_in: At<Positive>,
        optional expires_at: At<DateTime>,
        optional created_at: DateTime,
    }
}

const KEYS_OF_EVERY_KIND: &[&str] = &[
    "id",
    "kind",
    "description",
    "value",
    "expires_at",
    "created_at",
];

/// The name of a kind in findings, and its own keys: the required ones, and
/// the optional ones.
type TokenKeys = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

fn form(kind: TokenKind) -> TokenKeys {
    match kind {
        TokenKind::Classic => ("a classic token", &["user"], &["scopes"]),
        TokenKind::FineGrained => (
            "a fine_grained token",
            &["user", "owner"],
            &["repositories", "permissions"],
        ),
        TokenKind::Oauth => ("an oauth token", &["user"], &["scopes", "client_id"]),
        TokenKind::AppUser => ("an app_user token", &["user", "app"], &[]),
        TokenKind::Installation => (
            "an installation token",
            &["app", "account"],
            &["expires_in"],
        ),
    }
}

impl FromYaml for Token {
    fn from_yaml(yaml: &Yaml, key: &str, findings: &mut Findings) -> Option<Self> {
        // Which keys are known depends on the kind, so these findings are not kept.
        let mut dropped = Findings::default();
        let kind = Keys::open(yaml, key, Self::LABEL, Self::FIELDS, &mut dropped)
            .and_then(|keys| keys.optional("kind", &mut dropped));
        let Some(kind) = kind else {
            let keys = Keys::open(yaml, key, Self::LABEL, Self::FIELDS, findings)?;
            keys.required::<TokenKind>("kind", findings);
            return None;
        };
        let (label, required, optional) = form(kind);
        let mut keys_of_kind = Self::FIELDS.to_vec();
        keys_of_kind.retain(|key| {
            [KEYS_OF_EVERY_KIND, required, optional]
                .iter()
                .any(|keys| keys.contains(key))
        });
        let keys = Keys::open(yaml, key, label, &keys_of_kind, findings)?;
        for key in required.iter().filter(|key| keys.get(key).is_none()) {
            findings.push(keys.missing(key));
        }
        Some(Self::read(&keys, findings))
    }
}

impl Token {
    /// A description of the token's holder.
    pub fn holder(&self) -> String {
        let name = |value: &Option<At<String>>| value_of(value).unwrap_or_default();
        match &self.user {
            Some(user) => user.value.clone(),
            None => format!("{} on {}", name(&self.app), name(&self.account)),
        }
    }

    /// The description in the file, or else a summary of its permissions.
    pub fn purpose(&self) -> String {
        let name = |value: &Option<At<String>>| value_of(value).unwrap_or_default();
        if let Some(description) = &self.description {
            return description.clone();
        }
        match self.kind {
            TokenKind::Classic | TokenKind::Oauth if self.scopes.is_empty() => {
                "no scopes".to_owned()
            }
            TokenKind::Classic | TokenKind::Oauth => {
                let scopes = self.scopes.iter().map(|scope| scope.value.as_str());
                scopes.collect::<Vec<_>>().join(", ")
            }
            TokenKind::AppUser => format!("for the app {}", name(&self.app)),
            TokenKind::Installation => "the permissions of the installation".to_owned(),
            TokenKind::FineGrained => {
                let granted = self.permissions.iter();
                let granted: Vec<String> = granted
                    .map(|(name, level)| format!("{}: {}", name.value, level.value))
                    .collect();
                format!("{} of {}", granted.join(", "), name(&self.owner))
            }
        }
    }
}

/// The repositories that a fine-grained token can access; the public ones if the file
/// does not say.
#[derive(Debug, Clone, Default)]
pub enum TokenRepositories {
    All,
    #[default]
    Public,
    Only(Vec<At<String>>),
}

impl FromYaml for TokenRepositories {
    fn from_yaml(yaml: &Yaml, key: &str, findings: &mut Findings) -> Option<Self> {
        match &yaml.value {
            YamlValue::List(_) => Vec::from_yaml(yaml, key, findings).map(Self::Only),
            YamlValue::Text(word) if word == "all" => Some(Self::All),
            YamlValue::Text(word) if word == "public" => Some(Self::Public),
            _ => {
                mismatch(yaml, key, "`all`, `public` or a list of names", findings);
                None
            }
        }
    }
}
