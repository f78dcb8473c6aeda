//! Project items: lists and filters, adding, field values, archiving, hidden content, and
//! webhook events.

mod adding;
mod events;
mod filtering;
mod hiding;
mod listing;
mod permissions;
mod updating;

use forge::app::Settings;
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

fn errors(answer: &Answer) -> Vec<(String, String)> {
    answer.refusals("ProjectV2Item")
}

fn invalid(field: &str) -> Vec<(String, String)> {
    vec![(field.to_owned(), "invalid".to_owned())]
}

/// The ids of a list, in order.
fn ids(list: &Value) -> Vec<i64> {
    let rows = list.as_array().unwrap().iter();
    rows.map(|row| row["id"].as_i64().unwrap()).collect()
}

/// The ids of the items that alice can list.
async fn list_ids(service: &Service, query: &str) -> Vec<i64> {
    list_ids_as(service, "alice", query).await
}

async fn list_ids_as(service: &Service, token: &str, query: &str) -> Vec<i64> {
    let answer = service.as_(token).get(&format!("{ITEMS}{query}")).await;
    ids(&answer.expect(200).json())
}

/// The id of an option or an iteration of a field, by its index.
async fn choice_id(service: &Service, field: i64, index: usize) -> Value {
    let path = format!("/orgs/acme/projectsV2/1/fields/{field}");
    let field = service.as_("alice").get(&path).await.expect(200).json();
    match field["options"].is_array() {
        true => field["options"][index]["id"].clone(),
        false => field["configuration"]["iterations"][index]["id"].clone(),
    }
}
