//! Redacts credentials in headers.

use std::borrow::Cow;

use poem::http::{HeaderName, HeaderValue, header};

use crate::access::authorization::{Presented, presented};

/// The number of characters of a token that are shown.
const SHOWN: usize = 4;

/// The prefixes of tokens, by kind.
const PREFIXES: [&str; 5] = ["ghp_", "gho_", "ghu_", "ghs_", "github_pat_"];

const HIDDEN: &str = "(hidden)";

/// Headers whose values are credentials of other kinds.
const SECRET: [HeaderName; 2] = [header::COOKIE, header::PROXY_AUTHORIZATION];

/// The kind of a credential and its last characters, such as `ghs_…3f2a`.
pub fn hint(authorization: &[u8]) -> Option<String> {
    match presented(authorization)? {
        Presented::Token(value) => Some(shortened(&value)),
        Presented::Jwt(value) => Some(format!("JWT {}", shortened(value))),
    }
}

/// The prefix that identifies the kind, and the last characters. A short value shows no
/// characters.
fn shortened(value: &str) -> String {
    let matching = PREFIXES.iter().find(|prefix| value.starts_with(**prefix));
    let prefix = matching.copied().unwrap_or_default();
    let rest: Vec<char> = value[prefix.len()..].chars().collect();
    let visible = if rest.len() >= 3 * SHOWN { SHOWN } else { 0 };
    let last: String = rest[rest.len() - visible..].iter().collect();
    format!("{prefix}…{last}")
}

/// The value of a header, with credentials redacted.
pub fn redacted<'a>(name: &HeaderName, value: &'a HeaderValue) -> Cow<'a, [u8]> {
    let value = value.as_bytes();
    if SECRET.contains(name) {
        return Cow::Borrowed(HIDDEN.as_bytes());
    }
    if *name != header::AUTHORIZATION {
        return Cow::Borrowed(value);
    }
    match hint(value) {
        None => Cow::Borrowed(HIDDEN.as_bytes()),
        Some(hint) => {
            let scheme = value.split(u8::is_ascii_whitespace).next();
            let scheme = String::from_utf8_lossy(scheme.unwrap_or_default());
            Cow::Owned(format!("{scheme} {hint}").into_bytes())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_shown_by_its_kind_and_last_characters() {
        for (value, expected) in [
            ("ghs_0123456789abcdef3f2a", "ghs_…3f2a"),
            ("github_pat_11ABCDEF_0123456789xyz", "github_pat_…9xyz"),
            ("ghp_short", "ghp_…"),
            ("secret", "…"),
            ("0123456789abcdef", "…cdef"),
        ] {
            let header = format!("Bearer {value}");
            assert_eq!(
                hint(header.as_bytes()).as_deref(),
                Some(expected),
                "{value}"
            );
        }
        assert_eq!(hint(b"Digest x"), None);
    }

    #[test]
    fn what_is_no_credential_of_ours_is_hidden_whole() {
        for value in ["secret", "Digest secret", "Bearer"] {
            let value = HeaderValue::from_static(value);
            let redacted = redacted(&header::AUTHORIZATION, &value);
            let redacted = String::from_utf8_lossy(&redacted).into_owned();
            assert!(!redacted.contains("secret"), "{redacted}");
        }
    }
}
