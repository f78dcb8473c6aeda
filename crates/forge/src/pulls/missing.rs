//! The error for a number that no pull request has.

use crate::explain::{is_recording, mistake, note};
use crate::issues;
use contract::control::journal::Check;
use contract::problem::Problem;
use contract::reply::Outcome;
use storage::database::Connection;

/// 404. Explains it if an issue has the number.
pub async fn missing(reads: &Connection, repository: i64, number: i64) -> Outcome<Problem> {
    if is_recording()
        && issues::rows::issue(reads, repository, number)
            .await?
            .is_some()
    {
        note(|| {
            let advice = format!("Use /issues/{number}, or the number of a pull request.");
            let sentence = "is an issue, not a pull request";
            mistake(Check::Existence, format!("#{number}"), sentence, advice)
        });
    }
    Ok(Problem::NotFound)
}
