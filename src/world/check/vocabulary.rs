//! The words of permissions and scopes. GitHub has more of them than this service
//! enforces; a world may name them all, because clients show them.

use super::unique::Unique;
use crate::access::policy::METADATA;
use crate::world::findings::{Finding, Findings, one_of, quoted};
use crate::world::node::At;

/// Denies what is granted otherwise.
pub const NO_PERMISSION: &str = "none";

/// The specification's permission table in snake case.
pub const TOKEN_PERMISSIONS: &[&str] = &[
    "organization_projects",
    "issue_fields",
    "pull_requests",
    "contents",
    "workflows",
    METADATA,
];

/// What an app can ask for on GitHub, beside the permissions of the table above.
const OTHER_APP_PERMISSIONS: &[&str] = &[
    "actions",
    "administration",
    "attestations",
    "checks",
    "codespaces",
    "dependabot_secrets",
    "deployments",
    "discussions",
    "email_addresses",
    "environments",
    "followers",
    "git_ssh_keys",
    "gpg_keys",
    "interaction_limits",
    "issues",
    "members",
    "merge_queues",
    "organization_administration",
    "organization_announcement_banners",
    "organization_custom_org_roles",
    "organization_custom_properties",
    "organization_custom_roles",
    "organization_events",
    "organization_hooks",
    "organization_packages",
    "organization_personal_access_token_requests",
    "organization_personal_access_tokens",
    "organization_plan",
    "organization_secrets",
    "organization_self_hosted_runners",
    "organization_user_blocking",
    "packages",
    "pages",
    "profile",
    "repository_custom_properties",
    "repository_hooks",
    "repository_projects",
    "secret_scanning_alerts",
    "secrets",
    "security_events",
    "single_file",
    "starring",
    "statuses",
    "vulnerability_alerts",
];

pub const SCOPES: &[&str] = &[
    "admin:gpg_key",
    "admin:org",
    "admin:org_hook",
    "admin:public_key",
    "admin:repo_hook",
    "admin:ssh_signing_key",
    "audit_log",
    "codespace",
    "copilot",
    "delete:packages",
    "delete_repo",
    "gist",
    "notifications",
    "project",
    "public_repo",
    "read:audit_log",
    "read:gpg_key",
    "read:org",
    "read:packages",
    "read:project",
    "read:public_key",
    "read:repo_hook",
    "read:ssh_signing_key",
    "read:user",
    "repo",
    "repo:invite",
    "repo:status",
    "repo_deployment",
    "security_events",
    "user",
    "user:email",
    "user:follow",
    "workflow",
    "write:gpg_key",
    "write:org",
    "write:packages",
    "write:public_key",
    "write:repo_hook",
    "write:ssh_signing_key",
];

pub fn token_permission(name: &At<String>, level: &At<String>, findings: &mut Findings) {
    if TOKEN_PERMISSIONS.contains(&name.value.as_str()) {
        permission_level(name, level, findings);
    } else {
        let nearest = findings.nearest(&name.value, TOKEN_PERMISSIONS.iter().copied());
        findings.push(
            unknown_permission(name)
                .expected(one_of(TOKEN_PERMISSIONS))
                .nearest(nearest),
        );
    }
}

pub fn app_permission(name: &At<String>, level: &At<String>, findings: &mut Findings) {
    let known = || {
        TOKEN_PERMISSIONS
            .iter()
            .chain(OTHER_APP_PERMISSIONS)
            .copied()
    };
    if known().any(|word| word == name.value) {
        permission_level(name, level, findings);
    } else {
        let nearest = findings.nearest(&name.value, known());
        findings.push(
            unknown_permission(name)
                .expected("a permission of an app")
                .nearest(nearest),
        );
    }
}

fn unknown_permission(name: &At<String>) -> Finding {
    Finding::at(
        name.place,
        format!("unknown permission {}", quoted(&name.value)),
    )
}

/// `workflows` can only be written, `metadata` can be read unless it is denied, and only
/// a few permissions have a third level.
fn permission_level(name: &At<String>, level: &At<String>, findings: &mut Findings) {
    let levels: &[&str] = match name.value.as_str() {
        "workflows" => &["write"],
        METADATA => &[NO_PERMISSION, "read", "write"],
        "organization_projects" | "repository_projects" | "organization_custom_properties" => {
            &["read", "write", "admin"]
        }
        _ => &["read", "write"],
    };
    if levels.contains(&level.value.as_str()) {
        return;
    }
    let nearest = findings.nearest(&level.value, levels.iter().copied());
    findings.push(
        Finding::at(
            level.place,
            format!("wrong level for {}", quoted(&name.value)),
        )
        .expected(one_of(levels))
        .found(quoted(&level.value))
        .nearest(nearest),
    );
}

pub fn scopes(scopes: &[At<String>], findings: &mut Findings) {
    let mut taken = Unique::new("scope");
    for scope in scopes {
        taken.claim(&scope.value, &scope.value, scope.place, findings);
        if !SCOPES.contains(&scope.value.as_str()) {
            let nearest = findings.nearest(&scope.value, SCOPES.iter().copied());
            findings.push(
                Finding::at(
                    scope.place,
                    format!("unknown scope {}", quoted(&scope.value)),
                )
                .expected("a scope of a classic token such as `repo`")
                .nearest(nearest),
            );
        }
    }
}
