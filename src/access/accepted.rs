//! The accepted permissions and scopes of an operation, in the format of GitHub's headers.

use crate::contract::operation::{Grant, Rule};

impl Rule {
    /// The value of `X-Accepted-GitHub-Permissions`: alternatives between
    /// semicolons, each a list of what is needed together.
    pub fn accepted_permissions(&self) -> String {
        let format_grant = |(name, level): Grant| format!("{name}={}", level.as_str());
        let needed = [self.permission, self.and_permission];
        let needed: Vec<_> = needed.into_iter().flatten().map(format_grant).collect();
        if needed.is_empty() {
            return "allows_permissionless_access=true".to_owned();
        }
        let needed = needed.join(",");
        match (
            self.or_permission.map(format_grant),
            self.may_need.map(format_grant),
        ) {
            (Some(alternative), _) => format!("{needed}; {alternative}"),
            (None, Some(more)) => format!("{needed}; {needed},{more}"),
            (None, None) => needed,
        }
    }

    /// The value of `X-Accepted-OAuth-Scopes`.
    pub fn accepted_scopes(&self) -> String {
        self.shown_scopes.unwrap_or(self.scopes).join(", ")
    }
}
