//! Headers in the details of deliveries.

use poem::http::HeaderMap;
use serde_json::{Map, Value};

/// Headers as a JSON object. The last of several with one name wins.
pub(super) fn to_json(headers: &HeaderMap) -> Value {
    let fields = headers.iter().map(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes());
        let name = capitalized(name.as_str());
        (name, Value::from(value.into_owned()))
    });
    Value::Object(Map::from_iter(fields))
}

/// `x-hub-signature` → `X-Hub-Signature`.
fn capitalized(name: &str) -> String {
    let words = name.split('-').map(|word| match word {
        "github" => "GitHub".to_owned(),
        "id" => "ID".to_owned(),
        _ => {
            let mut letters = word.chars();
            let first = letters.next().map(|first| first.to_ascii_uppercase());
            first.into_iter().chain(letters).collect()
        }
    });
    words.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_names_are_capitalized_as_on_github() {
        assert_eq!(capitalized("x-github-hook-id"), "X-GitHub-Hook-ID");
        assert_eq!(capitalized("content-type"), "Content-Type");
    }
}
