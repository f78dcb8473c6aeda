//! Decides what a token and a role together allow in a repository. The decisions are pure;
//! `repositories.rs` reads the data that they need.

use super::denial::{DenialReason, NoAccess};
use super::{access_denied, has_scope};
use contract::caller::{Caller, Level, Permissions};
use contract::operation::{RequiredRole, Rule, write};
use contract::problem::Problem;
use storage::entities::collaborator::Permission;

/// The permission that is granted by default: every fine-grained token, app and
/// installation can read metadata, unless a world says `none`.
pub const METADATA: &str = "metadata";

/// What a token grants on a repository.
#[derive(Debug)]
pub struct TokenAccess {
    /// Why the token cannot access the repository if it is private.
    pub no_access: Option<NoAccess>,
    /// The grants that apply there; `None` where scopes decide instead.
    pub permissions: Option<Permissions>,
    /// The installation whose grants they are, if they are not the token's own.
    pub installation: Option<i64>,
}

impl TokenAccess {
    pub fn nothing(reason: NoAccess) -> Self {
        Self {
            no_access: Some(reason),
            permissions: Some(Permissions::new()),
            installation: None,
        }
    }

    pub fn with(permissions: Permissions, installation: Option<i64>) -> Self {
        Self {
            no_access: None,
            permissions: Some(permissions),
            installation,
        }
    }

    /// The reason to refuse a token that lacks a permission.
    pub fn permission_denial(&self) -> DenialReason {
        DenialReason::Permission {
            installation: self.installation,
            granted: self.permissions.clone().unwrap_or_default(),
        }
    }
}

/// The role of an installation follows from its grants: it has no user.
pub fn granted_role(token_access: &TokenAccess, rule: &Rule) -> Permission {
    let granted = |name| token_access.permissions.as_ref()?.get(name).copied();
    let permissions = [rule.permission, rule.or_permission].into_iter().flatten();
    let level = permissions.filter_map(|(name, _)| granted(name)).max();
    let level = level.or_else(|| rule.permission.and_then(|_| granted(METADATA)));
    match level {
        Some(Level::Admin | Level::Write) => Permission::Write,
        Some(Level::Read) => Permission::Read,
        // Access of any kind is enough to know that it exists.
        None if token_access.no_access.is_none() => Permission::Read,
        None => Permission::None,
    }
}

/// Whether the caller may use the operation, or what it lacks.
pub fn check_access(
    caller: &Caller,
    rule: &Rule,
    token_access: &TokenAccess,
    role: Permission,
    public: bool,
) -> Result<(), DenialReason> {
    let needed = match rule.role {
        RequiredRole::Reader => Permission::Read,
        RequiredRole::Triager => Permission::Triage,
        RequiredRole::Writer => Permission::Write,
        RequiredRole::Administrator => Permission::Admin,
    };
    if !rule.kinds.include(caller) {
        return Err(match &token_access.no_access {
            Some(reason @ NoAccess::AppItself) => reason.clone().into(),
            _ => DenialReason::of_kind(caller),
        });
    }
    match (&token_access.permissions, caller.scopes()) {
        (Some(granted), _) if rule.is_granted(granted) => {}
        (Some(_), _) => {
            let reason = token_access.no_access.clone().map(DenialReason::from);
            return Err(reason.unwrap_or_else(|| token_access.permission_denial()));
        }
        (None, Some(scopes)) => {
            let public_scope = public && has_scope(scopes, &["public_repo"]);
            if !public_scope && !has_scope(scopes, rule.scopes) {
                let accepted: &[&str] = match public {
                    true => &["public_repo"],
                    false => rule.scopes,
                };
                return Err(DenialReason::Scope(accepted));
            }
        }
        (None, None) => return Err(DenialReason::of_kind(caller)),
    }
    if role < needed {
        let found = role;
        return Err(DenialReason::Role { needed, found });
    }
    Ok(())
}

/// The permission that a token lacks although it has the alternative to it, as the row of the
/// operation with this permission alone.
pub fn missing_alternative(rule: &Rule, token_access: &TokenAccess) -> Option<Rule> {
    let granted = token_access.permissions.as_ref()?;
    let alternatives = [rule.permission?, rule.or_permission?];
    let mut alone = alternatives.into_iter().map(|permission| Rule {
        permission: Some(permission),
        or_permission: None,
        ..*rule
    });
    alone.find(|rule| !rule.is_granted(granted))
}

/// Classic and OAuth tokens need the scope `workflow`, the others the
/// permission `workflows`.
pub fn may_change_workflows(caller: &Caller, token_access: &TokenAccess) -> bool {
    match (&token_access.permissions, caller.scopes()) {
        (Some(granted), _) => granted
            .get("workflows")
            .is_some_and(|level| *level >= Level::Write),
        (None, Some(scopes)) => has_scope(scopes, &["workflow"]),
        (None, None) => false,
    }
}

/// What creating the labels that an issue gets requires. Unlike for `create_label`, the
/// permission for pull requests is not enough.
pub const CREATE_LABELS: Rule = Rule {
    permission: write("issues"),
    role: RequiredRole::Writer,
    ..Rule::TOKEN
};

/// Why the caller may not create the labels that an issue gets, if so.
pub fn label_denial(token_access: &TokenAccess, role: Permission) -> Option<DenialReason> {
    let needed = Permission::Write;
    match &token_access.permissions {
        _ if role < needed => Some(DenialReason::Role {
            needed,
            found: role,
        }),
        Some(granted) if !CREATE_LABELS.is_granted(granted) => {
            Some(token_access.permission_denial())
        }
        _ => None,
    }
}

/// The error for a caller that lacks something.
pub fn forbidden(caller: &Caller, rule: &Rule, reason: &DenialReason) -> Problem {
    if *reason == DenialReason::Kind && !rule.wrong_kind.is_empty() {
        return Problem::Forbidden(rule.wrong_kind.into());
    }
    let message = match rule.role {
        RequiredRole::Administrator => "Must have admin rights to Repository.",
        RequiredRole::Reader | RequiredRole::Triager | RequiredRole::Writer => {
            "Must have push access to repository"
        }
    };
    access_denied(caller, message)
}
