//! Runs the permission table of `crates/forge/src/access/README.md`, cell by cell: every operation for
//! every caller. The table was written from the specification; where it and the server
//! differ, the specification and GitHub's documentation decide which is wrong.
//!
//! Each operation of the specification gets its own service, so that operations do not
//! affect each other; the companion operations of a column share one. A refused request must
//! also have changed nothing, and the journal must explain the refusal.

mod attempts;
mod callers;
mod complete;
mod explained;
mod operations;
mod table;
mod tenants;

use forge::app::Settings;
use forge::tokens;
use forge::tokens::Which;

use crate::harness::Service;
use attempts::run;
use callers::Caller;
use table::Table;

pub use callers::jwt;
pub use complete::expects_status;
pub use operations::new_comment;

const WORLD: &str = include_str!("access/world.yaml");
const PUBLIC_KEY: &str = include_str!("apps/test-only-key.pub.pem");

/// The token that creates what the callers act on.
const ADMINISTRATOR: &str = "classic-administrator";

async fn start() -> Service {
    start_with(Settings::default()).await
}

/// A service whose journal explains each refusal.
async fn start_explaining() -> Service {
    let settings = Settings {
        control: true,
        ..Settings::default()
    };
    start_with(settings).await
}

pub async fn start_with(settings: Settings) -> Service {
    let key = PUBLIC_KEY.trim().replace('\n', "\\n");
    let service = Service::with(&WORLD.replace("KEY", &key), settings).await;
    for token in callers::REVOKED {
        let revoked = tokens::revoke(&service.app, Which::Value(token)).await;
        assert!(revoked.unwrap(), "no token {token}");
    }
    service
}

macro_rules! every_cell_of {
    ($($operation:ident)*) => {
        /// The operations of the specification, with one test for each.
        const SPECIFIED: &[&str] = &[$(stringify!($operation)),*];

        mod every_cell_of {
            use super::Caller;

            $(#[tokio::test]
            async fn $operation() {
                let service = super::start_explaining().await;
                let operation = super::operations::named(stringify!($operation));
                let wrong = super::attempts::run(&service, &operation, Caller::credentials).await;
                assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
            })*
        }

        mod every_refusal_is_explained_for {
            $(#[tokio::test]
            async fn $operation() {
                let service = super::start_explaining().await;
                let operations = [super::operations::named(stringify!($operation))];
                super::explained::run(&service, &operations, |caller, _| caller.credentials())
                    .await;
            })*
        }
    };
}

every_cell_of! {
    list_org_project_fields add_org_project_field get_org_project_field
    list_user_project_fields add_user_project_field get_user_project_field
    list_issue_fields create_issue_field update_issue_field delete_issue_field
    list_repo_review_comments get_review_comment update_review_comment delete_review_comment
    list_pull_review_comments create_review_comment reply_to_review_comment
    list_matching_refs get_ref create_ref update_ref delete_ref
    list_installation_repositories revoke_installation_token
    list_user_installations list_user_installation_repositories
    add_installation_repository remove_installation_repository
}

macro_rules! every_cell_of_the_companions {
    ($($test:ident: $section:literal, $column:literal;)*) => {
        /// The columns that have companion operations, with one test for each.
        const COMPANION_COLUMNS: &[(&str, &str)] = &[$(($section, $column)),*];

        mod every_cell_of_the_companions {
            $(#[tokio::test]
            async fn $test() {
                super::run_companions($section, $column).await;
            })*
        }
    };
}

every_cell_of_the_companions! {
    org_projects_read: "Projects of acme", "read";
    org_projects_change: "Projects of acme", "change";
    user_projects_read: "Projects of the administrator", "read";
    user_projects_change: "Projects of the administrator", "change";
    issues_read: "Issues and pull requests", "read";
    issues_comment: "Issues and pull requests", "comment";
    issues_triage: "Issues and pull requests", "triage";
    issues_write: "Issues and pull requests", "write";
    reactions_take_back: "Reactions and pending reviews of the administrator", "take back";
    reviews_finish: "Reactions and pending reviews of the administrator", "finish";
    code_read: "Git data, files and reports", "read";
    code_write: "Git data, files and reports", "write";
    code_check: "Git data, files and reports", "check";
    repository: "Look-ups", "repository";
    account: "Look-ups", "account";
    caller: "Look-ups", "caller";
}

/// Runs the companion operations of a column, one after the other. They take turns with the
/// tokens of a row that stands for several, and in following the advice for each refusal.
async fn run_companions(section: &str, column: &str) {
    let mut columns = Table::read().operations();
    let found = columns.find(|found| (found.0, found.1) == (section, column));
    let (_, _, names) = found.unwrap_or_else(|| panic!("no {column} in {section}"));
    let companions = names
        .iter()
        .filter(|name| !SPECIFIED.contains(&name.as_str()));
    let operations: Vec<_> = companions.map(|name| operations::named(name)).collect();
    let service = start_explaining().await;
    let mut wrong = Vec::new();
    for (turn, operation) in operations.iter().enumerate() {
        wrong.extend(run(&service, operation, |caller| caller.in_turn(turn)).await);
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    explained::run(&service, &operations, Caller::in_turn).await;
}
