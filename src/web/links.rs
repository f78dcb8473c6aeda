//! The links for browsers in responses (`html_url`): they lead to a page of the console, or to the
//! sentence that it is off. A page asks for what it shows with its own token, and a link leads to
//! the same place whether or not that exists, so it reveals nothing.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use poem::http::{HeaderValue, Method, StatusCode, header};
use poem::{Request, Response};

use super::console::CONSOLE_PATH;
use super::control::no_console;
use contract::control::WORLDS_PATH;
use forge::app::Settings;
use forge::journal::catalogue;

/// The name of the world at the root.
const MAIN: &str = "main";

/// No link of a response is longer.
const LONGEST: usize = 8 * 1024;

/// What `encodeURIComponent` changes.
const SPECIAL: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// The answer to a browser that follows a link; `None` for every other request.
pub fn follow(request: &Request, settings: &Settings) -> Option<Response> {
    if request.method() != Method::GET || !is_browser(request) {
        return None;
    }
    let view = view(request.uri().path())?;
    let mut response = match settings.control {
        true => console(&settings.mount, &view),
        false => no_console(),
    };
    // A program gets another response at the same address.
    let vary = HeaderValue::from_static("Accept");
    response.headers_mut().insert(header::VARY, vary);
    let never = HeaderValue::from_static("no-store");
    response.headers_mut().insert(header::CACHE_CONTROL, never);
    Some(response)
}

/// Whether a request wants a page.
pub fn is_browser(request: &Request) -> bool {
    let mut accept = request.headers().get_all(header::ACCEPT).iter();
    accept.any(|line| line.to_str().is_ok_and(|line| line.contains("text/html")))
}

/// Redirects to a view of the console. It is not in the fragment, because a browser keeps the
/// fragment of the link, which names a comment, only if the target has none.
fn console(mount: &str, view: &[String]) -> Response {
    let world = mount.strip_prefix(WORLDS_PATH).unwrap_or_default();
    let world = match world.trim_start_matches('/') {
        "" => MAIN,
        name => name,
    };
    let parts = [world, "world"].into_iter();
    let parts = parts.chain(view.iter().map(String::as_str));
    let parts = parts.map(|part| utf8_percent_encode(part, SPECIAL).to_string());
    let view = parts.collect::<Vec<_>>().join("/");
    Response::builder()
        .status(StatusCode::FOUND)
        .header(header::LOCATION, format!("{CONSOLE_PATH}/?view={view}"))
        .finish()
}

/// The view of the console for the path of a link: its kind, and what it shows. Paths of the API
/// have none, but for the page of an app.
fn view(path: &str) -> Option<Vec<String>> {
    if path.len() > LONGEST {
        return None;
    }
    let decoded = path.split('/').skip(1).map(decoded);
    let mut segments = decoded.collect::<Option<Vec<_>>>()?;
    if segments.last().is_some_and(String::is_empty) {
        segments.pop();
    }
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let view = match segments[..] {
        ["apps", slug] => vec!["app", slug],
        ["orgs" | "users", owner, "projects", number] => vec!["project", owner, number],
        ["organizations", owner, "settings", ..] => vec!["account", owner],
        ["settings", ..] => vec![],
        ["api", ..] => return None,
        [first, ..] if catalogue::begins_an_operation(first) || !is_login(first) => return None,
        [owner] => vec!["account", owner],
        [owner, name, "pull", number, ..] => vec!["pull", owner, name, number],
        [owner, name, "issues", number, ..] => vec!["issue", owner, name, number],
        [owner, name, "commit", sha, ..] => vec!["commit", owner, name, sha],
        [owner, name, "blob" | "raw", sha, ..] if is_sha(sha) => vec!["commit", owner, name, sha],
        [owner, name, "tree", ref branch @ ..] if !branch.is_empty() => {
            let branch = branch.join("/");
            let view = ["repo", owner, name, &branch].map(str::to_owned);
            return Some(view.to_vec());
        }
        [owner, name, ..] => vec!["repo", owner, name],
        [] => return None,
    };
    Some(view.into_iter().map(str::to_owned).collect())
}

fn decoded(segment: &str) -> Option<String> {
    let text = percent_decode_str(segment).decode_utf8().ok()?;
    Some(text.into_owned())
}

/// The letters of a login. A file such as `favicon.ico` has others.
fn is_login(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    !text.is_empty() && text.bytes().all(allowed)
}

fn is_sha(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_to_the_view_of_what_it_names() {
        for (path, expected) in [
            ("/acme", Some("account/acme")),
            ("/acme/gadgets", Some("repo/acme/gadgets")),
            ("/acme/gadgets/", Some("repo/acme/gadgets")),
            ("/acme/gad.gets/labels/bug", Some("repo/acme/gad.gets")),
            (
                "/acme/gadgets/tree/feature/a",
                Some("repo/acme/gadgets/feature/a"),
            ),
            ("/acme/gadgets/pull/1", Some("pull/acme/gadgets/1")),
            ("/acme/gadgets/pull/1/files", Some("pull/acme/gadgets/1")),
            ("/acme/gadgets/issues/3", Some("issue/acme/gadgets/3")),
            ("/acme/gadgets/issues", Some("repo/acme/gadgets")),
            ("/acme/gadgets/commit/abc", Some("commit/acme/gadgets/abc")),
            ("/orgs/acme/projects/1", Some("project/acme/1")),
            ("/users/alice/projects/2", Some("project/alice/2")),
            ("/apps/ci-bot", Some("app/ci-bot")),
            ("/settings/installations/7001", Some("")),
            (
                "/organizations/acme/settings/installations/7001",
                Some("account/acme"),
            ),
            ("/repos/acme/gadgets", None),
            ("/repos/acme/gadgets/pulls/1", None),
            ("/users/alice", None),
            ("/orgs/acme", None),
            ("/orgs/acme/projectsV2/1", None),
            ("/user", None),
            ("/api/v3", None),
            ("/api/v3/repos/acme/gadgets", None),
            ("/api/graphql", None),
            ("/app", None),
            ("/versions", None),
            ("/rate_limit", None),
            ("/favicon.ico", None),
            ("/", None),
            ("//evil.example", None),
            ("/%ff/x", None),
        ] {
            let found = view(path).map(|parts| parts.join("/"));
            assert_eq!(found.as_deref(), expected, "{path}");
        }
        assert_eq!(view(&format!("/{}", "a".repeat(LONGEST))), None);
    }

    #[test]
    fn nothing_in_a_path_leaves_the_console_or_its_header() {
        let view = view("/acme/a%0d%0aSet-Cookie:x/tree/%2F%2Fevil%3F%23é").unwrap();
        let response = console("/_worlds/test-1", &view);
        let target = response.headers()[header::LOCATION].to_str().unwrap();
        let expected = "/console/?view=test-1/world/repo/acme/a%0D%0ASet-Cookie%3Ax/\
                        %2F%2Fevil%3F%23%C3%A9";
        assert_eq!(target, expected);
    }
}
