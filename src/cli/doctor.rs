//! `forgewright doctor`: checks the invariants of the database. Exits with an error if one
//! is violated, for use in scripts.

use clap::Args;

use super::{Failure, print};
use crate::config::DatabaseConfig;
use crate::doctor::{self, Report};
use storage::database::{Connection, inspect};

#[derive(Debug, Args)]
pub struct DoctorCommand {
    /// Also check the content of every Git object
    #[arg(long)]
    objects: bool,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    database: DatabaseConfig,
}

pub async fn run(command: &DoctorCommand) -> Result<(), Failure> {
    let report = examine(inspect(&command.database.url()).await?, command.objects).await?;
    let text = match command.json {
        true => serde_json::to_string_pretty(&report).map_err(Failure::of)? + "\n",
        false => format_report(&report),
    };
    let printed = print::all(format_args!("{text}"));
    // Damage is a failure even if printing the report fails.
    verdict(&report, "the database").and(printed)
}

/// Examines a database and closes it.
pub async fn examine(db: Connection, objects: bool) -> Result<Report, Failure> {
    let report = doctor::examine(&db, objects).await?;
    db.close().await?;
    Ok(report)
}

/// Fails if the report has findings.
pub fn verdict(report: &Report, subject: &str) -> Result<(), Failure> {
    match report.findings.len() {
        0 => Ok(()),
        count => Err(Failure::Other(format!(
            "{subject} fails {count} of {} checks",
            report.checks
        ))),
    }
}

/// Formats the report for people.
pub fn format_report(report: &Report) -> String {
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
            "{}: {}; {} violation(s): {}{more}\n",
            finding.name,
            finding.rule,
            finding.total,
            finding.ids.join(", ")
        ));
    }
    text
}
