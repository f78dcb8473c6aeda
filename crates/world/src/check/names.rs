//! The syntax of names: logins, repositories, slugs, refs, paths, token values. Each function
//! returns the expected form, or None if the name is valid. `index.rs` checks whether a name
//! refers to something.

use crate::findings::{Finding, Findings, quoted};
use crate::yaml::At;
use forge::outbound::address::WebhookTarget;
use git::path_fault;
use git::refs::RefName;

const MAX_LOGIN: usize = 39;
const MAX_REPOSITORY: usize = 100;
const MAX_SLUG: usize = 34;
const MAX_TITLE: usize = 1_024;
const MAX_PERSON: usize = 1_024;
const MAX_COMPONENT: usize = 255;

/// The expected form, if a name is malformed.
pub type Complaint = Option<&'static str>;

/// Reports names that are malformed.
pub fn require<'n>(
    names: impl IntoIterator<Item = &'n At<String>>,
    kind: &str,
    rule: fn(&str) -> Complaint,
    findings: &mut Findings,
) {
    for name in names {
        if let Some(expected) = rule(&name.value) {
            findings.push(
                Finding::at(name.location, format!("malformed {kind}"))
                    .expected(expected)
                    .found(quoted(&name.value)),
            );
        }
    }
}

fn unless(valid: bool, expected: &'static str) -> Complaint {
    (!valid).then_some(expected)
}

/// GitHub's rule for the names of accounts.
pub fn login(name: &str) -> Complaint {
    unless(
        hyphenated(name, |c| c.is_ascii_alphanumeric()) && name.len() <= MAX_LOGIN,
        "letters, digits and single hyphens between them, at most 39 characters",
    )
}

/// GitHub's rule for the names of apps, in the form that addresses have.
pub fn slug(name: &str) -> Complaint {
    unless(
        hyphenated(name, |c| c.is_ascii_lowercase() || c.is_ascii_digit())
            && name.len() <= MAX_SLUG,
        "lower-case letters, digits and single hyphens between them, at most 34 characters",
    )
}

fn hyphenated(name: &str, allowed: fn(char) -> bool) -> bool {
    name.split('-')
        .all(|part| !part.is_empty() && part.chars().all(allowed))
}

/// `owner/name`, where the owner is checked as a reference.
pub fn full_name(name: &str) -> Complaint {
    let valid = name.split_once('/').is_some_and(|(_, name)| {
        (1..=MAX_REPOSITORY).contains(&name.len())
            && name != "."
            && name != ".."
            && !name.to_ascii_lowercase().ends_with(".git")
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
    });
    unless(
        valid,
        "`owner/name` with a name of letters, digits, `.`, `_` and `-`, at most 100 characters, not ending in `.git`",
    )
}

/// A commit that need not exist.
pub fn sha(name: &str) -> Complaint {
    let valid = name.len() == 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    unless(valid, "a SHA-1 of 40 hexadecimal digits")
}

pub fn topic(name: &str) -> Complaint {
    let valid = (1..=50).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    unless(
        valid,
        "lower-case letters, digits and hyphens, at most 50 characters",
    )
}

pub fn spdx(name: &str) -> Complaint {
    let valid = (1..=64).contains(&name.len())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || ".+-".contains(c));
    unless(valid, "an SPDX id such as `MIT` or `Apache-2.0`")
}

pub fn event(name: &str) -> Complaint {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let valid = (1..=100).contains(&name.len()) && name.chars().all(fits);
    unless(valid, "an event name such as `pull_request`")
}

pub fn url(name: &str) -> Complaint {
    let rest = name
        .strip_prefix("https://")
        .or_else(|| name.strip_prefix("http://"));
    let valid = rest.is_some_and(|rest| {
        !rest.is_empty() && !name.chars().any(|c| c.is_whitespace() || c.is_control())
    });
    unless(valid, "an address that starts with `https://` or `http://`")
}

/// A URL that deliveries can be sent to; whether it is allowed is checked on delivery.
pub fn webhook_url(name: &str) -> Complaint {
    let expected = "a host and perhaps a port and a path, as in `https://ci.example/hooks`";
    url(name).or_else(|| unless(WebhookTarget::parse(name).is_ok(), expected))
}

/// The name of a person, an organization or an app, or a title.
pub fn title(text: &str) -> Complaint {
    unless(
        !text.trim().is_empty() && text.chars().count() <= MAX_TITLE,
        "text that is not blank, at most 1024 characters",
    )
}

pub fn not_blank(text: &str) -> Complaint {
    unless(!text.trim().is_empty(), "text that is not blank")
}

/// Git writes the person as `name <email>` on a line of its own.
pub fn person(text: &str) -> Complaint {
    let valid = !text.trim().is_empty()
        && text.len() <= MAX_PERSON
        && !text.contains(['<', '>', '\n', '\0']);
    unless(
        valid,
        "text on one line without `<` and `>`, at most 1,024 bytes",
    )
}

pub fn token_value(value: &str) -> Complaint {
    let valid = (4..=255).contains(&value.len()) && value.chars().all(|c| c.is_ascii_graphic());
    unless(valid, "4 to 255 printable ASCII characters without spaces")
}

/// A file in a Git tree.
pub fn file_path(path: &str) -> Complaint {
    let short = path.split('/').all(|part| part.len() <= MAX_COMPONENT);
    let valid = short && path_fault(path).is_none();
    unless(
        valid,
        "a relative path with `/` between its parts, none of them empty, `.`, `..` or `.git`",
    )
}

/// A full name, by the same rules as in requests.
pub fn ref_name(name: &str) -> Complaint {
    unless(
        RefName::parse(name).is_ok(),
        "a full name that Git accepts, such as `refs/heads/main`",
    )
}

/// The short name of a branch or of a tag.
pub fn branch(name: &str) -> Complaint {
    let valid = ref_name(&format!("refs/heads/{name}")).is_none() && !name.starts_with('-');
    unless(valid, "a branch name that Git accepts, such as `main`")
}

pub fn tag(name: &str) -> Complaint {
    let valid = ref_name(&format!("refs/tags/{name}")).is_none() && !name.starts_with('-');
    unless(valid, "a tag name that Git accepts, such as `v1`")
}
