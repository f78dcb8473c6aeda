//! The implementation of the contract. One folder for each contract file, with the same small
//! files in each: `operations.rs` handles requests (identify, resolve, check, do, show),
//! `rules.rs` has the pure decisions, `store.rs` the queries, `view.rs` the response shapes. No
//! area depends on another.
pub mod apps;
pub mod assignees;
pub mod checks;
pub mod commits;
pub mod contents;
pub mod git_objects;
pub mod git_refs;
pub mod git_transport;
pub mod installations;
pub mod issue_comments;
pub mod issue_field_values;
pub mod issue_fields;
pub mod issues;
pub mod labels;
pub mod lookups;
pub mod project_fields;
pub mod project_items;
pub mod pulls;
pub mod reactions;
pub mod review_comments;
pub mod reviews;
pub mod statuses;

use std::sync::Arc;

use poem_openapi::OpenApi;

use crate::app::App;

/// Every endpoint of both documents, with its operations behind it.
pub fn all(app: &Arc<App>) -> impl OpenApi + use<> {
    let refs = Arc::new(git_refs::GitRefs::new(app.clone()));
    let service = (
        contract::project_fields::Api(Arc::new(project_fields::ProjectFields::new(app.clone()))),
        contract::issue_fields::Api(Arc::new(issue_fields::IssueFields::new(app.clone()))),
        contract::review_comments::Api(Arc::new(review_comments::ReviewComments::new(app.clone()))),
        contract::git_refs::Api(refs.clone()),
        contract::installations::Api(Arc::new(installations::Installations::new(app.clone()))),
    );
    let code = (
        contract::apps::Api(Arc::new(apps::Apps::new(app.clone()))),
        contract::git_ref_aliases::Api(refs),
        contract::git_objects::Api(Arc::new(git_objects::GitObjects::new(app.clone()))),
        contract::commits::Api(Arc::new(commits::Commits::new(app.clone()))),
        contract::contents::Api(Arc::new(contents::Contents::new(app.clone()))),
        contract::reviews::Api(Arc::new(reviews::Reviews::new(app.clone()))),
        contract::pulls::Api(Arc::new(pulls::Pulls::new(app.clone()))),
        contract::statuses::Api(Arc::new(statuses::Statuses::new(app.clone()))),
        contract::checks::Api(Arc::new(checks::Checks::new(app.clone()))),
    );
    let planning = (
        contract::issues::Api(Arc::new(issues::Issues::new(app.clone()))),
        contract::issue_comments::Api(Arc::new(issue_comments::IssueComments::new(app.clone()))),
        contract::issue_field_values::Api(Arc::new(issue_field_values::IssueFieldValues::new(
            app.clone(),
        ))),
        contract::reactions::Api(Arc::new(reactions::Reactions::new(app.clone()))),
        contract::labels::Api(Arc::new(labels::Labels::new(app.clone()))),
        contract::assignees::Api(Arc::new(assignees::Assignees::new(app.clone()))),
        contract::project_items::Api(Arc::new(project_items::ProjectItems::new(app.clone()))),
    );
    let lookups = contract::lookups::Api(Arc::new(lookups::Lookups::new(app.clone())));
    (service, (code, planning, lookups))
}
