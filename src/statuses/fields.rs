//! What the fields of reports have in common.

use url::Url;

use crate::contract::problem::FieldProblem;

/// What is wrong with a text that may have so many characters.
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

/// What is wrong with a URL that is not on the web.
pub fn not_web(resource: &'static str, field: &str, url: Option<&str>) -> Option<FieldProblem> {
    let parsed = Url::parse(url?).ok();
    let web = parsed.is_some_and(|url| matches!(url.scheme(), "http" | "https"));
    let message = format!("{field} must use http(s) scheme");
    (!web).then(|| FieldProblem::custom(resource, field, message))
}
