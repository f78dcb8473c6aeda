//! Selects requests of the journal.

use poem::http::{Method, StatusCode};

use super::RecordedExchange;
use super::catalogue::operation_named;
use crate::globs;
use crate::nearest::did_you_mean;
use contract::caller::Caller;
use contract::control::journal::JournalFilter;
use contract::problem::{FieldProblem, Problem};

/// The methods that a request may have been recorded with.
const METHODS: [Method; 9] = [
    Method::GET,
    Method::HEAD,
    Method::POST,
    Method::PUT,
    Method::PATCH,
    Method::DELETE,
    Method::OPTIONS,
    Method::CONNECT,
    Method::TRACE,
];

/// A parsed filter. All its conditions must hold.
#[derive(Debug, Clone, Default)]
pub struct ExchangeFilter {
    method: Option<Method>,
    path: Option<String>,
    operation: Option<&'static str>,
    status: Option<StatusFilter>,
    caller: Option<String>,
    after: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StatusFilter {
    One(u16),
    /// `4xx`, by its first digit.
    Class(u16),
}

impl TryFrom<JournalFilter> for ExchangeFilter {
    type Error = Problem;

    fn try_from(filter: JournalFilter) -> Result<Self, Problem> {
        let status = filter.status.as_deref().map(|text| {
            StatusFilter::read(text).ok_or_else(|| {
                FieldProblem::invalid("Journal", "status")
                    .because("status must be a number such as 404, or a class such as 4xx")
            })
        });
        if filter
            .path
            .as_ref()
            .is_some_and(|path| path.len() > globs::LONGEST)
        {
            let problem = FieldProblem::invalid("Journal", "path");
            let reason = format!("path must have {} characters or less", globs::LONGEST);
            return Err(problem.because(reason).into());
        }
        let operation = filter.operation.as_deref().map(operation_named).transpose();
        let operation = operation
            .map_err(|message| FieldProblem::invalid("Journal", "operation").because(message))?;
        Ok(Self {
            method: filter.method.map(|name| method(&name)).transpose()?,
            path: filter.path,
            operation: operation.map(|operation| operation.id),
            status: status.transpose()?,
            caller: filter.caller,
            after: filter.after,
        })
    }
}

impl StatusFilter {
    fn read(text: &str) -> Option<Self> {
        let class = text.strip_suffix("xx").or(text.strip_suffix("XX"));
        match class {
            Some(digit) => {
                let digit = digit.parse().ok()?;
                (1..=5).contains(&digit).then_some(Self::Class(digit))
            }
            None => {
                let status = text.parse().ok()?;
                (100..=599).contains(&status).then_some(Self::One(status))
            }
        }
    }

    fn include(self, status: StatusCode) -> bool {
        match self {
            Self::One(expected) => status.as_u16() == expected,
            Self::Class(digit) => status.as_u16() / 100 == digit,
        }
    }
}

impl ExchangeFilter {
    pub fn matches(&self, entry: &RecordedExchange) -> bool {
        let operation = entry.operation.map(|operation| operation.id);
        let path = self.path.as_deref();
        self.after
            .is_none_or(|after| i64::try_from(entry.id).is_ok_and(|id| id > after))
            && self
                .method
                .as_ref()
                .is_none_or(|method| *method == entry.method)
            && (self.operation.is_none() || self.operation == operation)
            && self
                .status
                .is_none_or(|expected| expected.include(entry.status))
            && path.is_none_or(|pattern| matches_path(pattern, entry.uri.path()))
            && self
                .caller
                .as_deref()
                .is_none_or(|name| matches_caller(entry, name))
    }
}

/// A method in any case.
fn method(name: &str) -> Result<Method, Problem> {
    let upper = name.to_ascii_uppercase();
    let known = METHODS.iter().find(|method| method.as_str() == upper);
    known.cloned().ok_or_else(|| {
        let nearest = did_you_mean(&upper, METHODS.iter().map(Method::as_str));
        let name = name.escape_debug();
        let reason = format!("'{name}' is no method of HTTP{nearest}");
        FieldProblem::invalid("Journal", "method")
            .because(reason)
            .into()
    })
}

/// A pattern with `*` must match the whole path; any other is a prefix of the path.
fn matches_path(pattern: &str, path: &str) -> bool {
    match pattern.contains('*') {
        true => globs::matches(pattern, path),
        false => path.starts_with(pattern),
    }
}

/// Whether a caller matches a kind, a login, an app, an installation or a token.
fn matches_caller(entry: &RecordedExchange, name: &str) -> bool {
    let is = |found: &str| found.eq_ignore_ascii_case(name);
    let token = entry.token.as_deref().is_some_and(is);
    let Some(caller) = &entry.caller else {
        return token || is("unknown");
    };
    let installation = match &**caller {
        Caller::Installation { installation, .. } => is(&installation.to_string()),
        _ => false,
    };
    token || installation || is(caller.kind()) || is(caller.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_beginning_or_a_pattern() {
        for (pattern, path, expected) in [
            ("/repos/acme", "/repos/acme/gadgets", true),
            ("/acme", "/repos/acme", false),
            ("/repos/*", "/repos/acme", true),
            ("/repos/*", "/repos/acme/gadgets", false),
            ("/repos/**", "/repos/acme/gadgets", true),
        ] {
            assert_eq!(matches_path(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn a_status_is_a_number_or_a_class() {
        assert_eq!(StatusFilter::read("404"), Some(StatusFilter::One(404)));
        assert_eq!(StatusFilter::read("4xx"), Some(StatusFilter::Class(4)));
        for text in ["", "xx", "9xx", "40", "four", "-4xx"] {
            assert_eq!(StatusFilter::read(text), None, "{text}");
        }
    }
}
