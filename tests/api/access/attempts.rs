//! Requests, one for each cell of a column, and what they must not change.

use poem::http::Method;
use sea_orm::{ConnectionTrait, Statement};

use super::callers::Caller;
use super::explained;
use super::operations::{Act, Place, Target};
use super::table::{Cell, Table};
use crate::harness::{Answer, Service, Speaker};

/// Those who stand for a caller, of whom each must get what the table says.
pub type Credentials = Vec<Option<String>>;

/// An operation in each cell that is its own: what differs from the table.
pub async fn run(
    service: &Service,
    act: &Act,
    credentials: impl Fn(&Caller) -> Credentials,
) -> Vec<String> {
    let mut wrong = Vec::new();
    for place in act.places() {
        let mut attempts = Attempts::begin(service, act, *place).await;
        for (caller, expected) in attempts.cells() {
            let expected = expected.unwrap_or(act.success);
            for credential in &credentials(&caller) {
                if let Err(found) = attempts.attempt(&caller, credential, expected).await {
                    let (name, place) = (act.name, place.word());
                    wrong.push(format!("{name} {place} | {} | {found}", caller.label));
                }
            }
        }
    }
    wrong
}

/// The cells of one column, one after the other. What a success has used up is
/// laid out anew for the next.
pub struct Attempts<'a> {
    service: &'a Service,
    pub act: &'a Act,
    place: Place,
    pub target: Target,
    successes: usize,
    state: i64,
}

impl<'a> Attempts<'a> {
    pub async fn begin(service: &'a Service, act: &'a Act, place: Place) -> Self {
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

    pub fn cells(&self) -> Vec<Cell> {
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
            let reads = self.act.method == Method::GET;
            if !reads && state(self.service).await != self.state {
                return Err(format!("{status}, and yet something changed"));
            }
        } else if self.act.method != Method::GET {
            self.renew().await;
        }
        fault.map_or(Ok(()), Err)
    }

    pub async fn renew(&mut self) {
        self.successes += 1;
        let (service, place) = (self.service, self.place);
        if self.act.uses_up() {
            self.target = self.act.target(service, place, self.successes).await;
        }
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
