//! WHAT clients see: the operations, their bodies and their answers, written
//! once as annotated types. The documents are derived from here, and nothing
//! else of the service is imported, so that `build.rs` can compile this folder
//! alone and compare it with `openapi/`.

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
pub mod installations;
pub mod issue_comments;
pub mod issue_field_values;
pub mod issue_fields;
pub mod issues;
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
mod schema;
pub mod shared;
pub mod statuses;
pub mod values;
pub mod version;

pub use document::{companion, components, control, operation, operation_at, service};
use poem_openapi::Tags;

/// Where the examples say that the service runs.
pub const EXAMPLE_ORIGIN: &str = "http://127.0.0.1:8080";

/// The areas of the service.
#[derive(Tags)]
pub enum Area {
    /// The custom fields of a project that belongs to an organization or a user.
    #[oai(rename = "Project fields")]
    ProjectFields,
    /// The issues, pull requests and draft issues that a project tracks, and their values.
    #[oai(rename = "Project items")]
    ProjectItems,
    /// The fields of issues, defined once for a whole organization.
    #[oai(rename = "Issue fields")]
    IssueFields,
    /// Comments on specific parts of the diff of a pull request.
    #[oai(rename = "Review comments")]
    ReviewComments,
    /// Reviews of pull requests: approvals, requests for changes, and comments that belong together.
    #[oai(rename = "Reviews")]
    Reviews,
    /// Names for objects in the Git database of a repository.
    #[oai(rename = "Git references")]
    GitRefs,
    /// Commits, the branches and tags that lead to them, and what changed between two of them.
    #[oai(rename = "Commits")]
    Commits,
    /// What was reported of commits, such as by a build.
    #[oai(rename = "Commit statuses")]
    Statuses,
    /// What apps found out about commits, in detail.
    #[oai(rename = "Checks")]
    Checks,
    /// The files of a repository.
    #[oai(rename = "Contents")]
    Contents,
    /// Pull requests: asking for changes, looking at them, merging them.
    #[oai(rename = "Pull requests")]
    Pulls,
    /// Issues: what is to be done, who takes care of it, and what is said about it. A pull request
    /// is an issue as well.
    #[oai(rename = "Issues")]
    Issues,
    /// The labels of a repository, and of its issues and pull requests.
    #[oai(rename = "Labels")]
    Labels,
    /// What people say of a comment without words.
    #[oai(rename = "Reactions")]
    Reactions,
    /// What an installed app, or a user through it, can reach.
    #[oai(rename = "App installations")]
    Installations,
    /// Apps, which prove who they are with a JSON web token, and their installations.
    #[oai(rename = "Apps")]
    Apps,
    /// The things that the addresses of the service lead to.
    #[oai(rename = "Look-ups")]
    Lookups,
    /// The service itself: its versions, limits and addresses.
    #[oai(rename = "Service")]
    Service,
    /// Isolated worlds, each with data, tokens, limits and a time of its own.
    #[oai(rename = "Worlds")]
    Worlds,
    /// The time of a world.
    #[oai(rename = "Clock")]
    Clock,
    /// Rules by which requests fail, to see how a client copes.
    #[oai(rename = "Faults")]
    Faults,
    /// What was asked of a world, how it answered, and why.
    #[oai(rename = "Journal")]
    Journal,
    /// The webhooks of a world.
    #[oai(rename = "Deliveries")]
    Deliveries,
}
