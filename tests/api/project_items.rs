//! Items of projects: lists and filters, adding, values, archiving, what is hidden, and what
//! apps hear.

mod adding;
mod events;
mod filtering;
mod hiding;
mod listing;
mod permissions;
mod updating;

use forgewright::app::Settings;
use serde_json::Value;

use crate::harness::{Answer, Service};

const WORLD: &str = include_str!("project_items/world.yaml");
const ITEMS: &str = "/orgs/acme/projectsV2/1/items";
const DRAFTS: &str = "/orgs/acme/projectsV2/1/drafts";
const CHORES: &str = "/users/alice/projectsV2/1/items";
const CHORE_DRAFTS: &str = "/user/1001/projectsV2/1/drafts";

async fn start() -> Service {
    Service::with(WORLD, Settings::default()).await
}

fn refusals(answer: &Answer) -> Vec<(String, String)> {
    answer.refusals("ProjectV2Item")
}

fn refusal(field: &str) -> Vec<(String, String)> {
    vec![(field.to_owned(), "invalid".to_owned())]
}

/// The ids of a list, in order.
fn ids(list: &Value) -> Vec<i64> {
    let rows = list.as_array().unwrap().iter();
    rows.map(|row| row["id"].as_i64().unwrap()).collect()
}

/// The items that alice finds.
async fn listed(service: &Service, query: &str) -> Vec<i64> {
    found(service, "alice", query).await
}

async fn found(service: &Service, token: &str, query: &str) -> Vec<i64> {
    let answer = service.as_(token).get(&format!("{ITEMS}{query}")).await;
    ids(&answer.expect(200).json())
}

/// The id of an option or an iteration of a field, by its place.
async fn key(service: &Service, field: i64, place: usize) -> Value {
    let path = format!("/orgs/acme/projectsV2/1/fields/{field}");
    let field = service.as_("alice").get(&path).await.expect(200).json();
    match field["options"].is_array() {
        true => field["options"][place]["id"].clone(),
        false => field["configuration"]["iterations"][place]["id"].clone(),
    }
}
