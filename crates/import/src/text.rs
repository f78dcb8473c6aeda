//! Values of the API in the form that a world file takes. Whatever a server sends, the file is
//! one that loads.

use serde_json::{Map, Value};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// The largest id and number of a world file.
const LARGEST: i64 = 1 << 52;

/// The longest text of a comment.
const LONGEST: usize = 65_536;

const MAX_TITLE: usize = 1_024;

/// An item of a world file: keys without a value are left out.
pub fn record(value: Value) -> Value {
    let Value::Object(entries) = value else {
        return value;
    };
    let absent = |value: &Value| match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        _ => false,
    };
    let entries = entries.into_iter().filter(|(_, value)| !absent(value));
    Value::Object(entries.collect::<Map<_, _>>())
}

pub fn id(id: i64) -> Option<i64> {
    (1..=LARGEST).contains(&id).then_some(id)
}

/// A time since 1970.
pub fn time(text: &Option<String>) -> Option<String> {
    let text = text.as_deref()?;
    let time = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    (time.unix_timestamp() >= 0 && text.len() <= 40).then(|| text.to_owned())
}

/// A text without characters that no database stores.
pub fn text(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

pub fn optional(value: &Option<String>) -> Option<String> {
    value.as_deref().map(text)
}

/// A text that is neither blank nor too long, as a comment must have.
pub fn comment(body: &str) -> Option<String> {
    let fits = !body.trim().is_empty() && body.chars().count() <= LONGEST;
    fits.then(|| text(body))
}

/// A title; a blank one is replaced.
pub fn title(title: &str) -> String {
    let title: String = text(title).chars().take(MAX_TITLE).collect();
    match title.trim().is_empty() {
        true => "(no title)".to_owned(),
        false => title,
    }
}

pub fn sha(text: &str) -> Option<&str> {
    let is_sha = text.len() == 40
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_sha.then_some(text)
}

/// Whether Git accepts the name of a branch.
pub fn is_branch(name: &str) -> bool {
    let part = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    name.len() <= 200
        && !name.starts_with('-')
        && !name.ends_with('.')
        && name != "@"
        && !name.contains("..")
        && !name.contains("@{")
        && name.split('/').all(part)
        && !name.contains(|c: char| c.is_control() || " ~^:?*[\\".contains(c))
}

/// The address of a page, which a world file may refer to.
pub fn url(text: &Option<String>) -> Option<String> {
    let text = text.as_deref()?;
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"))?;
    let valid = !rest.is_empty() && text.len() <= 2_048;
    let valid = valid && !text.contains(|c: char| c.is_whitespace() || c.is_control());
    valid.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_without_a_value_are_left_out() {
        let item = json!({"a": null, "b": [], "c": {}, "d": 0, "e": false, "f": ""});
        assert_eq!(record(item), json!({"d": 0, "e": false, "f": ""}));
    }

    #[test]
    fn a_value_that_no_world_has_is_replaced_or_left_out() {
        assert_eq!(
            (id(0), id(-1), id(i64::MAX), id(7)),
            (None, None, None, Some(7))
        );
        assert_eq!(time(&Some("1969-12-31T23:59:59Z".into())), None);
        assert_eq!(time(&Some("soon".into())), None);
        assert!(time(&Some("2026-01-02T03:04:05Z".into())).is_some());
        assert_eq!(comment(" \n"), None);
        assert_eq!(comment(&"x".repeat(LONGEST + 1)), None);
        assert_eq!(comment("a\0b").unwrap(), "a\u{fffd}b");
        assert_eq!(title(" "), "(no title)");
        assert_eq!(sha("HEAD"), None);
        assert_eq!(url(&Some("javascript:alert(1)".into())), None);
    }

    #[test]
    fn a_branch_has_a_name_that_git_accepts() {
        for name in ["main", "octocat/fix-1", "a.b", "ä"] {
            assert!(is_branch(name), "{name}");
        }
        for name in [
            "", "-x", "a..b", "a b", "/a", "a/", "a//b", "a.lock", ".a", "@", "a@{1}", "a.",
        ] {
            assert!(!is_branch(name), "{name}");
        }
    }
}
