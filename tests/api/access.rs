//! Every operation for every caller: the table of `src/access/README.md`, run
//! cell by cell. The table was written from the specification; where it and the
//! server differ, the sources decide who is wrong.
//!
//! Each operation of the specification has a service to itself, so that what one does
//! disturbs no other; the companions of a column share one. A request that is refused must
//! also have changed nothing, and the journal must explain it.

mod callers;
mod explained;
mod operations;
mod table;
mod tenants;

use forgewright::app::Settings;
use forgewright::contract;
use forgewright::tokens::{self, Which};
use poem::http::Method;
use sea_orm::{ConnectionTrait, Statement};
use serde_json::Value;

use crate::harness::{Answer, Service, Speaker};
use callers::Caller;
use operations::{Act, Place, Target};
use table::Table;

pub use callers::jwt;
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
            $(#[tokio::test]
            async fn $operation() {
                let service = super::start_explaining().await;
                let act = super::operations::named(stringify!($operation));
                super::run(&service, &act).await;
            })*
        }

        mod every_refusal_is_explained_of {
            $(#[tokio::test]
            async fn $operation() {
                let service = super::start_explaining().await;
                let act = super::operations::named(stringify!($operation));
                super::explained::run(&service, &[act]).await;
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

/// Companion operations that are for nobody in particular, and why.
const NOT_IN_THE_TABLE: [(&str, &[&str]); 2] = [
    (
        "the service says it of itself to anybody: root.rs and versions.rs",
        &[
            "get_root",
            "get_meta",
            "get_zen",
            "list_versions",
            "get_rate_limit",
        ],
    ),
    (
        "only for an app that has signed the request: apps/signing.rs",
        &[
            "get_app",
            "list_app_installations",
            "get_app_installation",
            "create_installation_token",
            "get_org_installation",
            "get_user_installation",
            "get_repo_installation",
            "get_app_hook_config",
            "update_app_hook_config",
            "list_app_hook_deliveries",
            "get_app_hook_delivery",
            "redeliver_app_hook_delivery",
        ],
    ),
];

/// The companion operations of a column, one after the other. Then each refusal is followed
/// to its end by one of them in turn.
async fn run_companions(section: &str, column: &str) {
    let mut columns = Table::read().operations();
    let found = columns.find(|found| (found.0, found.1) == (section, column));
    let (_, _, names) = found.unwrap_or_else(|| panic!("no {column} in {section}"));
    let companions = names.iter().filter(|name| !RUN.contains(&name.as_str()));
    let acts: Vec<_> = companions.map(|name| operations::named(name)).collect();
    let service = start_explaining().await;
    for act in &acts {
        run(&service, act).await;
    }
    explained::run(&service, &acts).await;
}

async fn run(service: &Service, act: &Act) {
    let mut wrong = Vec::new();
    for place in act.places() {
        let mut attempts = Attempts::begin(service, act, *place).await;
        for (caller, expected) in attempts.cells() {
            let expected = expected.unwrap_or(act.success);
            for credential in &caller.credentials() {
                if let Err(found) = attempts.attempt(&caller, credential, expected).await {
                    let (name, place) = (act.name, place.word());
                    wrong.push(format!("{name} {place} | {} | {found}", caller.label));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// The cells of one column, one after the other. What a success has used up is
/// laid out anew for the next.
struct Attempts<'a> {
    service: &'a Service,
    act: &'a Act,
    place: Place,
    target: Target,
    successes: usize,
    state: i64,
}

impl<'a> Attempts<'a> {
    async fn begin(service: &'a Service, act: &'a Act, place: Place) -> Self {
        let target = act.target(service, place, 0).await;
        let state = state(service).await;
        Self {
            service,
            act,
            place,
            target,
            successes: 0,
            state,
        }
    }

    fn cells(&self) -> Vec<table::Cell> {
        let column = self.place.column(self.act.column);
        Table::read().column(self.act.section, &column)
    }

    async fn attempt(
        &mut self,
        caller: &Caller,
        credential: &Option<String>,
        expected: u16,
    ) -> Result<(), String> {
        let speaker = match credential {
            Some(credential) => self.service.as_(credential),
            None => self.service.anonymous(),
        };
        let answer = self.send(&speaker, caller).await;
        let status = answer.status.as_u16();
        let fault = (status != expected).then(|| {
            let credential = credential.as_deref().unwrap_or("no token");
            format!(
                "{credential}: expected {expected}, got {status} {}",
                answer.text
            )
        });
        if !answer.status.is_success() {
            answer.message();
            explained::deciding(&explained::entry(self.service, &answer))?;
            if state(self.service).await != self.state {
                return Err(format!("{status}, and yet something changed"));
            }
        } else if self.act.method != Method::GET {
            self.renew().await;
        }
        fault.map_or(Ok(()), Err)
    }

    async fn renew(&mut self) {
        self.successes += 1;
        let (service, place) = (self.service, self.place);
        self.target = self.act.target(service, place, self.successes).await;
        self.state = state(service).await;
    }

    async fn send(&self, speaker: &Speaker<'_>, caller: &Caller) -> Answer {
        let path = self
            .target
            .path
            .replace("{installation}", &caller.installation().to_string());
        let body = self.target.body.as_ref().map(ToString::to_string);
        speaker.send(self.act.method.clone(), &path, body).await
    }
}

/// A number that grows with every change: the versions of all that is cached, and the rows
/// of what is not.
const CHANGES: &str = "SELECT CAST((SELECT SUM(n) FROM version)
    + (SELECT COUNT(*) FROM git_object) + (SELECT COUNT(*) FROM reaction)
    + (SELECT COUNT(*) FROM notification) + (SELECT COUNT(*) FROM webhook_delivery)
    AS BIGINT)";

async fn state(service: &Service) -> i64 {
    let on = service.app.db.reads();
    let sum = Statement::from_string(on.get_database_backend(), CHANGES);
    let row = on.query_one_raw(sum).await.unwrap().unwrap();
    row.try_get_by_index(0).unwrap()
}

/// Whether the table has a cell in which this operation is refused so.
pub fn refuses(operation: &str, status: &str) -> bool {
    let mut listed = Table::read().operations();
    if !listed.any(|(_, _, names)| names.iter().any(|name| name == operation)) {
        return false;
    }
    statuses(&operations::named(operation)).contains(&status.to_owned())
}

/// The statuses that an operation has in the table.
fn statuses(act: &Act) -> Vec<String> {
    let table = Table::read();
    let columns = act.places().iter().map(|place| place.column(act.column));
    let cells = columns.flat_map(|column| table.column(act.section, &column));
    let mut statuses: Vec<_> = cells
        .map(|(_, expected)| expected.unwrap_or(act.success).to_string())
        .collect();
    statuses.sort_unstable();
    statuses.dedup();
    statuses
}

/// The operations of a document and the statuses that it gives each.
fn published(document: &Value) -> Vec<(String, Vec<String>)> {
    let paths = document["paths"].as_object().unwrap();
    let operations = paths.values().flat_map(|path| path.as_object().unwrap());
    operations
        .filter_map(|(_, operation)| {
            let statuses = operation["responses"].as_object()?.keys().cloned();
            let name = operation["operationId"].as_str()?.to_owned();
            Some((name, statuses.collect()))
        })
        .collect()
}

fn sorted(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut names: Vec<_> = names.into_iter().collect();
    names.sort_unstable();
    names
}

#[test]
fn every_operation_of_the_documents_is_run() {
    let names = |document: &Value| published(document).into_iter().map(|(name, _)| name);
    let service = sorted(names(contract::service()));
    assert_eq!(service, sorted(RUN.iter().map(|name| (*name).to_owned())));
    assert_eq!(service.len(), 28);
    let listed = Table::read().operations();
    let listed = listed.flat_map(|(_, _, names)| names.iter().cloned());
    let excused = NOT_IN_THE_TABLE.iter().flat_map(|(_, names)| *names);
    let accounted = listed.chain(excused.map(|name| (*name).to_owned()));
    let all = service.into_iter().chain(names(contract::companion()));
    assert_eq!(sorted(all), sorted(accounted));
}

#[test]
fn every_column_of_the_table_is_run_and_has_every_caller() {
    let table = Table::read();
    let mut run = Vec::new();
    for (section, column, names) in table.operations() {
        let companions = names.iter().any(|name| !RUN.contains(&name.as_str()));
        assert_eq!(
            COMPANIONS.contains(&(section, column)),
            companions,
            "{section}: {column}"
        );
        let places = operations::named(&names[0]).places().iter();
        run.extend(places.map(|place| (section.to_owned(), place.column(column))));
    }
    let columns = table.columns();
    assert_eq!(run, columns);
    let (first, rest) = columns.split_first().unwrap();
    let callers = |(section, column): &(String, String)| -> Vec<String> {
        let cells = table.column(section, column);
        cells.into_iter().map(|(caller, _)| caller.label).collect()
    };
    assert!(callers(first).len() > 40);
    for column in rest {
        assert_eq!(callers(first), callers(column), "{column:?}");
    }
}

#[test]
fn every_status_of_the_table_is_in_the_documents() {
    let documents = [contract::service(), contract::companion()];
    let published: Vec<_> = documents.into_iter().flat_map(published).collect();
    let mut missing = Vec::new();
    for name in Table::read().operations().flat_map(|(_, _, names)| names) {
        let (_, known) = published.iter().find(|(known, _)| known == name).unwrap();
        let found = statuses(&operations::named(name)).into_iter();
        missing.extend(
            found
                .filter(|status| !known.contains(status))
                .map(|status| (name, status)),
        );
    }
    assert!(missing.is_empty(), "not published: {missing:?}");
}

#[tokio::test]
async fn every_token_of_the_world_is_in_the_table() {
    let used: Vec<String> = Table::read()
        .callers()
        .iter()
        .flat_map(Caller::credentials)
        .flatten()
        .collect();
    let laying_out = ["zoe-classic", "olivia-classic", "olivia-write-bot"];
    for line in WORLD.lines().filter(|line| line.contains("value: ")) {
        let (_, value) = line.rsplit_once("value: ").unwrap();
        let value = value.trim_end_matches('}');
        let known = used.iter().any(|token| token == value) || laying_out.contains(&value);
        assert!(known, "nobody uses {value}");
    }
    let service = start().await;
    service.as_(&jwt(540)).get("/app").await.expect(200);
    service.as_(&jwt(-1)).get("/app").await.expect(401);
}
