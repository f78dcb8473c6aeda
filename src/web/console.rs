//! The console: a page for people who test a client, bundled in the binary. It shows responses of
//! the control API and of the worlds' APIs, and contacts no other server.

use poem::http::{StatusCode, header};
use poem::{Request, Response};

use super::{failures, headers};
use contract::problem::Problem;

/// Where the console is served.
pub const CONSOLE_PATH: &str = "/console";

/// The console runs only its own files, without inline code or styles, connects only to this
/// server, and cannot be framed.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                      connect-src 'self'; img-src 'self' data:; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// Files of the folder `console/`, with their names.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$((
            $name,
            include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/console/", $name)),
        )),*]
    };
}

const FILES: &[(&str, &[u8])] = files![
    "account.js",
    "api.js",
    "app.js",
    "base.css",
    "clock.js",
    "commit.js",
    "conversation.js",
    "deliveries.js",
    "delivery.js",
    "dialog.js",
    "diff.js",
    "dom.js",
    "entry.js",
    "explanation.js",
    "faults.js",
    "fields.js",
    "filter.js",
    "format.js",
    "graph.js",
    "icon.svg",
    "index.html",
    "installation.js",
    "issue.js",
    "journal.js",
    "json.js",
    "labels.js",
    "live.js",
    "main.js",
    "markup.js",
    "message.js",
    "options.js",
    "pages.css",
    "paging.js",
    "permissions.js",
    "project.js",
    "pull.js",
    "refs.js",
    "reports.js",
    "repository.js",
    "route.js",
    "session.js",
    "snapshots.js",
    "split.js",
    "threads.js",
    "tokens.js",
    "toolbar.js",
    "tree.js",
    "world.css",
    "world.js",
    "worlds.js",
];

/// `GET /console/…`
pub fn console(request: &Request) -> Response {
    let path = request.uri().path();
    let response = match path.strip_prefix(CONSOLE_PATH).unwrap_or(path) {
        "" => entrance(),
        "/" => file("index.html"),
        rest => file(rest.strip_prefix('/').unwrap_or(rest)),
    };
    headers::harden(response)
}

/// Redirects to the slash that relative URLs need.
fn entrance() -> Response {
    Response::builder()
        .status(StatusCode::FOUND)
        .header(header::LOCATION, "/console/")
        .finish()
}

fn file(name: &str) -> Response {
    let Some((_, content)) = FILES.iter().find(|(file_name, _)| *file_name == name) else {
        return failures::response(&Problem::NotFound, None);
    };
    Response::builder()
        .content_type(content_type(name))
        .header(header::CONTENT_SECURITY_POLICY, POLICY)
        // Another version of the server may serve other files at the same address.
        .header(header::CACHE_CONTROL, "no-cache")
        .body(*content)
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "text/javascript; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use poem::http::Uri;

    fn answer(path: &'static str) -> Response {
        console(&Request::builder().uri(Uri::from_static(path)).finish())
    }

    #[test]
    fn every_file_of_the_folder_is_served() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/console");
        let names = std::fs::read_dir(folder).unwrap().map(|entry| {
            let name = entry.unwrap().file_name();
            name.into_string().unwrap()
        });
        let mut names: Vec<_> = names.collect();
        names.sort();
        let served: Vec<_> = FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(served, names);
    }

    #[test]
    fn pages_carry_the_policy() {
        for path in ["/console/", "/console/main.js", "/console/base.css"] {
            let response = answer(path);
            assert_eq!(response.status(), StatusCode::OK, "{path}");
            let policy = &response.headers()[header::CONTENT_SECURITY_POLICY];
            assert_eq!(policy, POLICY, "{path}");
        }
    }

    #[test]
    fn a_browser_is_led_to_the_slash_and_nowhere_else() {
        assert_eq!(answer("/console").headers()[header::LOCATION], "/console/");
        for path in ["/console/absent.js", "/console/../Cargo.toml", "/console//"] {
            assert_eq!(answer(path).status(), StatusCode::NOT_FOUND, "{path}");
        }
    }
}
