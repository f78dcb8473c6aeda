//! The `errors` of a response: at most a hundred, each of bounded size.

use std::borrow::Cow;

use apollo_compiler::diagnostic::ToCliReport;
use apollo_compiler::parser::{LineColumn, SourceMap, SourceSpan};
use apollo_compiler::request::RequestError;
use apollo_compiler::validation::DiagnosticList;
use serde::Serialize;
use serde_json::{Value, json};

/// The most errors in a response.
pub const MOST_ERRORS: usize = 100;

/// The longest name in an error, and the longest message, in bytes. Both may come from the query.
const LONGEST_NAME: usize = 100;
const LONGEST_MESSAGE: usize = 400;

/// Why a query was not executed.
#[derive(Debug, Default, Serialize)]
pub struct Errors {
    errors: Vec<Value>,
}

impl Errors {
    /// An error without a location.
    pub fn one(message: &str) -> Self {
        let mut errors = Self::default();
        errors.push(json!({"message": message}));
        errors
    }

    /// The query exceeds a limit, for this reason.
    pub fn limit(reason: &str) -> Self {
        let mut errors = Self::default();
        let message = format!("Resource limits for this query exceeded: {reason}");
        errors.push(json!({"type": "RESOURCE_LIMITS_EXCEEDED", "message": message}));
        errors
    }

    /// The document cannot be parsed.
    pub fn syntax(found: &DiagnosticList) -> Self {
        Self::of(found, |message, at| {
            let message = message.strip_prefix("syntax error: ").unwrap_or(message);
            match at {
                Some(LineColumn { line, column }) => {
                    format!("Parse error at [{line}, {column}]: {message}")
                }
                None => format!("Parse error: {message}"),
            }
        })
    }

    /// The document violates the rules of GraphQL.
    pub fn invalid(found: &DiagnosticList) -> Self {
        Self::of(found, |message, _| message.to_owned())
    }

    /// The document is valid, but the request is not.
    pub fn refused(error: &RequestError, sources: &SourceMap) -> Self {
        let mut errors = Self::default();
        let message = error.message().to_string();
        errors.push(located(&message, at(error.location(), sources)));
        errors
    }

    fn of(found: &DiagnosticList, message: fn(&str, Option<LineColumn>) -> String) -> Self {
        let mut errors = Self::default();
        for diagnostic in found.iter().take(MOST_ERRORS) {
            let at = at(diagnostic.error.location(), diagnostic.sources);
            let message = message(&diagnostic.error.to_string(), at);
            errors.push(located(&message, at));
        }
        errors
    }

    /// The message of the first.
    pub fn first(&self) -> Option<String> {
        let message = self.errors.first()?["message"].as_str();
        message.map(str::to_owned)
    }

    /// Adds an error whose parts are bounded.
    pub fn push(&mut self, error: Value) {
        self.errors.push(error);
    }

    /// Whether no error may be added.
    pub fn is_full(&self) -> bool {
        self.errors.len() >= MOST_ERRORS
    }

    /// `Err` if there are any.
    pub fn verdict(self) -> Result<(), Self> {
        match self.errors.is_empty() {
            true => Ok(()),
            false => Err(self),
        }
    }
}

fn located(message: &str, at: Option<LineColumn>) -> Value {
    let message = cut(message, LONGEST_MESSAGE);
    match at {
        Some(at) => json!({"message": message, "locations": [at]}),
        None => json!({"message": message}),
    }
}

/// Where a part of the document begins.
pub fn at(location: Option<SourceSpan>, sources: &SourceMap) -> Option<LineColumn> {
    location?.line_column(sources)
}

/// A name of the query, for an error.
pub fn shortened(name: &str) -> Cow<'_, str> {
    cut(name, LONGEST_NAME)
}

fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.len() > most {
        true => Cow::Owned(format!("{}…", &text[..text.floor_char_boundary(most)])),
        false => Cow::Borrowed(text),
    }
}
