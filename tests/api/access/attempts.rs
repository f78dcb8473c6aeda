//! Sends a request for each cell of a column. A refused request must change nothing.

use poem::http::Method;
use sea_orm::{ConnectionTrait, Statement};

use super::callers::Caller;
use super::explained;
use super::operations::{TableOperation, Target, Visibility};
use super::table::{Cell, Table};
use crate::harness::{Answer, Client, Service};

/// The credentials of a caller, `None` for no token. Each must get the status in the table.
pub type Credentials = Vec<Option<String>>;

/// Sends an operation for each cell of its columns. Returns the differences from the table.
pub async fn run(
    service: &Service,
    operation: &TableOperation,
    credentials: impl Fn(&Caller) -> Credentials,
) -> Vec<String> {
    let mut wrong = Vec::new();
    for visibility in operation.visibilities() {
        let mut attempts = Attempts::begin(service, operation, *visibility).await;
        for (caller, expected) in attempts.cells() {
            let expected = expected.unwrap_or(operation.success);
            for credential in &credentials(&caller) {
                if let Err(mismatch) = attempts.attempt(&caller, credential, expected).await {
                    let (name, visibility) = (operation.name, visibility.as_str());
                    wrong.push(format!(
                        "{name} {visibility} | {} | {mismatch}",
                        caller.label
                    ));
                }
            }
        }
    }
    wrong
}

/// Sends the requests for the cells of one column, one after the other. Creates a new target
/// when a success has consumed the last one.
pub struct Attempts<'a> {
    service: &'a Service,
    pub operation: &'a TableOperation,
    visibility: Visibility,
    pub target: Target,
    successes: usize,
    change_count: i64,
}

impl<'a> Attempts<'a> {
    pub async fn begin(
        service: &'a Service,
        operation: &'a TableOperation,
        visibility: Visibility,
    ) -> Self {
        let target = operation.target(service, visibility, 0).await;
        // On PostgreSQL, the first request records which server the database is on.
        service.anonymous().get("/versions").await;
        let change_count = change_count(service).await;
        Self {
            service,
            operation,
            visibility,
            target,
            successes: 0,
            change_count,
        }
    }

    pub fn cells(&self) -> Vec<Cell> {
        let column = self.visibility.column(self.operation.column);
        Table::read().column(self.operation.section, &column)
    }

    async fn attempt(
        &mut self,
        caller: &Caller,
        credential: &Option<String>,
        expected: u16,
    ) -> Result<(), String> {
        let client = match credential {
            Some(credential) => self.service.as_(credential),
            None => self.service.anonymous(),
        };
        let answer = self.send(&client, caller).await;
        let status = answer.status.as_u16();
        let mismatch = (status != expected).then(|| {
            let credential = credential.as_deref().unwrap_or("no token");
            format!(
                "{credential}: expected {expected}, got {status} {}",
                answer.text
            )
        });
        if !answer.status.is_success() {
            answer.message();
            explained::deciding_step(&explained::entry(self.service, &answer))?;
            let reads = self.operation.method == Method::GET;
            if !reads && change_count(self.service).await != self.change_count {
                return Err(format!("{status}, but something changed"));
            }
        } else if self.operation.method != Method::GET {
            self.record_success().await;
        }
        mismatch.map_or(Ok(()), Err)
    }

    pub async fn record_success(&mut self) {
        self.successes += 1;
        let (service, visibility) = (self.service, self.visibility);
        if self.operation.consumes_its_target() {
            self.target = self
                .operation
                .target(service, visibility, self.successes)
                .await;
        }
        self.change_count = change_count(service).await;
    }

    async fn send(&self, client: &Client<'_>, caller: &Caller) -> Answer {
        let path = self
            .target
            .path
            .replace("{installation}", &caller.installation().to_string());
        let body = self.target.body.as_ref().map(ToString::to_string);
        client
            .send(self.operation.method.clone(), &path, body)
            .await
    }
}

/// A number that grows with every change: the sum of the versions of what is cached, and the
/// row counts of what is not.
const CHANGE_COUNT: &str = "SELECT CAST((SELECT SUM(n) FROM version)
    + (SELECT COUNT(*) FROM git_object) + (SELECT COUNT(*) FROM reaction)
    + (SELECT COUNT(*) FROM notification) + (SELECT COUNT(*) FROM webhook_delivery)
    AS BIGINT)";

async fn change_count(service: &Service) -> i64 {
    let on = service.app.db.reads();
    let statement = Statement::from_string(on.get_database_backend(), CHANGE_COUNT);
    let row = on.query_one_raw(statement).await.unwrap().unwrap();
    row.try_get_by_index(0).unwrap()
}
