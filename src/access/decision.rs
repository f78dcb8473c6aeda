//! Decides what a token and a role together allow in a repository. The decisions are
//! pure; `repositories.rs` reads what they need.

use super::lack::{Lack, Unreached};
use super::policy::METADATA;
use super::{has_scope, refused};
use crate::contract::caller::{Caller, Level, Permissions};
use crate::contract::operation::{Rule, Standing};
use crate::contract::problem::Problem;
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
    let granted = |name| reaching.permissions.as_ref()?.get(name).copied();
    let named = [rule.permission, rule.or_permission].into_iter().flatten();
    let level = named.filter_map(|(name, _)| granted(name)).max();
    let level = level.or_else(|| rule.permission.and_then(|_| granted(METADATA)));
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
        Standing::Triager => Permission::Triage,
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
            let enough = public && has_scope(scopes, &["public_repo"]);
            if !enough && !has_scope(scopes, rule.scopes) {
                let wanted: &[&str] = match public {
                    true => &["public_repo"],
                    false => rule.scopes,
                };
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

/// What a caller who may not is told.
pub fn forbidden(caller: &Caller, rule: &Rule, lack: &Lack) -> Problem {
    if *lack == Lack::Kind && !rule.wrong_kind.is_empty() {
        return Problem::Forbidden(rule.wrong_kind.into());
    }
    let words = match rule.standing {
        Standing::Administrator => "Must have admin rights to Repository.",
        Standing::Reader | Standing::Triager | Standing::Writer => {
            "Must have push access to repository"
        }
    };
    refused(caller, words)
}
