//! The request URL: scheme, host and prefix, for building links, and the path that the
//! router sees.
//!
//! Every route exists twice, at `/` and at `/api/v3`, because some clients require the
//! second. The router matches segments, so the slashes of a Git reference are encoded as
//! `%2F` first.

use std::net::{Ipv4Addr, Ipv6Addr};

use poem::Request;
use poem::http::header::HOST;
use poem::http::uri::{Authority, PathAndQuery};
use poem::http::{Method, Uri};

use super::graphql;

/// The path prefix that clients of an enterprise host use.
const PREFIX: &str = "/api/v3";

/// The URL of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestUrl {
    pub origin: String,
    pub prefix: &'static str,
    /// Without the prefix, as the caller sent it.
    pub path: String,
    pub query: String,
}

impl RequestUrl {
    /// Parses the URL of a request. `base_url` overrides the request's host. `mount` is the
    /// path below which the world is served, which the request no longer has.
    pub fn of(request: &Request, base_url: Option<&str>, mount: &str) -> Self {
        let uri = request.uri();
        let (prefix, path) = match uri.path().strip_prefix(PREFIX) {
            Some("") => (PREFIX, "/"),
            Some(rest) if rest.starts_with('/') => (PREFIX, rest),
            None if uri.path() == graphql::ENTERPRISE_PATH => (PREFIX, graphql::PATH),
            _ => ("", uri.path()),
        };
        Self {
            origin: base_url.map_or_else(|| origin(request), str::to_owned) + mount,
            prefix,
            path: path.to_owned(),
            query: uri.query().unwrap_or_default().to_owned(),
        }
    }

    /// The method that the router sees. `POST` to a reference is an old alias of `PATCH`
    /// that clients still use.
    pub fn routed_method(&self, method: &Method) -> Method {
        match *method {
            Method::HEAD => Method::GET,
            Method::POST if is_reference(&self.path) => Method::PATCH,
            _ => method.clone(),
        }
    }

    /// The URI that the router sees.
    pub fn routed(&self) -> Option<Uri> {
        let path = folded(&self.path);
        let text = match self.query.as_str() {
            "" => path,
            query => format!("{path}?{query}"),
        };
        text.parse::<PathAndQuery>().ok().map(Uri::from)
    }
}

/// Scheme, host and port that the caller used.
pub fn origin(request: &Request) -> String {
    let authority = authority(request).filter(|authority| is_authority(authority));
    format!(
        "{}://{}",
        request.scheme(),
        authority.unwrap_or("127.0.0.1")
    )
}

/// Host and port as the caller sent them, which may be invalid. Only HTTP/1.0 may omit them.
pub fn authority(request: &Request) -> Option<&str> {
    let header = request.headers().get(HOST);
    let header = header.map(|host| host.to_str().unwrap_or_default());
    header.or(request.uri().authority().map(Authority::as_str))
}

/// The longest name of a host (RFC 1035, 2.3.4).
const LONGEST_HOST: usize = 253;

/// Whether a text is a host and possibly a port. They go into links and headers, and decide who
/// is admitted to the control API.
pub fn is_authority(authority: &str) -> bool {
    let (host, port) = host_and_port(authority);
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    let is_host = match bracketed(host) {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => (1..=LONGEST_HOST).contains(&host.len()) && host.bytes().all(allowed),
    };
    let is_port =
        |port: &str| port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
    is_host && port.is_none_or(is_port)
}

/// Whether an authority names this machine, exactly. A page of another site can make its own host
/// name resolve to this machine, but not these names.
pub fn is_loopback(authority: &str) -> bool {
    let (host, _) = host_and_port(authority);
    is_authority(authority)
        && match bracketed(host) {
            Some(address) => address.parse().is_ok_and(|ip: Ipv6Addr| ip.is_loopback()),
            None => {
                host.eq_ignore_ascii_case("localhost")
                    || host.parse().is_ok_and(|ip: Ipv4Addr| ip.is_loopback())
            }
        }
}

fn host_and_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    }
}

/// The address in `[…]`.
fn bracketed(host: &str) -> Option<&str> {
    host.strip_prefix('[')?.strip_suffix(']')
}

/// Whether a path is `/repos/o/r/git/refs/` followed by a reference name.
fn is_reference(path: &str) -> bool {
    let segments: Vec<_> = path.splitn(7, '/').collect();
    matches!(segments[..], ["", "repos", _, _, "git", "refs", name] if !name.is_empty())
}

/// Encodes `/repos/o/r/git/ref/heads/a/b` as `/repos/o/r/git/ref/heads%2Fa%2Fb`, for the
/// routes that end in a reference or a path.
fn folded(path: &str) -> String {
    if let Some(folded) = folded_below_repository(path) {
        return folded;
    }
    let mut segments = path.splitn(7, '/');
    let head: Vec<_> = segments.by_ref().take(6).collect();
    let ["", "repos", _, _, "git", folder] = head[..] else {
        return path.to_owned();
    };
    let rest = segments.next();
    match (folder, rest) {
        ("matching-refs" | "refs", Some("")) => head.join("/"),
        ("matching-refs" | "ref" | "refs", Some(rest)) => {
            format!("{}/{}", head.join("/"), rest.replace('/', "%2F"))
        }
        _ => path.to_owned(),
    }
}

/// The path segments that may follow the name of a commit.
const OF_A_COMMIT: [&str; 7] = [
    "/branches-where-head",
    "/check-runs",
    "/check-suites",
    "/comments",
    "/pulls",
    "/status",
    "/statuses",
];

/// Same as [`folded`] for routes below a repository with a path, a branch or a commit.
fn folded_below_repository(path: &str) -> Option<String> {
    let segments: Vec<_> = path.splitn(6, '/').collect();
    let ["", "repos", owner, repo, folder, rest] = segments[..] else {
        return None;
    };
    let end = OF_A_COMMIT.iter().find(|end| rest.ends_with(**end));
    let (rest, end) = match (folder, end) {
        ("contents" | "readme", _) => (rest.trim_end_matches('/'), ""),
        ("commits", Some(end)) => (rest.strip_suffix(end)?, *end),
        ("commits" | "compare" | "branches" | "statuses", _) => (rest, ""),
        _ => return None,
    };
    let head = format!("/repos/{owner}/{repo}/{folder}");
    Some(match rest {
        "" if matches!(folder, "contents" | "readme") => head,
        rest => format!("{head}/{}{end}", rest.replace('/', "%2F")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slashes_of_a_reference_are_folded_and_no_others() {
        for (path, expected) in [
            (
                "/repos/o/r/git/ref/heads/a/b",
                "/repos/o/r/git/ref/heads%2Fa%2Fb",
            ),
            (
                "/repos/o/r/git/ref/heads%2Fa/b",
                "/repos/o/r/git/ref/heads%2Fa%2Fb",
            ),
            (
                "/repos/o/r/git/refs/heads/main",
                "/repos/o/r/git/refs/heads%2Fmain",
            ),
            (
                "/repos/o/r/git/matching-refs",
                "/repos/o/r/git/matching-refs",
            ),
            (
                "/repos/o/r/git/matching-refs/",
                "/repos/o/r/git/matching-refs",
            ),
            (
                "/repos/o/r/git/matching-refs/heads/",
                "/repos/o/r/git/matching-refs/heads%2F",
            ),
            ("/repos/o/r/git/refs", "/repos/o/r/git/refs"),
            ("/repos/o/r/git/refs/", "/repos/o/r/git/refs"),
            ("/repos/o/r/git/ref/", "/repos/o/r/git/ref/"),
            ("/repos/o/r/git/commits/a/b", "/repos/o/r/git/commits/a/b"),
            ("/repos/o/r/pulls/1/comments", "/repos/o/r/pulls/1/comments"),
            ("/repos/o/r/contents/a/b c/", "/repos/o/r/contents/a%2Fb c"),
            ("/repos/o/r/contents/", "/repos/o/r/contents"),
            ("/repos/o/r/readme/docs/a", "/repos/o/r/readme/docs%2Fa"),
            (
                "/repos/o/r/commits/heads/main",
                "/repos/o/r/commits/heads%2Fmain",
            ),
            (
                "/repos/o/r/commits/main/status",
                "/repos/o/r/commits/main/status",
            ),
            (
                "/repos/o/r/commits/heads/a/b/statuses",
                "/repos/o/r/commits/heads%2Fa%2Fb/statuses",
            ),
            (
                "/repos/o/r/commits/a%2Fstatus",
                "/repos/o/r/commits/a%2Fstatus",
            ),
            ("/repos/o/r/statuses/a/b", "/repos/o/r/statuses/a%2Fb"),
            (
                "/repos/o/r/compare/a/b...c/d",
                "/repos/o/r/compare/a%2Fb...c%2Fd",
            ),
            ("/repos/o/r/branches/a/b", "/repos/o/r/branches/a%2Fb"),
            ("/repos/o/r/branches", "/repos/o/r/branches"),
            ("/", "/"),
        ] {
            assert_eq!(folded(path), expected);
        }
    }

    #[test]
    fn post_to_a_reference_is_patch_and_head_is_get() {
        let routed = |method: Method, path: &str| {
            let address = RequestUrl {
                origin: String::new(),
                prefix: "",
                path: path.to_owned(),
                query: String::new(),
            };
            address.routed_method(&method)
        };
        let reference = "/repos/o/r/git/refs/heads/a/b";
        assert_eq!(routed(Method::POST, reference), Method::PATCH);
        assert_eq!(routed(Method::DELETE, reference), Method::DELETE);
        for path in [
            "/repos/o/r/git/refs",
            "/repos/o/r/git/refs/",
            "/repos/o/r/git/ref/heads/a",
        ] {
            assert_eq!(routed(Method::POST, path), Method::POST, "{path}");
        }
        assert_eq!(routed(Method::HEAD, reference), Method::GET);
    }

    #[test]
    fn the_prefix_is_taken_off_and_remembered() {
        let request = |uri: &str| {
            let uri: Uri = uri.parse().unwrap();
            Request::builder()
                .uri(uri)
                .header(HOST, "forge.test:8080")
                .finish()
        };
        let address = RequestUrl::of(&request("/api/v3/versions?x=1"), None, "");
        assert_eq!(address.origin, "http://forge.test:8080");
        assert_eq!(
            (address.prefix, address.path.as_str()),
            ("/api/v3", "/versions")
        );
        assert_eq!(address.query, "x=1");
        assert_eq!(RequestUrl::of(&request("/api/v3"), None, "").path, "/");
        let graphql = RequestUrl::of(&request("/api/graphql"), None, "");
        assert_eq!(
            (graphql.prefix, graphql.path.as_str()),
            ("/api/v3", "/graphql")
        );
        assert_eq!(
            RequestUrl::of(&request("/api/v33"), None, "").path,
            "/api/v33"
        );
        let proxied = RequestUrl::of(&request("/"), Some("https://forge.example"), "");
        assert_eq!(proxied.origin, "https://forge.example");
    }

    #[test]
    fn a_host_that_is_none_never_reaches_a_link() {
        let long = |length: usize| "a".repeat(length);
        for host in [
            "evil.test/\"><script>",
            "a!b.evil.example",
            "a b",
            "",
            ":80",
            "x\u{7f}",
            "a:b:80",
            "a:",
            "a:+1",
            "a:65536",
            "user@a",
            "[::1",
            "::1",
            "[a]",
            "[::1]a",
            "[::1]:80:80",
            &long(254),
        ] {
            assert!(!is_authority(host), "{host:?}");
        }
        for host in [
            "[::1]:8080",
            "[::1]",
            "127.0.0.1",
            "forge_1.test:65535",
            &format!("{}:65535", long(253)),
        ] {
            assert!(is_authority(host), "{host:?}");
        }
    }

    #[test]
    fn only_exact_names_of_this_machine_are_loopback() {
        for host in [
            "localhost",
            "LocalHost:80",
            "127.0.0.1:8080",
            "127.9.8.7",
            "[::1]:1",
        ] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "evil.localhost",
            "localhost.",
            "a!b.evil.example",
            "127.0.0.1.evil.example",
            "2130706433",
            "127.1",
            "0177.0.0.1",
            "0.0.0.0",
            "[::]",
            "[::2]",
            "",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
