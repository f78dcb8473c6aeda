//! The addresses of Git clients: `/{owner}/{repo}.git/…`, with and without `.git`.

use percent_encoding::percent_decode_str;
use poem::Request;
use poem::http::Method;

use contract::git_transport::{FETCH, PUSH};
use contract::operation::Operation;
use contract::shared::address::RepoAddress;
use forge::git_transport::Service;

/// The route of a Git client's request.
#[derive(Debug, Clone)]
pub struct GitRoute {
    pub at: RepoAddress,
    pub step: Step,
}

/// The steps of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Advertise(Service),
    Serve(Service),
    /// Requests of clients from before 2010 (the dumb protocol).
    Unsupported,
}

impl GitRoute {
    /// None if the request is not from a Git client.
    pub fn of(request: &Request) -> Option<Self> {
        let uri = request.uri();
        Self::parse(
            request.method(),
            uri.path(),
            uri.query().unwrap_or_default(),
        )
    }

    fn parse(method: &Method, path: &str, query: &str) -> Option<Self> {
        let segments: Vec<&str> = path.strip_prefix('/')?.splitn(4, '/').collect();
        let (owner, repo, step) = match (segments.as_slice(), method) {
            ([owner, repo, "info", "refs"], &Method::GET) => {
                let service_name = query
                    .split('&')
                    .find_map(|pair| pair.strip_prefix("service="));
                let service = service_name.and_then(Service::from_name);
                (
                    owner,
                    repo,
                    service.map_or(Step::Unsupported, Step::Advertise),
                )
            }
            ([owner, repo, service], &Method::POST) => {
                (owner, repo, Step::Serve(Service::from_name(service)?))
            }
            _ => return None,
        };
        let repo = repo.strip_suffix(".git").unwrap_or(repo);
        let at = RepoAddress {
            owner: decoded(owner)?,
            repo: decoded(repo)?,
        };
        Some(Self { at, step })
    }

    pub fn pushes(&self) -> bool {
        matches!(
            self.step,
            Step::Advertise(Service::ReceivePack) | Step::Serve(Service::ReceivePack)
        )
    }

    pub fn operation(&self) -> &'static Operation {
        match self.pushes() {
            true => &PUSH,
            false => &FETCH,
        }
    }

    pub fn content_type(&self) -> String {
        match self.step {
            Step::Advertise(service) => format!("application/x-{}-advertisement", service.name()),
            Step::Serve(service) => format!("application/x-{}-result", service.name()),
            Step::Unsupported => "text/plain; charset=utf-8".to_owned(),
        }
    }
}

/// Decodes a path segment; None if no resource can have this name.
fn decoded(text: &str) -> Option<String> {
    let text = percent_decode_str(text).decode_utf8().ok()?;
    let valid = !text.is_empty() && !text.contains('\0');
    valid.then(|| text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(method: &Method, path: &str, query: &str) -> Option<(String, String, Step)> {
        let route = GitRoute::parse(method, path, query)?;
        Some((route.at.owner, route.at.repo, route.step))
    }

    #[test]
    fn addresses_of_git_clients_are_told_from_others() {
        let fetch = |step| Some(("o".to_owned(), "r".to_owned(), step));
        let up = "service=git-upload-pack";
        for path in ["/o/r.git/info/refs", "/o/r/info/refs"] {
            let parsed = route(&Method::GET, path, up);
            assert_eq!(parsed, fetch(Step::Advertise(Service::UploadPack)));
            assert_eq!(route(&Method::GET, path, ""), fetch(Step::Unsupported));
            let other = "service=git-archive";
            assert_eq!(route(&Method::GET, path, other), fetch(Step::Unsupported));
        }
        let parsed = route(&Method::POST, "/o/r/git-receive-pack", "");
        assert_eq!(parsed, fetch(Step::Serve(Service::ReceivePack)));
        for path in [
            "/repos/o/r/git/refs",
            "/o/r",
            "/o/r/git-steal-pack",
            "/o//git-upload-pack",
            "/%FF/r/git-upload-pack",
            "/o/r%00/git-upload-pack",
        ] {
            assert_eq!(route(&Method::POST, path, ""), None, "{path}");
        }
        assert_eq!(route(&Method::GET, "/o/r/git-upload-pack", ""), None);
    }
}
