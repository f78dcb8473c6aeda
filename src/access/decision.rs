//! Decides what a token and a role together allow in a repository. The decisions are
//! pure; `repositories.rs` reads what they need.

use super::has_scope;
use super::lack::{Lack, Unreached};
use super::policy::METADATA;
use crate::contract::caller::{Caller, Level, Permissions};
use crate::contract::operation::{Rule, Standing};
use crate::entities::collaborator::Permission;

/// What a token grants on a repository.
pub struct Reaching {
    /// Why the token does not reach the repository if it is private.
    pub unreached: Option<Unreached>,
    /// The grants that apply there; `None` where scopes decide instead.
    pub permissions: Option<Permissions>,
    /// The installation whose grants they are, if they are not the token's own.
    pub installation: Option<i64>,
}

impl Reaching {
    pub fn nothing(reason: Unreached) -> Self {
        Self {
            unreached: Some(reason),
            permissions: Some(Permissions::new()),
            installation: None,
        }
    }

    pub fn with(permissions: Permissions, installation: Option<i64>) -> Self {
        Self {
            unreached: None,
            permissions: Some(permissions),
            installation,
        }
    }
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
        None if reaching.unreached.is_none() => Permission::Read,
        None => Permission::None,
    }
}

/// Whether the caller may, or what is lacking.
pub fn allowed(
    caller: &Caller,
    rule: &Rule,
    reaching: &Reaching,
    role: Permission,
    public: bool,
) -> Result<(), Lack> {
    let needed = match rule.standing {
        Standing::Reader => Permission::Read,
        Standing::Writer => Permission::Write,
        Standing::Administrator => Permission::Admin,
    };
    if !rule.kinds.include(caller) {
        return Err(match &reaching.unreached {
            Some(reason @ Unreached::AppItself) => reason.clone().into(),
            _ => Lack::of_kind(caller),
        });
    }
    match (&reaching.permissions, caller.scopes()) {
        (Some(granted), _) if rule.is_granted(granted) => {}
        (Some(_), _) => {
            let ungranted = || Lack::Permission {
                installation: reaching.installation,
            };
            let reason = reaching.unreached.clone();
            return Err(reason.map_or_else(ungranted, Lack::from));
        }
        (None, Some(scopes)) => {
            let wanted: &[&str] = if public {
                &["public_repo"]
            } else {
                rule.scopes
            };
            if !has_scope(scopes, wanted) {
                return Err(Lack::Scope(wanted));
            }
        }
        (None, None) => return Err(Lack::of_kind(caller)),
    }
    if role < needed {
        let found = role;
        return Err(Lack::Role { needed, found });
    }
    Ok(())
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
