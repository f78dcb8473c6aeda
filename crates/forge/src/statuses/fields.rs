//! Validation of fields that statuses and check runs share.

use url::Url;

use contract::problem::FieldProblem;

/// The problem of a text with more than `most` characters.
pub fn too_long(
    resource: &'static str,
    field: &str,
    text: Option<&str>,
    most: usize,
) -> Option<FieldProblem> {
    let long = text.is_some_and(|text| text.chars().count() > most);
    let message = || format!("{field} is too long (maximum is {most} characters)");
    long.then(|| FieldProblem::custom(resource, field, message()))
}

/// The problem of a URL that is not HTTP or HTTPS.
pub fn not_web(resource: &'static str, field: &str, url: Option<&str>) -> Option<FieldProblem> {
    let parsed = Url::parse(url?).ok();
    let web = parsed.is_some_and(|url| matches!(url.scheme(), "http" | "https"));
    let message = format!("{field} must use http(s) scheme");
    (!web).then(|| FieldProblem::custom(resource, field, message))
}
