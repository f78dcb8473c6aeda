//! The token. It is sent to one server, and written nowhere.

use std::fmt;

use reqwest::header::HeaderValue;

/// A token. Neither `Debug` nor an error shows it.
#[derive(Clone)]
pub struct ApiToken(String);

impl ApiToken {
    /// A token from an environment variable.
    pub fn new(value: &str) -> Result<Self, &'static str> {
        let value = value.trim();
        match !value.is_empty() && value.chars().all(|c| c.is_ascii_graphic()) {
            true => Ok(Self(value.to_owned())),
            false => Err("is not a token: expected printable characters without spaces"),
        }
    }

    pub(crate) fn header(&self) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    pub(crate) fn value(&self) -> &str {
        &self.0
    }

    /// A text of another program or of the server, without the token.
    pub(crate) fn masked(&self, text: &str) -> String {
        text.replace(&self.0, "***")
    }
}

impl fmt::Debug for ApiToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_not_shown() {
        let token = ApiToken::new(" ghp_secret\n").unwrap();
        assert_eq!(
            format!("{token:?} {:?}", token.header()),
            "Token(***) Some(Sensitive)"
        );
        assert_eq!(token.masked("bad token ghp_secret"), "bad token ***");
        assert!(ApiToken::new("").is_err());
        assert!(ApiToken::new("a\nb").is_err());
    }
}
