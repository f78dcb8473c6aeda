//! Issues, and pull requests as issues: listing, creating, updating, assigning and locking.

mod assigning;
mod changing;
mod creating;
mod events;
mod large;
mod listing;
mod lists;
mod locking;
mod long_lists;
mod permissions;

use forge::app::Settings;
use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::{Answer, Service};

pub const WORLD: &str = include_str!("issues/world.yaml");
pub const ISSUES: &str = "/repos/acme/gadgets/issues";
/// The issues of a private repository.
pub const WIDGETS: &str = "/repos/acme/widgets/issues";

pub async fn start() -> Service {
    Service::with(WORLD, Settings::default()).await
}

/// Opens an issue, and returns it.
pub async fn open_issue(service: &Service, token: &str, body: Value) -> Value {
    service
        .as_(token)
        .post(ISSUES, body)
        .await
        .expect(201)
        .json()
}

pub async fn get_issue(service: &Service, number: i64) -> Value {
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

/// One key of each item of a list, such as the names of the labels of an issue.
pub fn pluck(body: &Value, list: &str, key: &str) -> Vec<String> {
    let rows = body[list].as_array().unwrap().iter();
    rows.map(|row| row[key].as_str().unwrap().to_owned())
        .collect()
}

/// The field and the code of each error of a 422.
pub fn errors(answer: &Answer) -> Vec<(String, String)> {
    assert_eq!(answer.message(), "Validation Failed", "{}", answer.text);
    let body = answer.json();
    let errors = body["errors"].as_array().unwrap().iter();
    errors
        .map(|error| {
            let text = |key: &str| error[key].as_str().unwrap().to_owned();
            (text("field"), text("code"))
        })
        .collect()
}

fn numbers(rows: &Value) -> Vec<i64> {
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| row["number"].as_i64().unwrap()).collect()
}

async fn list_numbers(service: &Service, query: &str) -> Vec<i64> {
    let answer = service.as_("alice").get(&format!("{ISSUES}{query}")).await;
    numbers(&answer.expect(200).json())
}

/// A request body with a title and nothing else.
fn titled(title: &str) -> Value {
    json!({"title": title})
}
