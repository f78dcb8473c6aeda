//! App installations: what their tokens, users and administrators can list and change.

mod changes;
mod lists;
mod tokens;
mod user_repositories;

use forge::app::Settings;
use serde_json::Value;

use crate::harness::{Answer, Service};

const WORLD: &str = include_str!("world.yaml");

async fn start() -> Service {
    Service::with(WORLD, Settings::default()).await
}

/// The ids of the items in one list of a response.
fn ids(answer: &Answer, list: &str) -> Vec<i64> {
    let body = answer.json();
    let items = body[list].as_array().unwrap().iter();
    items.map(|item| item["id"].as_i64().unwrap()).collect()
}

/// The keys under `permissions` that are true.
fn permissions(repository: &Value) -> Vec<String> {
    let granted = repository["permissions"].as_object().unwrap().iter();
    granted
        .filter(|(_, granted)| **granted == true)
        .map(|(name, _)| name.clone())
        .collect()
}
