//! `forgewright doctor`: whether all that must hold in the database does. It
//! fails if something does not, so that a script can ask.

use clap::Args;
use sea_orm::DatabaseConnection;

use super::{Failure, print};
use crate::config::DatabaseConfig;
use crate::database::inspect;
use crate::doctor::{self, Report};

#[derive(Debug, Args)]
pub struct DoctorCommand {
    /// Also read the content of every Git object
    #[arg(long)]
    objects: bool,

    /// Say what was found as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    database: DatabaseConfig,
}

pub async fn run(command: &DoctorCommand) -> Result<(), Failure> {
    let report = examine(&inspect(&command.database.url()).await?, command.objects).await?;
    let text = match command.json {
        true => serde_json::to_string_pretty(&report).map_err(Failure::of)? + "\n",
        false => told(&report),
    };
    let printed = print::all(format_args!("{text}"));
    // Damage is a failure, whether or not anybody reads of it.
    verdict(&report, "the database").and(printed)
}

/// Looks at a database and closes it.
pub async fn examine(db: &DatabaseConnection, objects: bool) -> Result<Report, Failure> {
    let report = doctor::examine(db, objects).await?;
    db.close_by_ref().await?;
    Ok(report)
}

/// A failure if anything was found.
pub fn verdict(report: &Report, what: &str) -> Result<(), Failure> {
    match report.findings.len() {
        0 => Ok(()),
        count => Err(Failure::Other(format!(
            "{what} breaks {count} of {} rules",
            report.checks
        ))),
    }
}

/// What was found, for people.
pub fn told(report: &Report) -> String {
    if report.is_clean() {
        return format!("All {} checks pass.\n", report.checks);
    }
    let mut text = String::new();
    for finding in &report.findings {
        let more = if finding.total > i64::try_from(finding.ids.len()).unwrap_or(i64::MAX) {
            ", …"
        } else {
            ""
        };
        text.push_str(&format!(
            "{}: {}, but not for {}: {}{more}\n",
            finding.name,
            finding.rule,
            finding.total,
            finding.ids.join(", ")
        ));
    }
    text
}
