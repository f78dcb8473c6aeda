//! The router: every operation of the contract, with the noun that implements it.

use std::sync::Arc;

use poem_openapi::OpenApi;
use storage::clock::Clock;
use storage::database::Database;
use storage::entropy::Entropy;

use crate::app::{App, Settings};
use crate::{
    apps, assignees, checks, commits, contents, git_objects, git_refs, installations,
    issue_comments, issue_field_values, issue_fields, issues, labels, lookups, project_fields,
    project_items, pulls, reactions, review_comments, reviews, statuses, webhooks,
};

/// A service, with the queue of webhooks.
pub fn app(
    db: Database,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    settings: Settings,
) -> Arc<App> {
    App::new(
        db,
        clock,
        entropy,
        settings,
        Arc::new(webhooks::DeliveryQueue),
    )
}

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
