//! Descriptions of fields that several schemas share. A doc comment at a declaration takes
//! precedence.

use serde_json::Value;

/// Describes the fields that mean the same everywhere.
pub fn describe_fields(document: &mut Value) {
    let schemas = document["components"]["schemas"]
        .as_object_mut()
        .into_iter()
        .flatten();
    for (_, schema) in schemas {
        let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
            continue;
        };
        for (name, property) in properties {
            let bare = property.get("description").is_none() && property.get("$ref").is_none();
            if let Some(meaning) = field(name).filter(|_| bare) {
                property["description"] = meaning.into();
            }
        }
    }
}

/// The descriptions of fields without a doc comment.
#[rustfmt::skip]
const FIELDS: &[(&str, &str)] = &[
    ("id", "The identifier."),
    ("node_id", "The global identifier."),
    ("name", "The name."),
    ("url", "The API URL of the resource."),
    ("html_url", "The URL of the resource's page."),
    ("created_at", "When the resource was created."),
    ("updated_at", "When the resource was last updated."),
    ("href", "The URL of the linked resource."),
    ("sha", "The SHA-1 of the object."),
    ("archive_url", "The API URL template of archives of the repository."),
    ("avatar_url", "The URL of the avatar image."),
    ("clone_url", "The URL to clone the repository from."),
    ("compare_url", "The API URL template of comparisons between commits."),
    ("merges_url", "The API URL for merging branches."),
    ("mirror_url", "The URL that the repository is a mirror of."),
    ("svn_url", "The same as `html_url`."),
    ("total_count", "The total number of results on all pages."),
    ("description", "The description."),
    ("color", "The color."),
    ("app_id", "The identifier of the app."),
    ("app_slug", "The slug of the app: its name in URLs."),
    ("repositories", "The repositories on this page."),
    ("installations", "The installations on this page."),
    ("private", "Whether the repository is not public: `true` for private and internal repositories."),
    ("fork", "Whether the repository is a fork."),
    ("homepage", "The URL of the homepage."),
    ("disabled", "Whether the repository is disabled."),
    ("is_template", "Whether the repository is a template for new repositories."),
    ("topics", "The topics of the repository."),
    ("default_branch", "The name of the default branch."),
    ("stargazers_count", "The number of users who have starred the repository."),
    ("watchers_count", "The same as `stargazers_count`."),
    ("forks_count", "The number of forks."),
    ("open_issues_count", "The number of open issues and pull requests."),
    ("subscribers_count", "The number of users who watch the repository."),
    ("has_issues", "Whether issues are enabled."),
    ("has_projects", "Whether projects are enabled."),
    ("has_downloads", "Whether downloads are enabled."),
    ("has_wiki", "Whether the wiki is enabled."),
    ("has_pages", "Whether the repository has a published site."),
    ("allow_squash_merge", "Whether pull requests can be squash-merged."),
    ("allow_merge_commit", "Whether pull requests can be merged with a merge commit."),
    ("allow_rebase_merge", "Whether pull requests can be rebase-merged."),
    ("allow_auto_merge", "Whether auto-merge can be enabled for pull requests."),
    ("delete_branch_on_merge", "Whether head branches are deleted when pull requests are merged."),
    ("admin", "Whether the user has admin access."),
    ("maintain", "Whether the user has maintain access."),
    ("push", "Whether the user has write access."),
    ("triage", "Whether the user has triage access."),
    ("pull", "Whether the user has read access."),
    ("laugh", "The number of `laugh` reactions."),
    ("hooray", "The number of `hooray` reactions."),
    ("confused", "The number of `confused` reactions."),
    ("heart", "The number of `heart` reactions."),
    ("rocket", "The number of `rocket` reactions."),
    ("eyes", "The number of `eyes` reactions."),
];

/// The default description of a field, by its name.
fn field(name: &str) -> Option<String> {
    if let Some((_, meaning)) = FIELDS.iter().find(|field| field.0 == name) {
        return Some((*meaning).to_owned());
    }
    let subject = name.strip_suffix("_url")?.replace('_', " ");
    Some(format!("The API URL of the {subject}."))
}
