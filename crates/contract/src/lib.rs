//! The API contract: operations, request bodies and responses as annotated types. The OpenAPI
//! documents derive from it. It imports nothing else of the service, so that `build.rs` can
//! compile it alone and compare it with `openapi/`.

pub mod apps;
pub mod assignees;
pub mod body;
pub mod call;
pub mod caller;
pub mod checks;
pub mod commits;
pub mod contents;
pub mod control;
pub mod document;
pub mod formed;
pub mod git_objects;
pub mod git_ref_aliases;
pub mod git_refs;
pub mod git_transport;
pub mod headers;
pub mod installations;
pub mod issue_comments;
pub mod issue_field_values;
pub mod issue_fields;
pub mod issues;
pub mod json;
pub mod labels;
pub mod lookups;
pub mod media;
pub mod operation;
pub mod paging;
pub mod problem;
pub mod project_fields;
pub mod project_items;
pub mod pulls;
pub mod reactions;
pub mod reply;
pub mod review_comments;
pub mod reviews;
pub mod schemas;
pub mod shared;
pub mod statuses;
mod validation;
pub mod values;
pub mod version;

pub use document::{
    companion, components, control, every_operation, is_unlimited, operation, operation_at, service,
};
use poem_openapi::Tags;

/// The origin of the server in examples.
pub const EXAMPLE_ORIGIN: &str = "http://127.0.0.1:8080";

/// The tags of the operations, in the order in which the documents list them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Tags)]
pub enum Area {
    /// The custom fields of a project that belongs to an organization or a user.
    #[oai(rename = "Project fields")]
    ProjectFields,
    /// The items of a project (issues, pull requests and draft issues) and their field values.
    #[oai(rename = "Project items")]
    ProjectItems,
    /// The issue fields that an organization defines.
    #[oai(rename = "Issue fields")]
    IssueFields,
    /// Issues, their comments and assignees. Every pull request is also an issue.
    #[oai(rename = "Issues")]
    Issues,
    /// The labels of a repository, and of its issues and pull requests.
    #[oai(rename = "Labels")]
    Labels,
    /// Comments on specific parts of the diff of a pull request.
    #[oai(rename = "Review comments")]
    ReviewComments,
    /// Pull requests: creating, inspecting and merging them.
    #[oai(rename = "Pull requests")]
    Pulls,
    /// Reviews of pull requests: approvals, requests for changes, and groups of comments.
    #[oai(rename = "Reviews")]
    Reviews,
    /// Reactions to comments.
    #[oai(rename = "Reactions")]
    Reactions,
    /// References in the Git database of a repository: branches, tags and others.
    #[oai(rename = "Git references")]
    GitRefs,
    /// Commits, branches, tags, and comparisons of commits.
    #[oai(rename = "Commits")]
    Commits,
    /// Statuses of commits, such as the results of builds.
    #[oai(rename = "Commit statuses")]
    Statuses,
    /// Check runs and check suites: the detailed results of apps for commits.
    #[oai(rename = "Checks")]
    Checks,
    /// The files of a repository.
    #[oai(rename = "Contents")]
    Contents,
    /// App installations, the repositories that they can access, and their tokens.
    #[oai(rename = "App installations")]
    Installations,
    /// Apps, which authenticate with a JSON web token, and their installations.
    #[oai(rename = "Apps")]
    Apps,
    /// The resources that the URLs of the service point to: repositories, accounts and
    /// projects.
    #[oai(rename = "Look-ups")]
    Lookups,
    /// The service itself: its endpoints, versions and rate limits.
    #[oai(rename = "Service")]
    Service,
    /// Isolated worlds, each with its own data, tokens, limits and time.
    #[oai(rename = "Worlds")]
    Worlds,
    /// The clock of a world.
    #[oai(rename = "Clock")]
    Clock,
    /// Rules that make requests fail, to test how a client handles errors.
    #[oai(rename = "Faults")]
    Faults,
    /// The requests to a world, their responses, and the reasons for refusals.
    #[oai(rename = "Journal")]
    Journal,
    /// The webhook deliveries of a world.
    #[oai(rename = "Deliveries")]
    Deliveries,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_of_the_documents_is_known() {
        let published = [service(), companion()]
            .into_iter()
            .flat_map(|document| document["paths"].as_object().into_iter().flatten())
            .flat_map(|(_, item)| item.as_object().into_iter().flatten())
            .filter_map(|(_, operation)| operation["operationId"].as_str());
        for id in published {
            assert_eq!(operation(id).map(|operation| operation.id), Some(id));
        }
    }
}
