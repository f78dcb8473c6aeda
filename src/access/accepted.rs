//! What a row of the table tells callers, in the words that GitHub has been recorded to
//! use.

use crate::contract::operation::{Grant, Rule};

impl Rule {
    /// The value of `X-Accepted-GitHub-Permissions`: alternatives between
    /// semicolons, each a list of what is needed together.
    pub fn accepted_permissions(&self) -> String {
        let shown = |(name, level): Grant| format!("{name}={}", level.word());
        let Some(needed) = self.permission.map(shown) else {
            return "allows_permissionless_access=true".to_owned();
        };
        match (self.or_permission.map(shown), self.may_need.map(shown)) {
            (Some(instead), _) => format!("{needed}; {instead}"),
            (None, Some(more)) => format!("{needed}; {needed},{more}"),
            (None, None) => needed,
        }
    }

    /// The value of `X-Accepted-OAuth-Scopes`.
    pub fn accepted_scopes(&self) -> String {
        self.shown_scopes.unwrap_or(self.scopes).join(", ")
    }
}
