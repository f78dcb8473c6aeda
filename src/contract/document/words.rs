//! The words that recur in both documents, written once: what a parameter, a
//! header or a field means wherever it stands.

use super::super::git_objects::{EXAMPLE_BLOB, EXAMPLE_TAG_SHA, EXAMPLE_TREE};
use super::super::git_refs::EXAMPLE_SHA;

/// What each path or query parameter means, wherever it stands, with a value
/// that exists in the demo world.
#[rustfmt::skip]
pub const PARAMETERS: &[(&str, &str, &str)] = &[
    ("world", "The name of the world; `main` is the one that the server was started with.", "main"),
    ("snapshot", "The name of the snapshot; `loaded` is the one that a reset goes back to.", "loaded"),
    ("entry", "The number of the request in the journal, or its request id.", "3A5C:0000:000000:00002A:69B00DD8"),
    ("method", "Only requests with this method.", ""),
    ("operation", "Only requests of this operation.", ""),
    ("caller", "Only requests of this caller: a kind such as `installation`, a login, the slug of an app, an installation's id, or a token as the journal shows it.", ""),
    ("wait", "How many seconds to wait for a match; not at all if it is left out.", ""),
    ("owner", "The account that owns the repository. The name is not case-sensitive.", "acme"),
    ("repo", "The name of the repository without `.git`. It is not case-sensitive.", "gadgets"),
    ("ref", "The Git reference: `heads/<branch name>` or `tags/<tag name>`. Slashes may stand as they are or as `%2F`.", "heads/feature/a"),
    ("commit_sha", "The SHA-1 of the commit.", EXAMPLE_SHA),
    ("tag_sha", "The SHA-1 of the tag object.", EXAMPLE_TAG_SHA),
    ("tree_sha", "The SHA-1 of the tree, or of a commit, or the name of a branch or tag.", EXAMPLE_TREE),
    ("file_sha", "The SHA-1 of the blob.", EXAMPLE_BLOB),
    ("path", "The path from the root of the repository. Slashes may stand as they are or as `%2F`.", "README.md"),
    ("dir", "The directory, by its path from the root of the repository.", "docs"),
    ("basehead", "The two commits, as `base...head` or `base..head`: names of branches or tags, or SHA-1s.", "main...feature/a"),
    ("branch", "The name of the branch. Slashes may stand as they are or as `%2F`.", "main"),
    ("protected", "Whether to return only protected branches, or only others.", ""),
    ("sha", "Where to begin: a SHA-1, or the name of a branch or tag. The default branch if it is left out.", ""),
    ("author", "Only commits of this author: a login or an e-mail address.", ""),
    ("committer", "Only commits of this committer: a login or an e-mail address.", ""),
    ("until", "Only commits that were made by this time, `YYYY-MM-DDTHH:MM:SSZ`.", ""),
    ("recursive", "Whether to return the trees below it as well. Any value does that, also `0` and `false`.", ""),
    ("org", "The name of the organization. It is not case-sensitive.", "acme"),
    ("username", "The handle of the user account. It is not case-sensitive.", "alice"),
    ("project_number", "The number of the project.", "1"),
    ("field_id", "The identifier of the field.", "5001"),
    ("item_id", "The identifier of the item.", "5501"),
    ("user_id", "The identifier of the user account.", "1001"),
    ("fields", "The fields to show, by their identifiers with commas between: `fields=123,456`, or `fields[]=123&fields[]=456`; at most 50, and 0 is the title. The title alone if it is left out.", ""),
    ("q", "What the items must be: words of their titles, and qualifiers such as `is:open`, `label:bug,docs`, `-assignee:bob`, `repo:acme/gadgets`, `no:label` or `status:\"In progress\"`. At most 1,024 characters.", ""),
    ("issue_field_id", "The identifier of the issue field.", "4001"),
    ("comment_id", "The identifier of the comment.", "9001"),
    ("reaction_id", "The identifier of the reaction.", "1"),
    ("content", "Only reactions of this kind.", ""),
    ("review_id", "The identifier of the review.", "8001"),
    ("pull_number", "The number of the pull request.", "1"),
    ("issue_number", "The number of the issue or pull request.", "3"),
    ("name", "The name of the label. It is not case-sensitive.", "bug"),
    ("assignee", "The login of the user. It is not case-sensitive.", "alice"),
    ("creator", "Only issues of this author, by login.", ""),
    ("labels", "Only issues with all of these labels: names with commas between.", ""),
    ("installation_id", "The identifier of the installation.", "7001"),
    ("repository_id", "The identifier of the repository.", "2002"),
    ("check_run_id", "The identifier of the check run.", "1"),
    ("check_suite_id", "The identifier of the check suite.", "1"),
    ("check_name", "Only check runs with this name, or suites that have one.", ""),
    ("filter", "Which check runs of the same name to return: `latest` (the default) or `all`.", ""),
    ("app_id", "Only those of this app.", ""),
    ("per_page", "How many results a page holds.", ""),
    ("page", "The number of the page.", ""),
    ("before", "A cursor from the `prev` relation of the Link header: only results before it.", ""),
    ("after", "A cursor from the `next` relation of the Link header: only results after it.", ""),
    ("cursor", "The delivery to begin with, from the `next` relation of the Link header.", ""),
    ("event", "Only deliveries of this event.", ""),
    ("action", "Only deliveries of events with this action.", ""),
    ("app", "Only deliveries to this app.", ""),
    ("fault_id", "The identifier of the fault.", "1"),
    ("delivery_id", "The identifier of the delivery.", "1"),
    ("status", "Only deliveries with this outcome.", ""),
    ("sort", "By what to sort. Without it the order is ascending by id.", ""),
    ("direction", "In which direction to sort. Ignored without `sort`.", ""),
    ("state", "Only pull requests in this state.", ""),
    ("head", "Only pull requests from this branch, as `owner:branch`.", ""),
    ("base", "Only pull requests to this branch.", ""),
    ("since", "Only results that were last updated after this time, `YYYY-MM-DDTHH:MM:SSZ`.", ""),
    ("outdated", "Accepted and ignored: no installation here is outdated.", ""),
];

/// Headers by component name, name on the wire, type and meaning.
#[rustfmt::skip]
pub const HEADERS: &[(&str, &str, &str, &str)] = &[
    ("ETag", "ETag", "string", "Identifies this very answer; send it back in `If-None-Match`."),
    ("LastModified", "Last-Modified", "string", "When the thing shown last changed, as an HTTP date, where that is known."),
    ("Link", "Link", "string", "The neighbouring pages; absent when everything fits on one."),
    ("Location", "Location", "string", "Where the new thing can be read."),
    ("PollInterval", "X-Poll-Interval", "integer", "How many seconds to wait before asking again for the same."),
    ("RateLimitLimit", "X-RateLimit-Limit", "integer", "How many requests an hour allows."),
    ("RateLimitRemaining", "X-RateLimit-Remaining", "integer", "How many of them are left."),
    ("RateLimitReset", "X-RateLimit-Reset", "integer", "When the hour ends, in Unix seconds."),
];

/// Where a parameter's usual example is none for an operation, the right one.
pub const OTHER_EXAMPLES: &[(&str, &str, &str)] = &[
    ("get_issue_comment", "comment_id", "9501"),
    ("update_issue_comment", "comment_id", "9501"),
    ("delete_issue_comment", "comment_id", "9501"),
    ("list_issue_comment_reactions", "comment_id", "9501"),
    ("create_issue_comment_reaction", "comment_id", "9501"),
    ("delete_issue_comment_reaction", "comment_id", "9501"),
    ("get_user_project_field", "field_id", "5008"),
    ("get_user_project_item", "item_id", "5503"),
    ("update_user_project_item", "item_id", "5503"),
    ("delete_user_project_item", "item_id", "5503"),
    ("get_repository_commit", "ref", "main"),
    ("get_root_content", "ref", "main"),
    ("get_content", "ref", "main"),
    ("get_readme", "ref", "main"),
    ("get_readme_in_directory", "ref", "main"),
    ("list_commit_statuses_for_ref", "ref", "main"),
    ("get_combined_status_for_ref", "ref", "main"),
    ("create_commit_status", "sha", EXAMPLE_SHA),
    ("list_commit_statuses", "sha", "main"),
    ("list_check_runs_for_ref", "ref", "main"),
    ("list_check_suites_for_ref", "ref", "main"),
    ("list_commits", "path", ""),
    ("list_journal", "path", ""),
    ("list_issues", "assignee", ""),
    ("create_or_update_file", "path", "docs/grip.md"),
];

/// Where a parameter means something else than usual.
#[rustfmt::skip]
pub const OTHER_MEANINGS: &[(&str, &str, &str)] = &[
    ("get_repository_commit", "ref", REVISION),
    ("list_commit_statuses_for_ref", "ref", REVISION),
    ("get_combined_status_for_ref", "ref", REVISION),
    ("create_commit_status", "sha", "The SHA-1 of the commit."),
    ("list_commit_statuses", "sha", REVISION),
    ("list_check_runs_for_ref", "ref", REVISION),
    ("list_check_suites_for_ref", "ref", REVISION),
    ("list_check_runs_for_ref", "status", "Only check runs with this status."),
    ("list_check_runs_for_suite", "status", "Only check runs with this status."),
    ("get_root_content", "ref", REVISION),
    ("get_content", "ref", REVISION),
    ("get_readme", "ref", REVISION),
    ("get_readme_in_directory", "ref", REVISION),
    ("list_commits", "path", "Only commits that changed this file or directory."),
    ("list_journal", "path", "Only requests whose path begins so; with `*` (any part of a segment) or `**` (any part of the path), those whose whole path fits."),
    ("list_journal", "status", "Only requests with this status, or of this class, such as `4xx`."),
    ("list_journal", "after", "Only requests that were added after the one with this number."),
    ("list_pulls", "sort", "By what to sort."),
    ("list_pulls", "direction", "In which direction to sort: `desc` by default, or `asc` with another `sort` than `created`."),
    ("list_issues", "assignee", "Only issues that are assigned to this user, by login; `none` for those of nobody, `*` for those of anybody."),
    ("list_issues", "state", "Only issues in this state."),
    ("list_issues", "sort", "By what to sort."),
    ("list_issues", "direction", "In which direction to sort: `desc` by default."),
    ("list_issues", "since", "Only issues that were updated at this time or after, `YYYY-MM-DDTHH:MM:SSZ`."),
    ("list_deliveries", "after", "Only deliveries with a greater `id` than this."),
    ("list_deliveries", "before", "Only deliveries with a smaller `id` than this."),
    ("list_commits", "since", "Only commits that were made from this time on, `YYYY-MM-DDTHH:MM:SSZ`."),
];

const REVISION: &str =
    "The commit: its SHA-1 or the beginning of it, or the name of a branch or tag.";

/// What a field means where its own type says nothing.
#[rustfmt::skip]
const FIELDS: &[(&str, &str)] = &[
    ("id", "The identifier."),
    ("node_id", "The global identifier."),
    ("name", "The name."),
    ("url", "The address of this resource in the API."),
    ("html_url", "The address of this resource for people."),
    ("created_at", "When it was made."),
    ("updated_at", "When it last changed."),
    ("href", "The address."),
    ("sha", "The SHA-1 name of the object."),
    ("total_count", "How many there are on all pages together."),
    ("description", "What it is, in words."),
    ("color", "The colour."),
    ("app_id", "The identifier of the app."),
    ("app_slug", "The name of the app, as addresses have it."),
    ("repositories", "The repositories of this page."),
    ("installations", "The installations of this page."),
    ("private", "Whether only those who were given access can see it."),
    ("fork", "Whether it was made from another repository."),
    ("homepage", "Where it presents itself."),
    ("disabled", "Whether it was disabled."),
    ("is_template", "Whether new repositories can be made from it."),
    ("topics", "The subjects that it is filed under."),
    ("default_branch", "The branch that is meant when none is named."),
    ("stargazers_count", "How many users have starred it."),
    ("watchers_count", "How many users have starred it; the same as `stargazers_count`."),
    ("forks_count", "How many repositories were made from it."),
    ("open_issues_count", "How many issues and pull requests are open."),
    ("subscribers_count", "How many users watch it."),
    ("has_issues", "Whether it has issues."),
    ("has_projects", "Whether it has projects."),
    ("has_downloads", "Whether it has downloads."),
    ("has_wiki", "Whether it has a wiki."),
    ("has_pages", "Whether it has a site of its own."),
    ("allow_squash_merge", "Whether pull requests may be squashed into one commit."),
    ("allow_merge_commit", "Whether pull requests may be merged with a commit of their own."),
    ("allow_rebase_merge", "Whether pull requests may be rebased."),
    ("allow_auto_merge", "Whether pull requests may merge themselves once they are ready."),
    ("delete_branch_on_merge", "Whether the branch of a merged pull request is deleted."),
    ("admin", "Whether the user may do everything."),
    ("maintain", "Whether the user may manage it, short of its settings."),
    ("push", "Whether the user may push."),
    ("triage", "Whether the user may manage issues and pull requests."),
    ("pull", "Whether the user may read."),
    ("laugh", "How many laugh."),
    ("hooray", "How many cheer."),
    ("confused", "How many are confused."),
    ("heart", "How many love it."),
    ("rocket", "How many are thrilled."),
    ("eyes", "How many are looking into it."),
];

/// What a field is for, by its name. Addresses and templates say where they lead.
pub fn field(name: &str) -> Option<String> {
    if let Some((_, meaning)) = FIELDS.iter().find(|field| field.0 == name) {
        return Some((*meaning).to_owned());
    }
    let subject = name.strip_suffix("_url")?;
    Some(format!(
        "Where its {} can be found.",
        subject.replace('_', " ")
    ))
}
