//! Maps the first column of the table to the credentials to send. The value of a token in
//! the world is its label, with `-` between the words.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

use contract::values::Timestamp;
use forge::access::jwt;
use serde_json::json;

use crate::harness::START;

const PRIVATE_KEY: &str = include_str!("../apps/test-only-key.pem");

/// The tokens that `start_with` revokes.
pub const REVOKED: [&str; 5] = [
    "revoked-classic",
    "revoked-oauth",
    "revoked-fine-grained",
    "revoked-app-user",
    "revoked-installation",
];

const EXPIRED: [&str; 5] = [
    "expired-classic",
    "expired-oauth",
    "expired-fine-grained",
    "expired-app-user",
    "expired-installation",
];

/// A row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub label: String,
}

impl Caller {
    /// The credentials of this caller. Each must get the status in the table.
    pub fn credentials(&self) -> Vec<Option<String>> {
        let owned = |tokens: &[&str]| -> Vec<String> {
            tokens.iter().map(|token| (*token).to_owned()).collect()
        };
        let tokens = match self.label.as_str() {
            "no token" => return vec![None],
            "unknown token" => owned(&["unknown", "not.a.jwt"]),
            "expired token of any kind" => [owned(&EXPIRED), vec![jwt(-1)]].concat(),
            "revoked token of any kind" => owned(&REVOKED),
            "app, by JSON web token" => vec![jwt(540)],
            label => vec![label.replace(", ", "-").replace(' ', "-").to_lowercase()],
        };
        tokens.into_iter().map(Some).collect()
    }

    /// One of the credentials, a different one for each turn.
    pub fn in_turn(&self, turn: usize) -> Vec<Option<String>> {
        let all = self.credentials();
        vec![all[turn % all.len()].clone()]
    }

    /// The installation on acme of the token's app; that of `write-bot` if the token has no
    /// app.
    pub fn installation(&self) -> i64 {
        match self.label.rsplit_once(", ").map(|(_, last)| last) {
            Some("read") => 7002,
            Some("metadata") => 7003,
            Some("other repository") => 7004,
            Some("suspended") => 7006,
            _ => 7001,
        }
    }
}

/// A JSON web token that `write-bot` has signed. It expires after `expires_in` seconds.
pub fn jwt(expires_in: i64) -> String {
    static SIGNED: LazyLock<Mutex<HashMap<i64, String>>> = LazyLock::new(Mutex::default);
    let mut signed = SIGNED.lock().unwrap();
    let jwt = signed.entry(expires_in).or_insert_with(|| sign(expires_in));
    jwt.clone()
}

/// Slow without optimization, so `jwt` caches the tokens.
fn sign(expires_in: i64) -> String {
    let now = Timestamp::parse(START).unwrap().0;
    let claims = json!({"iat": now - 60, "exp": now + expires_in, "iss": "Iv23write"});
    let key = jwt::private_key(PRIVATE_KEY.as_bytes()).unwrap();
    jwt::sign(&claims, &key).unwrap()
}
