//! The requests that a rule applies to.

use poem::http::Method;

use crate::globs;
use contract::caller::Caller;
use contract::control::faults::FaultMethod;

/// The properties of a request before it is processed.
#[derive(Debug, Clone, Copy)]
pub struct RequestFacts<'a> {
    pub method: &'a Method,
    /// Without the prefixes of the world and of an enterprise host.
    pub path: &'a str,
    pub operation: Option<&'static str>,
    /// None if the credential is not valid.
    pub caller: Option<&'a Caller>,
}

/// The condition of a rule: all its parts must match.
#[derive(Debug, Clone, Default)]
pub struct Condition {
    pub operation: Option<&'static str>,
    pub method: Option<FaultMethod>,
    /// A pattern.
    pub path: Option<String>,
    /// A login, the name of an app, or a kind of caller.
    pub caller: Option<String>,
}

impl Condition {
    pub fn applies(&self, request: &RequestFacts<'_>) -> bool {
        let operation = self.operation;
        operation.is_none_or(|operation| request.operation == Some(operation))
            && self
                .method
                .is_none_or(|method| method.to_string() == request.method.as_str())
            && self
                .path
                .as_ref()
                .is_none_or(|pattern| globs::matches(pattern, request.path))
            && self.caller.as_deref().is_none_or(|name| {
                let caller = request.caller;
                caller.is_some_and(|caller| matches_caller(caller, name))
            })
    }
}

fn matches_caller(caller: &Caller, name: &str) -> bool {
    caller.kind() == name || (!caller.is_anonymous() && caller.name().eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use contract::caller::Person;

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
    fn all_parts_must_match() {
        let condition = Condition {
            operation: Some("get_user"),
            method: Some(FaultMethod::Get),
            path: Some("/user".to_owned()),
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
