//! Every operation for every caller: the table of `src/access/README.md`, run
//! cell by cell. The table was written from the specification; where it and the
//! server differ, the sources decide who is wrong.
//!
//! Each operation has a service to itself, so that what one does disturbs no
//! other. A request that is refused must also have changed nothing.

mod callers;
mod companions;
mod explained;
mod operations;
mod reports;
mod table;
mod tenants;

use forgewright::app::Settings;
use forgewright::tokens::{self, Which};
use poem::http::Method;

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
        /// The operations whose cells are run, one test for each.
        const RUN: &[&str] = &[$(stringify!($operation)),*];

        mod every_cell_of {
            $(#[tokio::test]
            async fn $operation() {
                super::run(stringify!($operation)).await;
            })*
        }

        mod every_refusal_is_explained_of {
            $(#[tokio::test]
            async fn $operation() {
                super::explained::run(stringify!($operation)).await;
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

async fn run(name: &str) {
    let act = operations::named(name);
    let table = Table::read();
    let mut wrong = Vec::new();
    let service = start().await;
    for place in act.places() {
        let mut attempts = Attempts::begin(&service, act, *place).await;
        for (caller, expected) in table.column(act.section, &place.column(act.column)) {
            let expected = expected.unwrap_or(act.success);
            for credential in &caller.credentials() {
                if let Err(found) = attempts.attempt(&caller, credential, expected).await {
                    let place = place.word();
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
    act: &'static Act,
    place: Place,
    target: Target,
    successes: usize,
    state: Option<String>,
}

impl<'a> Attempts<'a> {
    async fn begin(service: &'a Service, act: &'static Act, place: Place) -> Self {
        let target = act.target(service, place, 0).await;
        let state = state(service, act, place).await;
        Self {
            service,
            act,
            place,
            target,
            successes: 0,
            state,
        }
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
            let now = state(self.service, self.act, self.place).await;
            if now != self.state {
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
        self.state = state(service, self.act, place).await;
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

/// A mark of all that an operation could change, if it changes anything.
async fn state(service: &Service, act: &Act, place: Place) -> Option<String> {
    let (token, path) = act.shows_changes(place)?;
    let answer = service.as_(token).get(&path).await.expect(200);
    Some(answer.header("etag").unwrap().to_owned())
}

/// Whether the table has a cell in which this operation is refused so.
pub fn refuses(operation: &str, status: &str) -> bool {
    let table = Table::read();
    let act = RUN.iter().find(|name| **name == operation);
    let Some(act) = act.map(|name| operations::named(name)) else {
        return false;
    };
    let columns = act.places().iter().map(|place| place.column(act.column));
    let mut cells = columns.flat_map(|column| table.column(act.section, &column));
    cells.any(|(_, expected)| expected.is_some_and(|expected| expected.to_string() == status))
}

/// The operations and the statuses that the published document gives each.
fn published() -> Vec<(String, Vec<String>)> {
    let document = forgewright::contract::service();
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

#[test]
fn every_operation_of_the_document_is_run() {
    let mut published: Vec<_> = published().into_iter().map(|(name, _)| name).collect();
    let mut run = RUN.to_vec();
    published.sort_unstable();
    run.sort_unstable();
    assert_eq!(published, run);
    assert_eq!(run.len(), 28);
}

#[test]
fn every_column_of_the_table_is_run_and_has_every_caller() {
    let table = Table::read();
    let mut run: Vec<_> = RUN
        .iter()
        .map(|name| operations::named(name))
        .flat_map(|act| {
            let columns = act.places().iter().map(|place| place.column(act.column));
            columns.map(|column| (act.section.to_owned(), column))
        })
        .collect();
    run.sort();
    run.dedup();
    let mut columns = table.columns();
    columns.sort();
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
fn every_status_of_the_table_is_in_the_document() {
    let table = Table::read();
    let mut missing = Vec::new();
    for (name, statuses) in published() {
        let act = operations::named(&name);
        for place in act.places() {
            for (_, expected) in table.column(act.section, &place.column(act.column)) {
                let expected = expected.unwrap_or(act.success).to_string();
                if !statuses.contains(&expected) {
                    missing.push(format!("{name} {expected}"));
                }
            }
        }
    }
    missing.dedup();
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
