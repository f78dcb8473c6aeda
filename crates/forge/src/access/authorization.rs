//! Parses an `Authorization` header: a token, or an app's JSON web token. `credential.rs`
//! resolves its holder.

use std::borrow::Cow;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::explain;
use contract::control::journal::{Check, ExplanationStep};

/// Basic credentials, with or without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

const SCHEMES: [&str; 3] = ["bearer", "token", "basic"];

const BEARER: &str = "Send `Authorization: Bearer TOKEN`.";

/// Passwords that mean that the token is the user name.
const TOKEN_IS_USER_NAME: [&str; 2] = ["", "x-oauth-basic"];

/// The content of an `Authorization` header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Presented<'a> {
    Token(Cow<'a, str>),
    Jwt(&'a str),
}

/// Parses an `Authorization` header; `None` if it cannot be a credential.
pub fn presented(header: &[u8]) -> Option<Presented<'_>> {
    let header = std::str::from_utf8(header).ok()?;
    let (scheme, value) = header
        .trim()
        .split_once(|character: char| character.is_ascii_whitespace())?;
    let value = value.trim();
    let bearer = scheme.eq_ignore_ascii_case("bearer");
    let token = if bearer || scheme.eq_ignore_ascii_case("token") {
        Cow::Borrowed(value)
    } else if scheme.eq_ignore_ascii_case("basic") {
        Cow::Owned(basic(value)?)
    } else {
        return None;
    };
    // Spec, Authentication, rule 1: a JSON web token must use the Bearer scheme.
    match looks_like_jwt(&token) {
        true => bearer.then_some(Presented::Jwt(value)),
        false => Some(Presented::Token(token)),
    }
}

/// Explains a header that cannot be a credential, without repeating what may be a secret.
pub fn unreadable(header: &[u8]) -> ExplanationStep {
    let text = std::str::from_utf8(header).map(str::trim);
    let words = text.map(|text| text.split_once(|character: char| character.is_ascii_whitespace()));
    let (sentence, advice) = match words {
        Err(_) => ("is not UTF-8 text", BEARER),
        Ok(None) => match text {
            Ok(word)
                if SCHEMES
                    .iter()
                    .any(|scheme| word.eq_ignore_ascii_case(scheme)) =>
            {
                ("has a scheme, but no token", BEARER)
            }
            _ => ("has no scheme before the token", BEARER),
        },
        Ok(Some((scheme, _))) if scheme.eq_ignore_ascii_case("token") => (
            "has a JSON web token with the scheme `token`",
            "Send the JSON web token as `Authorization: Bearer TOKEN`.",
        ),
        Ok(Some((scheme, _))) if scheme.eq_ignore_ascii_case("basic") => (
            "has Basic credentials that are not a user name and a token",
            "Send the base64 of `USER:TOKEN`, or `Authorization: Bearer TOKEN`.",
        ),
        Ok(Some(_)) => ("has another scheme than Bearer, token or Basic", BEARER),
    };
    explain::mistake(
        Check::Credential,
        "the Authorization header",
        sentence,
        advice,
    )
}

/// The token in Basic credentials (RFC 7617): the password, or the user name if the
/// password says so. The other of the two is ignored.
fn basic(value: &str) -> Option<String> {
    let decoded = String::from_utf8(BASE64.decode(value).ok()?).ok()?;
    let (user, password) = decoded.split_once(':')?;
    let token = match TOKEN_IS_USER_NAME.contains(&password) {
        true => user,
        false => password,
    };
    Some(token.to_owned())
}

/// Three parts between dots, the first of which is a JSON object in base64.
fn looks_like_jwt(value: &str) -> bool {
    value.starts_with("ey") && value.split('.').count() == 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_that_is_no_credential_is_explained_without_its_value() {
        for (header, words) in [
            (&b"ghp_secret"[..], "no scheme"),
            (b"Bearer", "no token"),
            (b"Digest ghp_secret", "another scheme"),
            (b"Basic ghp_secret", "Basic credentials"),
            (b"token eyJhbGci.e30.secret", "JSON web token"),
            (b"\xffsecret", "UTF-8"),
        ] {
            assert_eq!(presented(header), None, "{words}");
            let step = unreadable(header);
            assert!(step.sentence.contains(words), "{}", step.sentence);
            assert!(!step.sentence.contains("secret"), "{}", step.sentence);
            assert!(step.advice[0].sentence.contains("Authorization: Bearer"));
        }
    }

    fn token(header: &str) -> Option<String> {
        match presented(header.as_bytes())? {
            Presented::Token(value) => Some(value.into_owned()),
            Presented::Jwt(_) => None,
        }
    }

    #[test]
    fn basic_credentials_hold_a_token_in_either_place() {
        for (credentials, expected) in [
            ("alice:ghp_1", "ghp_1"),
            ("x-access-token:ghs_1", "ghs_1"),
            (":ghp_1", "ghp_1"),
            ("ghp_1:", "ghp_1"),
            ("ghp_1:x-oauth-basic", "ghp_1"),
            ("alice:with:colons", "with:colons"),
        ] {
            let padded = BASE64.encode(credentials);
            for encoded in [&*padded, padded.trim_end_matches('=')] {
                let header = format!("bAsIc {encoded}");
                assert_eq!(token(&header).as_deref(), Some(expected), "{credentials}");
            }
        }
    }

    #[test]
    fn basic_credentials_that_cannot_be_read_are_none() {
        for header in [
            "Basic".to_owned(),
            "Basic %%%".to_owned(),
            format!("Basic {}", BASE64.encode("no colon")),
            format!("Basic {}", BASE64.encode([0xff, b':', 0xff])),
            format!(
                "Basic {}",
                BASE64.encode("alice:eyJhbGciOiJSUzI1NiJ9.e30.c2ln")
            ),
        ] {
            assert_eq!(presented(header.as_bytes()), None, "{header}");
        }
    }
}
