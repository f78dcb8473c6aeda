//! Issues, and pull requests as issues: lists, making and changing them, locking.

mod assigning;
mod changing;
mod creating;
mod events;
mod listing;
mod locking;
mod long_lists;
mod permissions;

use forgewright::app::Settings;
use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::{Answer, Service};

pub const WORLD: &str = include_str!("issues/world.yaml");
pub const ISSUES: &str = "/repos/acme/gadgets/issues";
/// The same in a private repository.
pub const WIDGETS: &str = "/repos/acme/widgets/issues";

pub async fn start() -> Service {
    Service::with(WORLD, Settings::default()).await
}

/// Opens an issue, and gives it back.
pub async fn opened(service: &Service, token: &str, body: Value) -> Value {
    service
        .as_(token)
        .post(ISSUES, body)
        .await
        .expect(201)
        .json()
}

pub async fn issue(service: &Service, number: i64) -> Value {
    let path = format!("{ISSUES}/{number}");
    service.as_("alice").get(&path).await.expect(200).json()
}

pub async fn send(
    service: &Service,
    token: &str,
    method: Method,
    path: &str,
    body: Value,
) -> Answer {
    let body = Some(body.to_string());
    service.as_(token).send(method, path, body).await
}

/// The names of the labels, or the logins of the assignees, that something has.
pub fn words(shown: &Value, list: &str, key: &str) -> Vec<String> {
    let rows = shown[list].as_array().unwrap().iter();
    rows.map(|row| row[key].as_str().unwrap().to_owned())
        .collect()
}

/// The refused fields of an answer, with the codes.
pub fn refused(answer: &Answer) -> Vec<(String, String)> {
    assert_eq!(answer.message(), "Validation Failed", "{}", answer.text);
    let body = answer.json();
    let errors = body["errors"].as_array().unwrap().iter();
    errors
        .map(|error| {
            let word = |key: &str| error[key].as_str().unwrap().to_owned();
            (word("field"), word("code"))
        })
        .collect()
}

fn numbers(rows: &Value) -> Vec<i64> {
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| row["number"].as_i64().unwrap()).collect()
}

async fn listed(service: &Service, query: &str) -> Vec<i64> {
    let answer = service.as_("alice").get(&format!("{ISSUES}{query}")).await;
    numbers(&answer.expect(200).json())
}

/// An issue with a title and nothing else.
fn titled(title: &str) -> Value {
    json!({"title": title})
}
