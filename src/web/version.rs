//! The API version that a request selects.

use poem::http::HeaderMap;

use contract::problem::{FieldProblem, Problem};
use contract::version::ApiVersion;

/// The header of the specification, then its alias.
const HEADERS: [&str; 2] = ["X-Service-Api-Version", "X-GitHub-Api-Version"];

/// The requested version; by default the oldest supported one.
pub fn selected(headers: &HeaderMap) -> Result<ApiVersion, Problem> {
    let requested = HEADERS
        .iter()
        .find_map(|name| headers.get(*name).map(|value| (*name, value)));
    let Some((name, value)) = requested else {
        return Ok(ApiVersion::V2022_11_28);
    };
    let text = String::from_utf8_lossy(value.as_bytes());
    ApiVersion::parse(text.trim()).ok_or_else(|| unsupported(name, &text))
}

fn unsupported(header: &str, value: &str) -> Problem {
    let newest_first = ApiVersion::ALL.iter().rev().enumerate();
    let supported: Vec<_> = newest_first
        .map(|(place, version)| {
            let note = if place == 0 { " (most recent)" } else { "" };
            format!("\"{}\"{note}", version.as_str())
        })
        .collect();
    let printable: String = value
        .chars()
        .filter(|c| !c.is_control())
        .take(100)
        .collect();
    let message = format!(
        "The version you specified in the \"{header}\" request header, \"{printable}\", is not a \
         supported version. The following versions are currently supported: {}.",
        supported.join(" and ")
    );
    Problem::BadHeader(FieldProblem::custom("Request", header, message))
}
