//! The specification's permission table as data, a row for each operation, and
//! the only place where it is decided (Spec, Authentication; for the silences,
//! `openapi/decisions.md`). What a row means for a given thing is worked out in
//! the neighbouring files; what a row says is visible to callers in the
//! `X-Accepted-OAuth-Scopes` and `X-Accepted-GitHub-Permissions` headers.

use crate::contract::caller::{Caller, Level, Permissions};

/// Every operation that the table speaks of, by the name it has everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    ListOrgProjectFields,
    AddOrgProjectField,
    GetOrgProjectField,
    ListUserProjectFields,
    AddUserProjectField,
    GetUserProjectField,
    ListIssueFields,
    CreateIssueField,
    UpdateIssueField,
    DeleteIssueField,
    ListRepoReviewComments,
    GetReviewComment,
    UpdateReviewComment,
    DeleteReviewComment,
    ListPullReviewComments,
    CreateReviewComment,
    ReplyToReviewComment,
    ListMatchingRefs,
    GetRef,
    CreateRef,
    UpdateRef,
    DeleteRef,
    GetCommit,
    GetTag,
    ListInstallationRepositories,
    RevokeInstallationToken,
    ListUserInstallations,
    ListUserInstallationRepositories,
    AddInstallationRepository,
    RemoveInstallationRepository,
    GetRepository,
    GetRepositoryById,
    GetPull,
    GetOrgProject,
    GetUserProject,
    GetAuthenticatedUser,
    GetUser,
    GetOrganization,
}

/// The kinds of token that an operation works with at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinds {
    pub classic: bool,
    pub oauth: bool,
    pub fine_grained: bool,
    pub app_user: bool,
    pub installation: bool,
}

const EVERY: Kinds = Kinds {
    classic: true,
    oauth: true,
    fine_grained: true,
    app_user: true,
    installation: true,
};
/// Authentication, rule 5: user-owned projects.
const SCOPED: Kinds = Kinds {
    fine_grained: false,
    app_user: false,
    installation: false,
    ..EVERY
};
/// Authentication, rule 6: adding to and removing from an installation.
const CLASSIC: Kinds = Kinds {
    oauth: false,
    ..SCOPED
};
/// Tokens with a user behind them.
const USERS: Kinds = Kinds {
    installation: false,
    ..EVERY
};
const APP_USER: Kinds = Kinds {
    classic: false,
    oauth: false,
    fine_grained: false,
    installation: false,
    ..EVERY
};
const INSTALLATION: Kinds = Kinds {
    classic: false,
    oauth: false,
    fine_grained: false,
    app_user: false,
    ..EVERY
};

impl Kinds {
    pub fn include(self, caller: &Caller) -> bool {
        match caller {
            Caller::Anonymous | Caller::App { .. } => false,
            Caller::Classic { .. } => self.classic,
            Caller::OAuth { .. } => self.oauth,
            Caller::FineGrained { .. } => self.fine_grained,
            Caller::AppUser { .. } => self.app_user,
            Caller::Installation { .. } => self.installation,
        }
    }
}

/// What the user behind a token must be to the thing in question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// Able to see it.
    Reader,
    /// Allowed to push to it, or a member of the organization that owns it.
    Writer,
    /// An administrator of it.
    Administrator,
}

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    pub operation: Operation,
    /// The operation id.
    pub name: &'static str,
    /// Whether public things are served without a credential.
    pub anonymous: bool,
    pub kinds: Kinds,
    /// What a fine-grained or app token must be granted.
    pub permission: Option<(&'static str, Level)>,
    /// One of these is what a classic or OAuth token must have for private things.
    pub scopes: &'static [&'static str],
    pub standing: Standing,
}

impl Rule {
    /// Whether the operation changes nothing.
    pub fn reads_only(&self) -> bool {
        self.permission
            .is_none_or(|(_, level)| level == Level::Read)
            && self.standing == Reader
    }

    /// Whether a fine-grained or app token was granted what the operation takes.
    pub fn is_granted(&self, granted: &Permissions) -> bool {
        let has = |name: &str, level: Level| granted.get(name).is_some_and(|held| *held >= level);
        self.permission.is_none_or(|(name, level)| has(name, level))
            || (self.operation == Operation::GetPull && has("contents", Level::Read))
    }
}

/// The permission that nobody has to ask for: every fine-grained token, app and
/// installation can read metadata, unless a world says `none`.
pub const METADATA: &str = "metadata";

const READ_PROJECT: &[&str] = &["read:project"];
const PROJECT: &[&str] = &["project"];
const READ_ORG: &[&str] = &["read:org"];
const ADMIN_ORG: &[&str] = &["admin:org"];
const REPO: &[&str] = &["repo"];
const NONE: &[&str] = &[];

const fn row(
    operation: Operation,
    name: &'static str,
    anonymous: bool,
    kinds: Kinds,
    permission: Option<(&'static str, Level)>,
    scopes: &'static [&'static str],
    standing: Standing,
) -> Rule {
    Rule {
        operation,
        name,
        anonymous,
        kinds,
        permission,
        scopes,
        standing,
    }
}

const fn read(name: &'static str) -> Option<(&'static str, Level)> {
    Some((name, Level::Read))
}

const fn write(name: &'static str) -> Option<(&'static str, Level)> {
    Some((name, Level::Write))
}

use Operation as Op;
use Standing::{Administrator, Reader, Writer};

/// The table.
#[rustfmt::skip]
pub const POLICY: [Rule; 38] = [
    //  operation                             operation id                            anonymous  kinds         permission                       scopes        standing
    row(Op::ListOrgProjectFields,             "list_org_project_fields",              true,      EVERY,        read("organization_projects"),   READ_PROJECT, Reader),
    row(Op::AddOrgProjectField,               "add_org_project_field",                false,     EVERY,        write("organization_projects"),  PROJECT,      Writer),
    row(Op::GetOrgProjectField,               "get_org_project_field",                true,      EVERY,        read("organization_projects"),   READ_PROJECT, Reader),
    row(Op::ListUserProjectFields,            "list_user_project_fields",             false,     SCOPED,       None,                            READ_PROJECT, Reader),
    row(Op::AddUserProjectField,              "add_user_project_field",               false,     SCOPED,       None,                            PROJECT,      Writer),
    row(Op::GetUserProjectField,              "get_user_project_field",               false,     SCOPED,       None,                            READ_PROJECT, Reader),
    row(Op::ListIssueFields,                  "list_issue_fields",                    false,     EVERY,        read("issue_fields"),            READ_ORG,     Reader),
    row(Op::CreateIssueField,                 "create_issue_field",                   false,     EVERY,        write("issue_fields"),           ADMIN_ORG,    Administrator),
    row(Op::UpdateIssueField,                 "update_issue_field",                   false,     EVERY,        write("issue_fields"),           ADMIN_ORG,    Administrator),
    row(Op::DeleteIssueField,                 "delete_issue_field",                   false,     EVERY,        write("issue_fields"),           ADMIN_ORG,    Administrator),
    row(Op::ListRepoReviewComments,           "list_repo_review_comments",            true,      EVERY,        read("pull_requests"),           REPO,         Reader),
    row(Op::GetReviewComment,                 "get_review_comment",                   true,      EVERY,        read("pull_requests"),           REPO,         Reader),
    row(Op::UpdateReviewComment,              "update_review_comment",                false,     EVERY,        write("pull_requests"),          REPO,         Reader),
    row(Op::DeleteReviewComment,              "delete_review_comment",                false,     EVERY,        write("pull_requests"),          REPO,         Reader),
    row(Op::ListPullReviewComments,           "list_pull_review_comments",            true,      EVERY,        read("pull_requests"),           REPO,         Reader),
    row(Op::CreateReviewComment,              "create_review_comment",                false,     EVERY,        write("pull_requests"),          REPO,         Reader),
    row(Op::ReplyToReviewComment,             "reply_to_review_comment",              false,     EVERY,        write("pull_requests"),          REPO,         Reader),
    row(Op::ListMatchingRefs,                 "list_matching_refs",                   true,      EVERY,        read("contents"),                REPO,         Reader),
    row(Op::GetRef,                           "get_ref",                              true,      EVERY,        read("contents"),                REPO,         Reader),
    row(Op::CreateRef,                        "create_ref",                           false,     EVERY,        write("contents"),               REPO,         Writer),
    row(Op::UpdateRef,                        "update_ref",                           false,     EVERY,        write("contents"),               REPO,         Writer),
    row(Op::DeleteRef,                        "delete_ref",                           false,     EVERY,        write("contents"),               REPO,         Writer),
    row(Op::GetCommit,                        "get_commit",                           true,      EVERY,        read("contents"),                REPO,         Reader),
    row(Op::GetTag,                           "get_tag",                              true,      EVERY,        read("contents"),                REPO,         Reader),
    row(Op::ListInstallationRepositories,     "list_installation_repositories",       false,     INSTALLATION, None,                            NONE,         Reader),
    row(Op::RevokeInstallationToken,          "revoke_installation_token",            false,     INSTALLATION, None,                            NONE,         Reader),
    row(Op::ListUserInstallations,            "list_user_installations",              false,     APP_USER,     None,                            NONE,         Reader),
    row(Op::ListUserInstallationRepositories, "list_user_installation_repositories",  false,     APP_USER,     read(METADATA),                  NONE,         Reader),
    row(Op::AddInstallationRepository,        "add_installation_repository",          false,     CLASSIC,      None,                            REPO,         Administrator),
    row(Op::RemoveInstallationRepository,     "remove_installation_repository",       false,     CLASSIC,      None,                            REPO,         Administrator),
    row(Op::GetRepository,                    "get_repository",                       true,      EVERY,        read(METADATA),                  REPO,         Reader),
    row(Op::GetRepositoryById,                "get_repository_by_id",                 true,      EVERY,        read(METADATA),                  REPO,         Reader),
    row(Op::GetPull,                          "get_pull",                             true,      EVERY,        read("pull_requests"),           REPO,         Reader),
    row(Op::GetOrgProject,                    "get_org_project",                      true,      EVERY,        read("organization_projects"),   READ_PROJECT, Reader),
    row(Op::GetUserProject,                   "get_user_project",                     false,     SCOPED,       None,                            READ_PROJECT, Reader),
    row(Op::GetAuthenticatedUser,             "get_authenticated_user",               false,     USERS,        None,                            NONE,         Reader),
    row(Op::GetUser,                          "get_user",                             true,      EVERY,        None,                            NONE,         Reader),
    row(Op::GetOrganization,                  "get_organization",                     true,      EVERY,        None,                            NONE,         Reader),
];

/// Operations that are another one by a second path, and what they are.
pub const ALIASES: [(&str, Operation); 5] = [
    ("list_refs", Op::ListMatchingRefs),
    ("list_all_matching_refs", Op::ListMatchingRefs),
    ("find_refs", Op::ListMatchingRefs),
    ("update_ref_alias", Op::UpdateRef),
    ("delete_ref_alias", Op::DeleteRef),
];

/// The row of an operation.
pub const fn rule(operation: Operation) -> &'static Rule {
    &POLICY[operation as usize]
}

/// The row with this operation id.
pub fn rule_named(name: &str) -> Option<&'static Rule> {
    let alias = ALIASES.iter().find(|alias| alias.0 == name);
    match alias {
        Some((_, operation)) => Some(rule(*operation)),
        None => POLICY.iter().find(|rule| rule.name == name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_stands_where_its_operation_looks_for_it() {
        for (index, rule) in POLICY.iter().enumerate() {
            assert_eq!(rule.operation as usize, index, "{}", rule.name);
        }
    }

    /// Operations without a row. The first five say how the service itself runs,
    /// to anybody, and look nothing up. The others are for apps alone, by a JSON
    /// web token, to which no permission, scope or role applies.
    const UNRULED: [&str; 12] = [
        "get_root",
        "get_meta",
        "get_zen",
        "list_versions",
        "get_rate_limit",
        "get_app",
        "list_app_installations",
        "get_app_installation",
        "create_installation_token",
        "get_org_installation",
        "get_user_installation",
        "get_repo_installation",
    ];

    #[test]
    fn the_table_has_exactly_the_operations_of_the_documents() {
        let mut published: Vec<_> = [crate::contract::service(), crate::contract::companion()]
            .into_iter()
            .flat_map(|document| document["paths"].as_object().into_iter().flatten())
            .flat_map(|(_, item)| item.as_object().into_iter().flatten())
            .filter_map(|(_, operation)| operation["operationId"].as_str())
            .collect();
        let aliases = ALIASES.iter().map(|alias| alias.0);
        let rows = POLICY.iter().map(|rule| rule.name);
        let mut ruled: Vec<_> = rows.chain(aliases).chain(UNRULED).collect();
        published.sort_unstable();
        ruled.sort_unstable();
        assert_eq!(published, ruled);
    }
}
