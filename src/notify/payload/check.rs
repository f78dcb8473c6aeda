//! Check runs and suites in payloads.

use serde_json::{Map, Value, json};

use super::{known, value};
use crate::contract::apps::Integration;
use crate::contract::checks::{CheckRun, CheckSuite};
use crate::contract::reply::Outcome;

/// What the event `check_run` tells besides its action. The suite is shown in short.
pub(super) fn run(run: &CheckRun, suite: &CheckSuite) -> Outcome<Value> {
    const SHORT: [&str; 4] = [
        "repository",
        "head_commit",
        "latest_check_runs_count",
        "check_runs_url",
    ];
    let mut shown = value(run)?;
    let mut suite = sent_suite(suite)?;
    if let Value::Object(suite) = &mut suite {
        SHORT.iter().for_each(|field| drop(suite.remove(*field)));
    }
    shown["check_suite"] = suite;
    shown["app"] = sent_app(run.app.as_ref())?;
    Ok(json!({"check_run": shown}))
}

/// What the event `check_suite` tells besides its action.
pub(super) fn suite(suite: &CheckSuite) -> Outcome<Value> {
    Ok(json!({"check_suite": sent_suite(suite)?}))
}

fn sent_suite(suite: &CheckSuite) -> Outcome<Value> {
    let mut shown = value(suite)?;
    shown["app"] = sent_app(suite.app.as_ref())?;
    if let Value::Object(shown) = &mut shown {
        shown.remove("repository");
    }
    Ok(shown)
}

/// Removes the fields that the schemas do not have.
fn sent_app(app: Option<&Integration>) -> Outcome<Value> {
    let Some(app) = app else {
        return Ok(Value::Object(Map::new()));
    };
    let mut app = app.clone();
    app.owner = known(app.owner);
    let mut shown = value(&app)?;
    if let Value::Object(shown) = &mut shown {
        shown.remove("client_id");
    }
    Ok(shown)
}
