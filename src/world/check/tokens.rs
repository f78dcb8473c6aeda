//! Tokens: their values, and what they refer to. That each has the keys of its kind
//! is the work of the records in `file/token.rs`.

use super::index::Index;
use super::unique::Unique;
use super::{names, vocabulary};
use crate::world::file::{FineGrainedToken, InstallationToken, Token, TokenRepositories, World};
use crate::world::findings::{Finding, Findings};

const SHOWN_OF_A_SECRET: usize = 4;

pub fn check(world: &World, index: &Index<'_>, findings: &mut Findings) {
    let mut taken = Unique::new("token value");
    for token in &world.tokens {
        if let Some(value) = token.value() {
            // A secret is not repeated in a finding.
            if let Some(expected) = names::token_value(&value.value) {
                findings.push(Finding::at(value.place, "malformed token value").expected(expected));
            }
            let shown: String = value.value.chars().take(SHOWN_OF_A_SECRET).collect();
            taken.claim(&value.value, &format!("{shown}…"), value.place, findings);
        }
        if let Some(user) = token.user() {
            index.not_mannequin(user, findings);
        }
        match token {
            Token::Classic(token) => {
                index.user(&token.user, findings);
                vocabulary::scopes(&token.scopes, findings);
            }
            Token::Oauth(token) => {
                index.user(&token.user, findings);
                if let Some(client) = &token.client_id {
                    names::require(client, "client id", names::token_value, findings);
                }
                vocabulary::scopes(&token.scopes, findings);
            }
            Token::FineGrained(token) => fine_grained(token, index, findings),
            Token::AppUser(token) => {
                index.user(&token.user, findings);
                index.app(&token.app, findings);
            }
            Token::Installation(token) => installation(token, index, findings),
        }
    }
}

fn fine_grained(token: &FineGrainedToken, index: &Index<'_>, findings: &mut Findings) {
    index.user(&token.user, findings);
    index.account(&token.owner, findings);
    for (name, level) in &token.permissions {
        vocabulary::token_permission(name, level, findings);
    }
    if let TokenRepositories::Only(names) = &token.repositories {
        let mut taken = Unique::new("repository");
        for name in names {
            index.repository_of(&token.owner.value, name, findings);
            taken.claim(name.value.to_lowercase(), &name.value, name.place, findings);
        }
    }
}

fn installation(token: &InstallationToken, index: &Index<'_>, findings: &mut Findings) {
    let before = findings.count();
    index.app(&token.app, findings);
    index.account(&token.account, findings);
    if findings.count() == before {
        index.installation(&token.app, &token.account, findings);
    }
    if let (Some(_), Some(at)) = (&token.expires_in, &token.expires_at) {
        findings.push(
            Finding::at(at.place, "both `expires_in` and `expires_at`")
                .expected("at most one of them"),
        );
    }
}
