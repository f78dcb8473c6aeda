//! Which requests a rule applies to.

use poem::http::Method;
use regex::Regex;

use crate::contract::caller::Caller;
use crate::contract::control::faults::FaultMethod;

/// What is known of a request before it is carried out.
#[derive(Debug, Clone, Copy)]
pub struct RequestFacts<'a> {
    pub method: &'a Method,
    /// Without the addresses of the world and of an enterprise host.
    pub path: &'a str,
    pub operation: Option<&'static str>,
    /// None if the credential is not valid.
    pub caller: Option<&'a Caller>,
}

/// The requests that a rule applies to: those that fit all that is given.
#[derive(Debug, Clone, Default)]
pub struct Condition {
    pub operation: Option<&'static str>,
    pub method: Option<FaultMethod>,
    pub path: Option<PathPattern>,
    /// A login, the name of an app, or a kind of caller.
    pub caller: Option<String>,
}

impl Condition {
    pub fn applies(&self, request: &RequestFacts<'_>) -> bool {
        let operation = self.operation;
        operation.is_none_or(|operation| request.operation == Some(operation))
            && self
                .method
                .is_none_or(|it| it.word() == request.method.as_str())
            && self.path.as_ref().is_none_or(|it| it.fits(request.path))
            && self.caller.as_deref().is_none_or(|name| {
                let caller = request.caller;
                caller.is_some_and(|caller| is_called(caller, name))
            })
    }
}

fn is_called(caller: &Caller, name: &str) -> bool {
    caller.kind() == name || (!caller.is_anonymous() && caller.name().eq_ignore_ascii_case(name))
}

/// A path with `*` for anything within a segment, and `**` for anything.
#[derive(Debug, Clone)]
pub struct PathPattern {
    text: String,
    regex: Regex,
}

impl PathPattern {
    /// None if it is too large to be compared with every request.
    pub fn parse(text: &str) -> Option<Self> {
        let mut pattern = String::from("^");
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            let (width, expression) = match rest {
                _ if rest.starts_with("**") => (2, "(?s:.*)".to_owned()),
                _ if next == '*' => (1, "[^/]*".to_owned()),
                _ => (
                    next.len_utf8(),
                    regex::escape(next.encode_utf8(&mut [0; 4])),
                ),
            };
            pattern.push_str(&expression);
            rest = &rest[width..];
        }
        pattern.push('$');
        let regex = Regex::new(&pattern).ok()?;
        Some(Self {
            text: text.to_owned(),
            regex,
        })
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    fn fits(&self, path: &str) -> bool {
        self.regex.is_match(path)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::contract::caller::Person;

    #[test]
    fn one_star_stays_within_a_segment_and_two_do_not() {
        for (pattern, path, fits) in [
            ("/repos/acme/*", "/repos/acme/gadgets", true),
            ("/repos/acme/*", "/repos/acme/gadgets/pulls", false),
            ("/repos/acme/**", "/repos/acme/gadgets/pulls", true),
            ("/repos/*/gadgets/**", "/repos/a/b/gadgets/c", false),
            ("**/pulls", "/repos/acme/gadgets/pulls", true),
            ("/user", "/user", true),
            ("/user", "/users", false),
            ("/us.r", "/user", false),
            ("/a+(b)[c]*", "/a+(b)[c]d", true),
            ("*", "/user", false),
            ("/ä*", "/äö", true),
        ] {
            let found = PathPattern::parse(pattern).unwrap().fits(path);
            assert_eq!(found, fits, "{pattern} {path}");
        }
    }

    #[test]
    fn a_caller_is_known_by_name_and_by_kind() {
        let alice = Caller::Classic {
            token: 1,
            user: Person {
                id: 1,
                login: "alice".to_owned(),
                site_admin: false,
            },
            scopes: BTreeSet::new(),
            expires_at: None,
        };
        let applies = |name: &str, caller: Option<&Caller>| {
            let condition = Condition {
                caller: Some(name.to_owned()),
                ..Condition::default()
            };
            condition.applies(&RequestFacts {
                method: &Method::GET,
                path: "/",
                operation: None,
                caller,
            })
        };
        for name in ["alice", "Alice", "classic"] {
            assert!(applies(name, Some(&alice)), "{name}");
        }
        for name in ["bob", "oauth", "anonymous", "-"] {
            assert!(!applies(name, Some(&alice)), "{name}");
        }
        assert!(applies("anonymous", Some(&Caller::Anonymous)));
        assert!(!applies("-", Some(&Caller::Anonymous)));
        assert!(!applies("alice", None));
    }

    #[test]
    fn all_that_is_given_must_fit() {
        let condition = Condition {
            operation: Some("get_user"),
            method: Some(FaultMethod::Get),
            path: PathPattern::parse("/user"),
            caller: None,
        };
        let request = RequestFacts {
            method: &Method::GET,
            path: "/user",
            operation: Some("get_user"),
            caller: None,
        };
        assert!(condition.applies(&request));
        let other = |request| assert!(!condition.applies(&request));
        other(RequestFacts {
            method: &Method::POST,
            ..request
        });
        other(RequestFacts {
            path: "/users",
            ..request
        });
        other(RequestFacts {
            operation: None,
            ..request
        });
    }
}
