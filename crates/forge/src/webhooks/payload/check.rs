//! Check runs and suites in payloads.

use serde_json::{Map, Value, json};

use super::{value, webhook_user};
use contract::apps::Integration;
use contract::checks::{CheckRun, CheckSuite};
use contract::reply::Outcome;

/// The fields of the event `check_run` besides its action, with a short form of the suite.
pub(super) fn run(run: &CheckRun, suite: &CheckSuite) -> Outcome<Value> {
    const OMITTED_FIELDS: [&str; 4] = [
        "repository",
        "head_commit",
        "latest_check_runs_count",
        "check_runs_url",
    ];
    let mut fields = value(run)?;
    let mut suite = webhook_suite(suite)?;
    if let Value::Object(suite) = &mut suite {
        OMITTED_FIELDS
            .iter()
            .for_each(|field| drop(suite.remove(*field)));
    }
    fields["check_suite"] = suite;
    fields["app"] = webhook_app(run.app.as_ref())?;
    Ok(json!({"check_run": fields}))
}

/// The fields of the event `check_suite` besides its action.
pub(super) fn suite(suite: &CheckSuite) -> Outcome<Value> {
    Ok(json!({"check_suite": webhook_suite(suite)?}))
}

fn webhook_suite(suite: &CheckSuite) -> Outcome<Value> {
    let mut fields = value(suite)?;
    fields["app"] = webhook_app(suite.app.as_ref())?;
    if let Value::Object(fields) = &mut fields {
        fields.remove("repository");
    }
    Ok(fields)
}

/// Removes the fields that the schemas do not have.
fn webhook_app(app: Option<&Integration>) -> Outcome<Value> {
    let Some(app) = app else {
        return Ok(Value::Object(Map::new()));
    };
    let mut app = app.clone();
    app.owner = webhook_user(app.owner);
    let mut fields = value(&app)?;
    if let Value::Object(fields) = &mut fields {
        fields.remove("client_id");
    }
    Ok(fields)
}
