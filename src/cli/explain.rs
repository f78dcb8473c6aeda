//! `forgewright explain`: why a running server answered a request as it did, from its journal.

use clap::Args;
use poem::http::Method;
use serde_json::Value;

use super::Failure;
use super::control::ServerConfig;
use super::print;

#[derive(Debug, Args)]
pub struct ExplainCommand {
    /// The `X-GitHub-Request-Id` of the response, its number in the journal, or `latest`
    #[arg(value_name = "REQUEST_ID", default_value = "latest")]
    request: String,

    #[command(flatten)]
    server: ServerConfig,
}

pub async fn run(command: &ExplainCommand) -> Result<(), Failure> {
    let server = &command.server;
    let entry = match command.request.as_str() {
        "latest" => {
            let entries = server.send(Method::GET, "journal?per_page=1", None).await?;
            let newest = entries.as_array().and_then(|list| list.first());
            newest.cloned().ok_or_else(|| {
                Failure::Other("this world has not received a request yet".to_owned())
            })?
        }
        id => {
            let path = format!("journal/{id}");
            server.send(Method::GET, &path, None).await?
        }
    };
    print::all(format_args!("{}", format_entry(&entry)))
}

/// The request, the explanation in a line, and its steps.
fn format_entry(entry: &Value) -> String {
    let text_of = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut text = format!(
        "{} {}  {}  {}  {}\n{}\n",
        text_of(&entry["method"]),
        text_of(&entry["path"]),
        entry["status"],
        text_of(&entry["at"]),
        text_of(&entry["request_id"]),
        text_of(&entry["explanation"]["line"]),
    );
    let steps = entry["explanation"]["steps"].as_array();
    for step in steps.into_iter().flatten() {
        text.push_str(&format!(
            "  {:<10}  {:<7}  {}\n",
            text_of(&step["check"]),
            text_of(&step["outcome"]),
            text_of(&step["sentence"]),
        ));
        for advice in step["advice"].as_array().into_iter().flatten() {
            text.push_str(&format!(
                "  {:<19}  → {}\n",
                "",
                text_of(&advice["sentence"])
            ));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_entry_is_shown_with_its_steps_and_what_would_help() {
        let entry = json!({
            "method": "GET", "path": "/repos/acme/secret", "status": 404,
            "at": "2026-03-10T09:30:00Z", "request_id": "3A5C:0000:000000:00002A:69B00DD8",
            "explanation": {
                "line": "installation 7001 → not selected → hidden → 404",
                "steps": [{
                    "check": "reach", "outcome": "hidden", "sentence": "not selected",
                    "advice": [{"sentence": "Select it."}],
                }],
            },
        });
        let expected = "GET /repos/acme/secret  404  2026-03-10T09:30:00Z  \
                        3A5C:0000:000000:00002A:69B00DD8\n\
                        installation 7001 → not selected → hidden → 404\n\
                        \x20 reach       hidden   not selected\n\
                        \x20                      → Select it.\n";
        assert_eq!(format_entry(&entry), expected);
    }
}
