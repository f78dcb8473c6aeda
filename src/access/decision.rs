//! Decides what a token and a role together allow in a repository. The decisions are
//! pure; `repositories.rs` reads what they need.

use super::has_scope;
use super::policy::METADATA;
use crate::contract::caller::{Caller, Level, Permissions};
use crate::contract::operation::{Rule, Standing};
use crate::entities::collaborator::Permission;

/// What a token grants on a repository.
pub struct Reaching {
    /// Whether the token reaches the repository if it is private.
    pub private: bool,
    /// The grants that apply there; `None` where scopes decide instead.
    pub permissions: Option<Permissions>,
}

/// An installation has no user behind it: its grants are its role.
pub fn granted_role(reaching: &Reaching, rule: &Rule) -> Permission {
    let level = rule.permission.and_then(|(name, _)| {
        let granted = reaching.permissions.as_ref()?;
        granted.get(name).or(granted.get(METADATA)).copied()
    });
    match level {
        Some(Level::Admin | Level::Write) => Permission::Write,
        Some(Level::Read) => Permission::Read,
        // Reaching it at all is enough to know that it exists.
        None if reaching.private => Permission::Read,
        None => Permission::None,
    }
}

pub fn allowed(
    caller: &Caller,
    rule: &Rule,
    reaching: &Reaching,
    role: Permission,
    public: bool,
) -> bool {
    let needed = match rule.standing {
        Standing::Reader => Permission::Read,
        Standing::Writer => Permission::Write,
        Standing::Administrator => Permission::Admin,
    };
    let trusted = match (&reaching.permissions, caller.scopes()) {
        (Some(granted), _) => rule.is_granted(granted),
        (None, Some(scopes)) if public => has_scope(scopes, &["public_repo"]),
        (None, Some(scopes)) => has_scope(scopes, rule.scopes),
        (None, None) => false,
    };
    rule.kinds.include(caller) && trusted && role >= needed
}

/// Classic and OAuth tokens have the scope `workflow` for it, the others the
/// permission `workflows`.
pub fn may_change_workflows(caller: &Caller, reaching: &Reaching) -> bool {
    match (&reaching.permissions, caller.scopes()) {
        (Some(granted), _) => granted
            .get("workflows")
            .is_some_and(|level| *level >= Level::Write),
        (None, Some(scopes)) => has_scope(scopes, &["workflow"]),
        (None, None) => false,
    }
}

pub fn words_for(rule: &Rule) -> &'static str {
    match rule.standing {
        Standing::Administrator => "Must have admin rights to Repository.",
        Standing::Reader | Standing::Writer => "Must have push access to repository",
    }
}
