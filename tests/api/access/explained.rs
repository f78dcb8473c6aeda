//! The journal explains every refusal of the table: it names the deciding check and gives
//! advice, and a caller that follows the advice succeeds. One missing permission can hide
//! another, so a caller may have to follow several pieces of advice, one after the other.

mod advice;

use contract::control::journal::{Check, ExplanationStep, JournalEntry, StepOutcome};
use forge::tokens;
use poem::http::Method;
use sea_orm::{EntityTrait, QueryFilter};
use storage::entities::{account, installation, repository, token};

use super::attempts::{Attempts, Credentials};
use super::callers::Caller;
use super::operations::TableOperation;
use crate::harness::{Answer, Service};

/// More pieces of advice than any caller of the table needs.
const MAX_ROUNDS: usize = 8;

/// Follows the advice for each refusal of a column until the request succeeds. The
/// operations of the column take turns.
pub async fn run(
    service: &Service,
    operations: &[TableOperation],
    credentials: impl Fn(&Caller, usize) -> Credentials,
) {
    let (mut wrong, mut followed) = (Vec::new(), 0);
    for visibility in operations[0].visibilities() {
        let mut all = Vec::new();
        for operation in operations {
            all.push(Attempts::begin(service, operation, *visibility).await);
        }
        for (caller, expected) in all[0].cells() {
            let Some(expected) = expected else { continue };
            for credential in credentials(&caller, followed) {
                let attempts = &mut all[followed % operations.len()];
                let mut advised = AdvisedCaller::new(service, &caller, credential);
                let outcome = advised.follow(attempts, expected).await;
                advised.undo().await;
                match outcome {
                    Ok(()) if attempts.operation.method != Method::GET => {
                        attempts.record_success().await;
                    }
                    Ok(()) => {}
                    Err(fault) => {
                        let (name, visibility) = (attempts.operation.name, visibility.as_str());
                        wrong.push(format!("{name} {visibility} | {} | {fault}", caller.label));
                    }
                }
                followed += 1;
            }
        }
    }
    assert!(followed > 0, "nobody is refused");
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// A caller that follows the advice of the journal.
struct AdvisedCaller<'a> {
    service: &'a Service,
    credential: Option<String>,
    installation: i64,
    undo: Vec<String>,
}

impl<'a> AdvisedCaller<'a> {
    fn new(service: &'a Service, caller: &Caller, credential: Option<String>) -> Self {
        Self {
            service,
            credential,
            installation: caller.installation(),
            undo: Vec::new(),
        }
    }

    async fn follow(&mut self, attempts: &Attempts<'_>, expected: u16) -> Result<(), String> {
        let mut explanations: Vec<String> = Vec::new();
        for round in 0..MAX_ROUNDS {
            let answer = self.send(attempts).await;
            let status = answer.status.as_u16();
            if round == 0 && status != expected {
                return Err(format!("expected {expected}, got {status}"));
            }
            if answer.status.is_success() {
                self.restore(attempts.operation.name, &answer).await;
                return Ok(());
            }
            let entry = entry(self.service, &answer);
            let step = deciding_step(&entry)?;
            explanations.push(entry.explanation.line.clone());
            let Some(advice) = step.advice.first() else {
                return Err(format!("no advice: {}", explanations.join("\n    ")));
            };
            self.apply(advice).await;
        }
        Err(format!(
            "still refused after all the advice:\n    {}",
            explanations.join("\n    ")
        ))
    }

    /// Lets `undo` revert a success that would fail the next caller: a revoked token, or a
    /// field that counts towards the limit.
    async fn restore(&mut self, operation: &str, answer: &Answer) {
        let revert = match operation {
            "revoke_installation_token" => {
                let token = self.token().await.id;
                format!("UPDATE token SET revoked_at = NULL WHERE id = {token}")
            }
            "create_issue_field" => {
                format!("DELETE FROM issue_field WHERE id = {}", answer.json()["id"])
            }
            "add_org_project_field" | "add_user_project_field" => {
                format!(
                    "DELETE FROM project_field WHERE id = {}",
                    answer.json()["id"]
                )
            }
            _ => return,
        };
        self.undo.push(revert);
    }

    async fn send(&self, attempts: &Attempts<'_>) -> Answer {
        let client = match &self.credential {
            Some(credential) => self.service.as_(credential),
            None => self.service.anonymous(),
        };
        let path = &attempts.target.path;
        let path = path.replace("{installation}", &self.installation.to_string());
        let body = attempts.target.body.as_ref().map(ToString::to_string);
        client
            .send(attempts.operation.method.clone(), &path, body)
            .await
    }

    async fn change(&mut self, sql: String, undo: String) {
        self.service.execute(&sql).await;
        self.undo.push(undo);
    }

    async fn undo(&mut self) {
        for sql in std::mem::take(&mut self.undo).into_iter().rev() {
            self.service.execute(&sql).await;
        }
    }

    async fn token(&self) -> token::Model {
        let value = self.credential.as_deref().unwrap();
        let found = token::Entity::find().filter(token::COLUMN.hash.eq(tokens::hash(value)));
        let found = found.one(self.service.app.db.reads()).await.unwrap();
        found.unwrap_or_else(|| panic!("no token {value}"))
    }

    async fn account(&self, login: &str) -> i64 {
        let found = account::Entity::find().filter(account::COLUMN.login_key.eq(login));
        let found = found.one(self.service.app.db.reads()).await.unwrap();
        found.unwrap_or_else(|| panic!("there is no {login}")).id
    }

    async fn repository(&self, full_name: &str) -> i64 {
        let (_, name) = full_name.split_once('/').unwrap();
        let found = repository::Entity::find().filter(repository::COLUMN.name_key.eq(name));
        let found = found.one(self.service.app.db.reads()).await.unwrap();
        found
            .unwrap_or_else(|| panic!("there is no {full_name}"))
            .id
    }

    async fn installation_by_id(&self, id: i64) -> installation::Model {
        let found = installation::Entity::find_by_id(id);
        let found = found.one(self.service.app.db.reads()).await.unwrap();
        found.unwrap_or_else(|| panic!("there is no installation {id}"))
    }
}

/// The journal entry that the answer names in its header.
pub fn entry(service: &Service, answer: &Answer) -> JournalEntry {
    let id = answer.header("x-forgewright-journal").unwrap();
    let journal = &service.app.tools.as_ref().unwrap().journal;
    let entry = JournalEntry::from(&*journal.get(id).unwrap());
    assert_eq!(entry.status, answer.status.as_u16());
    entry
}

/// The step that refused the request. It must be the last one.
pub fn deciding_step(entry: &JournalEntry) -> Result<ExplanationStep, String> {
    let explanation = &entry.explanation;
    let mut refused = explanation.steps.iter();
    let refused = refused.find(|step| step.outcome != StepOutcome::Passed);
    let (Some(refused), Some(last)) = (refused, explanation.steps.last()) else {
        return Err(format!("nothing refused: {}", explanation.line));
    };
    let fault = |what: &str| Err(format!("{what}: {}", explanation.line));
    if refused.sentence != last.sentence {
        return fault("there are steps after the refusal");
    }
    let absent = refused.check == Check::Existence;
    let hidden = refused.outcome == StepOutcome::Hidden || absent;
    let consistent = hidden == (entry.status == 404);
    if !consistent || !explanation.line.ends_with(&format!("→ {}", entry.status)) {
        return fault("the status does not match the step");
    }
    let compared = [&refused.needed, &refused.found];
    let unnamed = compared
        .iter()
        .any(|words| words.0.as_deref().is_none_or(str::is_empty));
    let compares_nothing = [Check::Existence, Check::Credential].contains(&refused.check);
    if unnamed && !compares_nothing {
        return fault("it does not say what is needed");
    }
    Ok(refused.clone())
}
