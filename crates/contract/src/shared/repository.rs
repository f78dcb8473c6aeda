//! The representations of a repository. URLs derive from its owner and name, so that an area
//! provides only the stored properties.

mod addresses;
mod minimal;
mod settings;

use contract_macros::schema;
use std::collections::BTreeMap;

pub use addresses::{RepositoryParts, RepositoryRemotes};
pub use minimal::MinimalRepository;
use poem_openapi::types::Example;
pub use settings::{
    License, PullCreationPolicy, RepositoryFeatures, RepositoryMerging, RepositoryPermissions,
    RepositoryVisibility,
};

use super::super::EXAMPLE_ORIGIN;
use super::super::values::{Nullable, Timestamp, Url};
use super::installation::example_organization;
use super::user::User;

/// A repository.
#[schema(example)]
pub struct Repository {
    #[schema(flatten)]
    pub whole: TemplateRepository,
    /// The permissions of the user on the repository. Only present with a user's token, in
    /// lists of the user's repositories and for a single repository.
    pub permissions: Option<RepositoryPermissions>,
    /// The custom properties that the organization has set for the repository: values by
    /// name. Only present in the list of an installation's repositories, and for a single
    /// repository that an organization owns.
    pub custom_properties: Option<BTreeMap<String, String>>,
    /// The template that the repository was created from.
    pub template_repository: Nullable<TemplateRepository>,
}

/// A repository with all of its properties.
#[schema(example)]
pub struct FullRepository {
    #[schema(flatten)]
    pub repository: Repository,
    /// The organization that owns the repository. Absent if a user owns it.
    pub organization: Option<User>,
}

/// A template repository. It does not include its own template, because some client
/// generators do not support recursive schemas.
#[schema]
pub struct TemplateRepository {
    #[schema(flatten)]
    pub facts: NestedRepository,
    /// Always empty; kept for clients that expect it.
    #[schema(unpromised)]
    pub temp_clone_token: String,
    /// The number of forks in the repository's network.
    pub network_count: i64,
    pub subscribers_count: i64,
    /// Always true; kept for clients that expect it.
    pub has_pull_requests: Option<bool>,
    /// Always `all`; kept for clients that expect it.
    pub pull_request_creation_policy: Option<PullCreationPolicy>,
}

/// A repository in pull requests.
#[schema]
pub struct NestedRepository {
    /// The identifier of the repository.
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    /// The name of the repository.
    pub name: String,
    /// The owner and the name: `acme/gadgets`.
    pub full_name: String,
    pub private: bool,
    pub owner: User,
    /// The URL of the repository's page.
    pub html_url: Url,
    /// The description of the repository.
    pub description: Nullable<String>,
    pub fork: bool,
    /// The API URL of the repository.
    pub url: Url,
    #[schema(flatten)]
    pub parts: RepositoryParts,
    /// When the repository was created.
    pub created_at: Timestamp,
    /// When the repository was last updated.
    pub updated_at: Timestamp,
    /// When a reference last changed. `null` if nothing has been pushed to the repository.
    pub pushed_at: Nullable<Timestamp>,
    #[schema(flatten)]
    pub remotes: RepositoryRemotes,
    pub homepage: Nullable<String>,
    /// The size of the repository, in kilobytes.
    pub size: i64,
    pub stargazers_count: i64,
    pub watchers_count: i64,
    /// The main programming language of the repository.
    pub language: Nullable<String>,
    #[schema(flatten)]
    pub features: RepositoryFeatures,
    pub forks_count: i64,
    pub mirror_url: Nullable<Url>,
    /// Whether the repository is archived. An archived repository is read-only.
    pub archived: bool,
    pub disabled: bool,
    pub open_issues_count: i64,
    pub license: Nullable<License>,
    #[schema(unpromised)]
    pub is_template: bool,
    #[schema(unpromised)]
    pub topics: Vec<String>,
    #[schema(unpromised)]
    pub visibility: RepositoryVisibility,
    /// The same as `forks_count`.
    pub forks: i64,
    /// The same as `open_issues_count`.
    pub open_issues: i64,
    /// The same as `watchers_count`.
    pub watchers: i64,
    pub default_branch: String,
    #[schema(flatten)]
    pub merging: RepositoryMerging,
    /// Always true; kept for clients that expect it.
    pub allow_forking: Option<bool>,
    /// Always false; kept for clients that expect it.
    pub web_commit_signoff_required: Option<bool>,
}

/// The properties of a repository that cannot be derived from its owner and name.
#[derive(Debug, Clone)]
pub struct RepositoryCore {
    pub id: i64,
    pub node_id: String,
    pub name: String,
    pub owner: User,
    pub visibility: RepositoryVisibility,
    pub description: Option<String>,
    pub homepage: Option<String>,
    pub language: Option<String>,
    pub license: Option<License>,
    pub topics: Vec<String>,
    pub default_branch: String,
    pub fork: bool,
    pub archived: bool,
    pub disabled: bool,
    pub is_template: bool,
    pub mirror_url: Option<Url>,
    pub features: RepositoryFeatures,
    pub merging: RepositoryMerging,
    pub counts: RepositoryCounts,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub pushed_at: Option<Timestamp>,
}

/// The counts of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RepositoryCounts {
    pub forks: i64,
    pub stargazers: i64,
    pub watchers: i64,
    pub subscribers: i64,
    pub network: i64,
    pub open_issues: i64,
    pub kilobytes: i64,
}

impl TemplateRepository {
    /// The repository with the properties that only lists and the repository itself show.
    pub fn new(api: &str, web: &str, repository: RepositoryCore) -> Self {
        let RepositoryCounts {
            network,
            subscribers,
            ..
        } = repository.counts;
        Self {
            facts: NestedRepository::new(api, web, repository),
            temp_clone_token: String::new(),
            network_count: network,
            subscribers_count: subscribers,
            has_pull_requests: Some(true),
            pull_request_creation_policy: Some(PullCreationPolicy::All),
        }
    }
}

impl NestedRepository {
    /// The repository with every URL that derives from its owner and name. `api` is the base
    /// URL of the API, `web` that of the host without the API prefix.
    pub fn new(api: &str, web: &str, repository: RepositoryCore) -> Self {
        let core = repository;
        let full_name = format!("{}/{}", core.owner.login, core.name);
        let url = format!("{api}/repos/{full_name}");
        Self {
            id: core.id,
            node_id: core.node_id,
            name: core.name,
            private: core.visibility != RepositoryVisibility::Public,
            owner: core.owner,
            html_url: format!("{web}/{full_name}").into(),
            description: core.description.into(),
            fork: core.fork,
            parts: RepositoryParts::new(&url),
            url: url.into(),
            created_at: core.created_at,
            updated_at: core.updated_at,
            pushed_at: core.pushed_at.into(),
            remotes: RepositoryRemotes::new(web, &full_name),
            full_name,
            homepage: core.homepage.into(),
            size: core.counts.kilobytes,
            stargazers_count: core.counts.stargazers,
            watchers_count: core.counts.watchers,
            language: core.language.into(),
            features: core.features,
            forks_count: core.counts.forks,
            mirror_url: core.mirror_url.into(),
            archived: core.archived,
            disabled: core.disabled,
            open_issues_count: core.counts.open_issues,
            license: core.license.into(),
            is_template: core.is_template,
            topics: core.topics,
            visibility: core.visibility,
            forks: core.counts.forks,
            open_issues: core.counts.open_issues,
            watchers: core.counts.watchers,
            default_branch: core.default_branch,
            merging: core.merging,
            allow_forking: Some(true),
            web_commit_signoff_required: Some(false),
        }
    }
}

impl Example for NestedRepository {
    fn example() -> Self {
        Self::new(EXAMPLE_ORIGIN, EXAMPLE_ORIGIN, example_core())
    }
}

impl Example for Repository {
    fn example() -> Self {
        Self {
            whole: TemplateRepository::new(EXAMPLE_ORIGIN, EXAMPLE_ORIGIN, example_core()),
            permissions: None,
            custom_properties: None,
            template_repository: None.into(),
        }
    }
}

impl Example for FullRepository {
    fn example() -> Self {
        Self {
            repository: Repository::example(),
            organization: Some(example_organization()),
        }
    }
}

fn example_core() -> RepositoryCore {
    RepositoryCore {
        id: 2002,
        node_id: "R_kgDNB9I".to_owned(),
        name: "gadgets".to_owned(),
        owner: example_organization(),
        visibility: RepositoryVisibility::Public,
        description: Some("Gadgets".to_owned()),
        homepage: None,
        language: Some("Rust".to_owned()),
        license: None,
        topics: vec!["tools".to_owned()],
        default_branch: "main".to_owned(),
        fork: false,
        archived: false,
        disabled: false,
        is_template: false,
        mirror_url: None,
        features: RepositoryFeatures {
            has_issues: true,
            has_projects: true,
            has_downloads: true,
            has_wiki: true,
            has_pages: false,
            has_discussions: false,
        },
        merging: RepositoryMerging {
            allow_squash_merge: true,
            allow_merge_commit: true,
            allow_rebase_merge: true,
            allow_auto_merge: false,
            delete_branch_on_merge: false,
        },
        counts: RepositoryCounts::default(),
        created_at: Timestamp(1_773_135_000),
        updated_at: Timestamp(1_773_135_000),
        pushed_at: Some(Timestamp(1_773_135_000)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_urls_derive_from_the_owner_and_the_name() {
        let repository = TemplateRepository::new(
            "https://forge.test:8443/api/v3",
            "https://forge.test:8443",
            example_core(),
        );
        let shown = serde_json::to_value(repository).unwrap();
        for (field, address) in [
            ("full_name", "acme/gadgets"),
            ("url", "https://forge.test:8443/api/v3/repos/acme/gadgets"),
            ("html_url", "https://forge.test:8443/acme/gadgets"),
            ("svn_url", "https://forge.test:8443/acme/gadgets"),
            ("clone_url", "https://forge.test:8443/acme/gadgets.git"),
            ("git_url", "https://forge.test:8443/acme/gadgets.git"),
            ("ssh_url", "https://forge.test:8443/acme/gadgets.git"),
            (
                "git_refs_url",
                "https://forge.test:8443/api/v3/repos/acme/gadgets/git/refs{/sha}",
            ),
            (
                "compare_url",
                "https://forge.test:8443/api/v3/repos/acme/gadgets/compare/{base}...{head}",
            ),
        ] {
            assert_eq!(shown[field], address, "{field}");
        }
    }

    #[test]
    fn inapplicable_properties_are_absent_and_unknown_ones_are_null() {
        let shown = serde_json::to_value(Repository::example()).unwrap();
        for absent in [
            "permissions",
            "custom_properties",
            "whole",
            "facts",
            "parts",
        ] {
            assert_eq!(shown.get(absent), None, "{absent}");
        }
        for null in ["homepage", "license", "mirror_url", "template_repository"] {
            assert_eq!(shown.get(null), Some(&serde_json::Value::Null), "{null}");
        }
    }
}
