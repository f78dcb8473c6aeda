//! Error responses as Git clients show them: plain text, and 401 for anonymous callers, so that
//! Git asks for a password.

use poem::Response;
use poem::http::{StatusCode, header};

use super::GitRoute;
use crate::web::headers::Facts;
use contract::caller::Caller;
use contract::problem::Problem;

/// GitHub's message.
const BAD_CREDENTIALS: &str = "Invalid username or token. Password authentication is not \
                               supported for Git operations.";

/// 403 for clients that use the dumb protocol.
pub fn dumb() -> Problem {
    Problem::Forbidden(
        "Please upgrade your git client.\nThe dumb HTTP protocol is not supported.".into(),
    )
}

impl GitRoute {
    pub fn refuse(&self, problem: &Problem, facts: &Facts) -> Response {
        refuse(problem, self, facts.caller.as_deref())
    }
}

fn refuse(problem: &Problem, route: &GitRoute, caller: Option<&Caller>) -> Response {
    let anonymous = caller.is_some_and(Caller::is_anonymous);
    let (status, message) = match problem {
        Problem::NotFound if anonymous => {
            (StatusCode::UNAUTHORIZED, "Repository not found.".to_owned())
        }
        Problem::NotFound => (StatusCode::NOT_FOUND, "Repository not found.".to_owned()),
        Problem::Unauthenticated if route.pushes() => {
            let message = "No anonymous write access.".to_owned();
            (StatusCode::UNAUTHORIZED, message)
        }
        Problem::BadCredentials(_) => (StatusCode::UNAUTHORIZED, BAD_CREDENTIALS.to_owned()),
        other => (other.status(), other.message().into_owned()),
    };
    let mut response = Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, "text/plain; charset=utf-8")
        .header(header::CACHE_CONTROL, "no-cache");
    if status == StatusCode::UNAUTHORIZED {
        response = response.header(header::WWW_AUTHENTICATE, "Basic realm=\"GitHub\"");
    }
    if let Some(seconds) = problem.retry_after() {
        response = response.header(header::RETRY_AFTER, seconds.to_string());
    }
    response.body(format!("{message}\n"))
}
