//! Every operation for every caller: the table of `src/access/README.md`, run
//! cell by cell. The table was written from the specification; where it and the
//! server differ, the sources decide who is wrong.
//!
//! Each operation of the specification has a service to itself, so that what one does
//! disturbs no other; the companions of a column share one. A request that is refused must
//! also have changed nothing, and the journal must explain it.

mod attempts;
mod callers;
mod complete;
mod explained;
mod operations;
mod table;
mod tenants;

use forgewright::app::Settings;
use forgewright::tokens::{self, Which};

use crate::harness::Service;
use attempts::run;
use callers::Caller;
use table::Table;

pub use callers::jwt;
pub use complete::refuses;
pub use operations::new_comment;

const WORLD: &str = include_str!("access/world.yaml");
const PUBLIC_KEY: &str = include_str!("apps/test-only-key.pub.pem");

/// Who lays out what the callers are after.
const ADMINISTRATOR: &str = "classic-administrator";

async fn start() -> Service {
    start_with(Settings::default()).await
}

/// A service that says why it refuses.
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
        assert!(revoked.unwrap(), "{token} was no token");
    }
    service
}

macro_rules! every_cell_of {
    ($($operation:ident)*) => {
        /// The operations of the specification, one test for each.
        const RUN: &[&str] = &[$(stringify!($operation)),*];

        mod every_cell_of {
            use super::Caller;

            $(#[tokio::test]
            async fn $operation() {
                let service = super::start_explaining().await;
                let act = super::operations::named(stringify!($operation));
                let wrong = super::attempts::run(&service, &act, Caller::credentials).await;
                assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
            })*
        }

        mod every_refusal_is_explained_of {
            $(#[tokio::test]
            async fn $operation() {
                let service = super::start_explaining().await;
                let act = super::operations::named(stringify!($operation));
                super::explained::run(&service, &[act], |caller, _| caller.credentials()).await;
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
        /// The columns whose companion operations are run, one test for each.
        const COMPANIONS: &[(&str, &str)] = &[$(($section, $column)),*];

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
    user_projects_read: "Projects of the administrator's own", "read";
    user_projects_change: "Projects of the administrator's own", "change";
    issues_read: "Issues and pull requests", "read";
    issues_comment: "Issues and pull requests", "comment";
    issues_triage: "Issues and pull requests", "triage";
    issues_write: "Issues and pull requests", "write";
    reactions_take_back: "What the administrator began", "take back";
    reviews_finish: "What the administrator began", "finish";
    code_read: "Git data, files and reports", "read";
    code_write: "Git data, files and reports", "write";
    code_check: "Git data, files and reports", "check";
    repository: "Look-ups", "repository";
    account: "Look-ups", "account";
    caller: "Look-ups", "caller";
}

/// The companion operations of a column, one after the other. They take turns with the tokens
/// of a row that stands for several, and in following each refusal to its end.
async fn run_companions(section: &str, column: &str) {
    let mut columns = Table::read().operations();
    let found = columns.find(|found| (found.0, found.1) == (section, column));
    let (_, _, names) = found.unwrap_or_else(|| panic!("no {column} in {section}"));
    let companions = names.iter().filter(|name| !RUN.contains(&name.as_str()));
    let acts: Vec<_> = companions.map(|name| operations::named(name)).collect();
    let service = start_explaining().await;
    let mut wrong = Vec::new();
    for (turn, act) in acts.iter().enumerate() {
        wrong.extend(run(&service, act, |caller| caller.in_turn(turn)).await);
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    explained::run(&service, &acts, Caller::in_turn).await;
}
