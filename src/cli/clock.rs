//! `forgewright clock`: shows and changes the time of a world that a running server serves.

use clap::{Args, Subcommand};
use poem::http::Method;
use serde_json::{Value, json};

use super::Failure;
use super::control::ServerConfig;
use super::print::say;
use contract::values::Timestamp;

#[derive(Debug, Args)]
pub struct ClockCommand {
    #[command(subcommand)]
    action: Option<ClockAction>,

    #[command(flatten)]
    server: ServerConfig,
}

#[derive(Debug, Subcommand)]
enum ClockAction {
    /// Show the time (the default)
    Show,
    /// Freeze the time
    Freeze,
    /// Resume the time from where it was frozen
    Unfreeze,
    /// Set the time
    Set {
        /// A time such as 2026-03-10T09:30:00Z
        #[arg(value_name = "TIME", value_parser = timestamp)]
        now: Timestamp,
    },
    /// Move the time forward or back
    Advance {
        /// A duration: 90, 90s, 15m, 2h or 3d; negative to go back
        #[arg(value_name = "DURATION", value_parser = seconds, allow_hyphen_values = true)]
        by: i64,
    },
    /// Return to the system time
    Release,
}

pub async fn run(command: &ClockCommand) -> Result<(), Failure> {
    let (method, body) = match command.action {
        None | Some(ClockAction::Show) => (Method::GET, None),
        Some(ClockAction::Freeze) => (Method::PATCH, Some(json!({"frozen": true}))),
        Some(ClockAction::Unfreeze) => (Method::PATCH, Some(json!({"frozen": false}))),
        Some(ClockAction::Set { now }) => (Method::PATCH, Some(json!({"now": now}))),
        Some(ClockAction::Advance { by }) => (Method::PATCH, Some(json!({"advance": by}))),
        Some(ClockAction::Release) => (Method::DELETE, None),
    };
    let clock = command.server.send(method, "clock", body.as_ref()).await?;
    say!("{}", sentence(&clock))
}

fn sentence(clock: &Value) -> String {
    let now = clock["now"].as_str().unwrap_or_default();
    let frozen = match clock["frozen"] == true {
        true => ", frozen",
        false => "",
    };
    match clock["offset"].as_i64().unwrap_or_default() {
        0 => format!("{now}{frozen}"),
        ahead @ 1.. => format!("{now}{frozen}, {ahead} s ahead of the system"),
        behind => format!(
            "{now}{frozen}, {} s behind the system",
            behind.unsigned_abs()
        ),
    }
}

fn timestamp(text: &str) -> Result<Timestamp, String> {
    Timestamp::parse(text).ok_or_else(|| "expected a time such as 2026-03-10T09:30:00Z".to_owned())
}

fn seconds(text: &str) -> Result<i64, String> {
    let usage = || "expected a duration such as 90, 90s, 15m, 2h or 3d".to_owned();
    let (number, unit) = match text.strip_suffix(['s', 'm', 'h', 'd']) {
        Some(number) => (number, &text[number.len()..]),
        None => (text, "s"),
    };
    let unit = match unit {
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        _ => 1,
    };
    let number: i64 = number.parse().map_err(|_| usage())?;
    number.checked_mul(unit).ok_or_else(usage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        for (text, expected) in [
            ("90", 90),
            ("90s", 90),
            ("15m", 900),
            ("2h", 7200),
            ("3d", 259_200),
            ("-1h", -3600),
        ] {
            assert_eq!(seconds(text), Ok(expected), "{text}");
        }
        for invalid in ["", "h", "1w", "1.5h", "9223372036854775807d"] {
            assert!(seconds(invalid).is_err(), "{invalid}");
        }
    }

    #[test]
    fn the_clock_is_one_line() {
        let clock = |frozen: bool, offset: i64| {
            sentence(&json!({"now": "2026-03-10T09:30:00Z", "frozen": frozen, "offset": offset}))
        };
        assert_eq!(clock(false, 0), "2026-03-10T09:30:00Z");
        assert_eq!(
            clock(true, 60),
            "2026-03-10T09:30:00Z, frozen, 60 s ahead of the system"
        );
        assert_eq!(
            clock(false, -1),
            "2026-03-10T09:30:00Z, 1 s behind the system"
        );
    }
}
