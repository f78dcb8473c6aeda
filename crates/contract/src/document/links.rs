//! OpenAPI links from what one operation created, found or changed to the operations on it.
//! poem-openapi cannot express them. Clients and contract fuzzing follow them.
//!
//! OpenAPI has no expression to remove `refs/` from the name of a new reference, so those
//! links omit `ref` and describe it in words.

use serde_json::{Map, Value, json};

/// Links from the responses of some operations to other operations, with their arguments.
struct Links {
    from: &'static [&'static str],
    status: &'static str,
    to: &'static [&'static str],
    with: &'static [Argument],
}

/// A parameter, and the expression for its value.
type Argument = (&'static str, &'static str);

const fn after(
    from: &'static [&'static str],
    status: &'static str,
    to: &'static [&'static str],
    with: &'static [Argument],
) -> Links {
    Links {
        from,
        status,
        to,
        with,
    }
}

/// The operation whose links omit `ref`.
const NEW_REF: &str = "create_ref";

const OWNER: Argument = ("owner", "$request.path.owner");
const REPO: Argument = ("repo", "$request.path.repo");
const ORG: Argument = ("org", "$request.path.org");
const USERNAME: Argument = ("username", "$request.path.username");
const PROJECT: Argument = ("project_number", "$request.path.project_number");
const PULL: Argument = ("pull_number", "$request.path.pull_number");
const NEW_PULL: Argument = ("pull_number", "$response.body#/number");
const FIRST_PULL: Argument = ("pull_number", "$response.body#/0/number");
const REVIEW: Argument = ("review_id", "$response.body#/id");
const FIRST_REVIEW: Argument = ("review_id", "$response.body#/0/id");
const COMMENT: Argument = ("comment_id", "$response.body#/id");
const FIRST_COMMENT: Argument = ("comment_id", "$response.body#/0/id");
const FIELD: Argument = ("field_id", "$response.body#/id");
const FIRST_FIELD: Argument = ("field_id", "$response.body#/0/id");
const ITEM: Argument = ("item_id", "$response.body#/id");
const FIRST_ITEM: Argument = ("item_id", "$response.body#/0/id");
const ISSUE_FIELD: Argument = ("issue_field_id", "$response.body#/id");
const FIRST_ISSUE_FIELD: Argument = ("issue_field_id", "$response.body#/0/id");
const REF: Argument = ("ref", "$request.path.ref");
const SAME_INSTALLATION: Argument = ("installation_id", "$request.path.installation_id");
const INSTALLATION: Argument = ("installation_id", "$response.body#/id");
const FIRST_INSTALLATION: Argument = ("installation_id", "$response.body#/0/id");
const SAME_REPOSITORY: Argument = ("repository_id", "$request.path.repository_id");

/// The operations on a pull request.
const ON_PULL: &[&str] = &[
    "update_pull",
    "list_pull_files",
    "list_pull_commits",
    "is_pull_merged",
    "merge_pull",
    "update_pull_branch",
    "list_reviews",
    "create_review",
];

const LINKS: &[Links] = &[
    after(
        &["list_org_project_fields"],
        "200",
        &["get_org_project_field"],
        &[ORG, PROJECT, FIRST_FIELD],
    ),
    after(
        &["add_org_project_field"],
        "201",
        &["get_org_project_field"],
        &[ORG, PROJECT, FIELD],
    ),
    after(
        &["list_user_project_fields"],
        "200",
        &["get_user_project_field"],
        &[USERNAME, PROJECT, FIRST_FIELD],
    ),
    after(
        &["add_user_project_field"],
        "201",
        &["get_user_project_field"],
        &[USERNAME, PROJECT, FIELD],
    ),
    after(
        &["list_org_project_items"],
        "200",
        &["get_org_project_item"],
        &[ORG, PROJECT, FIRST_ITEM],
    ),
    after(
        &["add_org_project_item", "create_org_project_draft"],
        "201",
        &[
            "get_org_project_item",
            "update_org_project_item",
            "delete_org_project_item",
        ],
        &[ORG, PROJECT, ITEM],
    ),
    after(
        &["list_user_project_items"],
        "200",
        &["get_user_project_item"],
        &[USERNAME, PROJECT, FIRST_ITEM],
    ),
    after(
        &["add_user_project_item"],
        "201",
        &[
            "get_user_project_item",
            "update_user_project_item",
            "delete_user_project_item",
        ],
        &[USERNAME, PROJECT, ITEM],
    ),
    after(
        &["list_issue_fields"],
        "200",
        &["update_issue_field"],
        &[ORG, FIRST_ISSUE_FIELD],
    ),
    after(
        &["create_issue_field"],
        "200",
        &["update_issue_field", "delete_issue_field"],
        &[ORG, ISSUE_FIELD],
    ),
    after(
        &["update_issue_field"],
        "200",
        &["delete_issue_field"],
        &[ORG, ISSUE_FIELD],
    ),
    after(
        &["list_repo_issue_comments", "list_issue_comments"],
        "200",
        &["get_issue_comment"],
        &[OWNER, REPO, FIRST_COMMENT],
    ),
    after(
        &["create_issue_comment"],
        "201",
        &[
            "get_issue_comment",
            "update_issue_comment",
            "delete_issue_comment",
        ],
        &[OWNER, REPO, COMMENT],
    ),
    after(
        &["update_issue_comment"],
        "200",
        &["get_issue_comment", "delete_issue_comment"],
        &[OWNER, REPO, COMMENT],
    ),
    after(
        &["list_repo_review_comments", "list_pull_review_comments"],
        "200",
        &["get_review_comment"],
        &[OWNER, REPO, FIRST_COMMENT],
    ),
    after(
        &["create_review_comment", "reply_to_review_comment"],
        "201",
        &[
            "get_review_comment",
            "update_review_comment",
            "delete_review_comment",
        ],
        &[OWNER, REPO, COMMENT],
    ),
    after(
        &["create_review_comment"],
        "201",
        &["reply_to_review_comment"],
        &[OWNER, REPO, PULL, COMMENT],
    ),
    after(
        &["update_review_comment"],
        "200",
        &["get_review_comment", "delete_review_comment"],
        &[OWNER, REPO, COMMENT],
    ),
    after(
        &[NEW_REF],
        "201",
        &["get_ref", "update_ref", "delete_ref"],
        &[OWNER, REPO],
    ),
    after(
        &["update_ref"],
        "200",
        &["get_ref", "delete_ref"],
        &[OWNER, REPO, REF],
    ),
    after(
        &["list_user_installations"],
        "200",
        &["list_user_installation_repositories"],
        &[("installation_id", "$response.body#/installations/0/id")],
    ),
    after(
        &["add_installation_repository"],
        "204",
        &["remove_installation_repository"],
        &[SAME_INSTALLATION, SAME_REPOSITORY],
    ),
    after(
        &["remove_installation_repository"],
        "204",
        &["add_installation_repository"],
        &[SAME_INSTALLATION, SAME_REPOSITORY],
    ),
    after(
        &["list_app_installations"],
        "200",
        &["get_app_installation", "create_installation_token"],
        &[FIRST_INSTALLATION],
    ),
    after(
        &[
            "get_org_installation",
            "get_user_installation",
            "get_repo_installation",
        ],
        "200",
        &["get_app_installation", "create_installation_token"],
        &[INSTALLATION],
    ),
    after(
        &["list_refs", "list_all_matching_refs"],
        "200",
        &["get_commit"],
        &[OWNER, REPO, ("commit_sha", "$response.body#/0/object/sha")],
    ),
    after(
        &["get_commit"],
        "200",
        &["get_commit"],
        &[OWNER, REPO, ("commit_sha", "$response.body#/parents/0/sha")],
    ),
    after(
        &["list_pulls"],
        "200",
        &["get_pull"],
        &[OWNER, REPO, FIRST_PULL],
    ),
    after(
        &["create_pull"],
        "201",
        &["get_pull"],
        &[OWNER, REPO, NEW_PULL],
    ),
    after(&["create_pull"], "201", ON_PULL, &[OWNER, REPO, NEW_PULL]),
    after(&["get_pull"], "200", ON_PULL, &[OWNER, REPO, PULL]),
    after(
        &["merge_pull"],
        "200",
        &["is_pull_merged"],
        &[OWNER, REPO, PULL],
    ),
    after(
        &["list_reviews"],
        "200",
        &["get_review", "list_comments_for_review"],
        &[OWNER, REPO, PULL, FIRST_REVIEW],
    ),
    after(
        &["create_review"],
        "200",
        &[
            "get_review",
            "update_review",
            "submit_review",
            "dismiss_review",
            "delete_pending_review",
            "list_comments_for_review",
        ],
        &[OWNER, REPO, PULL, REVIEW],
    ),
    after(
        &["submit_review"],
        "200",
        &["get_review", "dismiss_review"],
        &[OWNER, REPO, PULL, REVIEW],
    ),
    after(
        &["create_commit_status"],
        "201",
        &[
            "list_commit_statuses_for_ref",
            "get_combined_status_for_ref",
        ],
        &[OWNER, REPO, ("ref", "$request.path.sha")],
    ),
    after(
        &["create_commit_status"],
        "201",
        &["list_commit_statuses"],
        &[OWNER, REPO, ("sha", "$request.path.sha")],
    ),
    after(
        &["create_check_run"],
        "201",
        &[
            "get_check_run",
            "update_check_run",
            "list_check_run_annotations",
        ],
        &[OWNER, REPO, ("check_run_id", "$response.body#/id")],
    ),
    after(
        &["create_check_run"],
        "201",
        &["get_check_suite", "list_check_runs_for_suite"],
        &[
            OWNER,
            REPO,
            ("check_suite_id", "$response.body#/check_suite/id"),
        ],
    ),
    after(
        &["create_blob"],
        "201",
        &["get_blob"],
        &[OWNER, REPO, ("file_sha", "$response.body#/sha")],
    ),
    after(
        &["create_tree"],
        "201",
        &["get_tree"],
        &[OWNER, REPO, ("tree_sha", "$response.body#/sha")],
    ),
    after(
        &["create_commit"],
        "201",
        &["get_commit"],
        &[OWNER, REPO, ("commit_sha", "$response.body#/sha")],
    ),
    after(
        &["create_tag"],
        "201",
        &["get_tag"],
        &[OWNER, REPO, ("tag_sha", "$response.body#/sha")],
    ),
    after(
        &["list_app_hook_deliveries"],
        "200",
        &["get_app_hook_delivery", "redeliver_app_hook_delivery"],
        &[("delivery_id", "$response.body#/0/id")],
    ),
    after(
        &["get_repository"],
        "200",
        &["get_repository_by_id"],
        &[("repository_id", "$response.body#/id")],
    ),
    after(
        &["get_authenticated_user"],
        "200",
        &["get_user"],
        &[("username", "$response.body#/login")],
    ),
];

/// Adds the links of a document's operations to their responses.
pub fn link(document: &mut Value) {
    let paths = document["paths"].as_object_mut().into_iter().flatten();
    let items = paths.filter_map(|(_, item)| item.as_object_mut());
    for (_, operation) in items.flatten() {
        let id = operation["operationId"].clone();
        let from_here = |links: &&Links| links.from.iter().any(|from| id == *from);
        for links in LINKS.iter().filter(from_here) {
            let response = &mut operation["responses"][links.status];
            for target in links.to {
                response["links"][target] = link_to(target, links);
            }
        }
    }
}

fn link_to(target: &str, links: &Links) -> Value {
    let arguments = links.with.iter();
    let parameters: Map<_, _> = arguments
        .map(|(name, expression)| ((*name).to_owned(), (*expression).into()))
        .collect();
    let mut link = json!({"operationId": target, "parameters": parameters});
    if links.from.contains(&NEW_REF) {
        link["description"] = "`ref` is the part of the response's `ref` after `refs/`.".into();
    }
    link
}

#[cfg(test)]
mod tests;
