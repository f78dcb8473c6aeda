//! The names of permissions and scopes. GitHub has more of them than this service
//! enforces; apps and tokens may have them all, because clients show them.

use crate::access::METADATA;

/// Denies a permission that is granted by default.
pub const NO_PERMISSION: &str = "none";

/// The specification's permission table in snake case.
pub const TOKEN_PERMISSIONS: &[&str] = &[
    "organization_projects",
    "issue_fields",
    "issues",
    "pull_requests",
    "checks",
    "contents",
    "statuses",
    "workflows",
    METADATA,
];

/// Permissions that an app can request on GitHub, in addition to the table above.
pub const OTHER_APP_PERMISSIONS: &[&str] = &[
    "actions",
    "administration",
    "attestations",
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

/// The levels of a permission: `workflows` can only be written, `metadata` can be read
/// unless it is denied, and only a few permissions have a third level.
pub fn levels(permission: &str) -> &'static [&'static str] {
    match permission {
        "workflows" => &["write"],
        METADATA => &[NO_PERMISSION, "read", "write"],
        "organization_projects" | "repository_projects" | "organization_custom_properties" => {
            &["read", "write", "admin"]
        }
        _ => &["read", "write"],
    }
}
