//! What a command names: the API to read from, and the repositories. Neither a file of the
//! folder nor a request can leave its place by what they contain.

use std::fmt;
use std::str::FromStr;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use url::{Origin, Url};

/// What a segment of a path keeps.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The root of an API: `https://api.github.com`, or `https://HOST/api/v3`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiRoot(Url);

impl FromStr for ApiRoot {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|cause| {
            format!("{cause}; expected an address such as https://api.github.com")
        })?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err("expected an address that starts with https:// or http://".to_owned());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("the address has a credential; name its variable with --token-env".into());
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(
                "the address has a query or a fragment; expected the root of an API".into(),
            );
        }
        Ok(Self(url))
    }
}

impl fmt::Display for ApiRoot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

impl ApiRoot {
    /// The address of a resource. Its segments cannot contain further segments.
    pub fn join(&self, segments: &[&str], query: &[(&str, &str)]) -> Result<Url, String> {
        let mut text = self.to_string();
        for segment in segments {
            if matches!(*segment, "" | "." | "..") {
                return Err(format!("{segment:?} is not a name"));
            }
            text.push('/');
            text.extend(utf8_percent_encode(segment, SEGMENT));
        }
        let mut url = Url::parse(&text).map_err(|cause| cause.to_string())?;
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        Ok(url)
    }

    /// Whether an address belongs to the server that the token is for.
    pub fn has(&self, url: &Url) -> bool {
        url.origin() == self.origin() && url.username().is_empty() && url.password().is_none()
    }

    pub fn origin(&self) -> Origin {
        self.0.origin()
    }

    /// Whether a token would cross a network without encryption.
    pub fn is_cleartext(&self) -> bool {
        let loopback = match self.0.host() {
            Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(url::Host::Ipv4(address)) => address.is_loopback(),
            Some(url::Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        self.0.scheme() == "http" && !loopback
    }

    /// Whether a repository may be cloned from this address. The API of GitHub is on a host of
    /// its own, so that of the clones may leave out `api.`.
    pub fn may_clone_from(&self, url: &Url) -> bool {
        let (Some(api), Some(host)) = (self.0.host_str(), url.host_str()) else {
            return false;
        };
        let same_host = host == api || api.strip_prefix("api.") == Some(host);
        same_host
            && url.scheme() == self.0.scheme()
            && url.port_or_known_default() == self.0.port_or_known_default()
            && url.username().is_empty()
            && url.password().is_none()
    }
}

/// `OWNER/NAME`, in the form that GitHub allows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RepositoryName {
    pub owner: String,
    pub name: String,
}

impl FromStr for RepositoryName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || format!("{text:?} is not a repository; expected OWNER/NAME");
        let (owner, name) = text.split_once('/').ok_or_else(expected)?;
        match is_login(owner) && is_repository(name) {
            true => Ok(Self {
                owner: owner.to_owned(),
                name: name.to_owned(),
            }),
            false => Err(expected()),
        }
    }
}

impl fmt::Display for RepositoryName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.owner, self.name)
    }
}

/// Whether an account can have this login in a world.
pub fn is_login(name: &str) -> bool {
    name.len() <= 39
        && name
            .split('-')
            .all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric()))
}

fn is_repository(name: &str) -> bool {
    (1..=100).contains(&name.len())
        && name != "."
        && name != ".."
        && !name.to_ascii_lowercase().ends_with(".git")
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(text: &str) -> ApiRoot {
        text.parse().unwrap()
    }

    #[test]
    fn a_segment_never_becomes_two() {
        let url = root("https://ghe.example/api/v3/")
            .join(&["repos", "a/b", "x?y#z"], &[("page", "1")])
            .unwrap();
        assert_eq!(
            url.as_str(),
            "https://ghe.example/api/v3/repos/a%2Fb/x%3Fy%23z?page=1"
        );
        assert!(
            root("https://a.example")
                .join(&["repos", ".."], &[])
                .is_err()
        );
    }

    #[test]
    fn only_the_same_origin_gets_the_token() {
        let root = root("https://api.github.com");
        let has = |text: &str| root.has(&Url::parse(text).unwrap());
        assert!(has("https://api.github.com/repositories/1/issues?page=2"));
        for other in [
            "http://api.github.com/x",
            "https://api.github.com:8443/x",
            "https://api.github.com.evil.example/x",
            "https://x@api.github.com/x",
            "ftp://api.github.com/x",
            "file:///etc/passwd",
        ] {
            assert!(!has(other), "{other}");
        }
    }

    #[test]
    fn clones_come_from_the_host_of_the_api() {
        let github = root("https://api.github.com");
        let may = |root: &ApiRoot, text: &str| root.may_clone_from(&Url::parse(text).unwrap());
        assert!(may(&github, "https://github.com/acme/gadgets.git"));
        for other in [
            "http://github.com/acme/gadgets.git",
            "https://evil.example/acme/gadgets.git",
            "https://token@github.com/acme/gadgets.git",
            "ext::sh -c touch%20x",
            "file:///etc",
        ] {
            assert!(!may(&github, other), "{other}");
        }
        let own = root("http://127.0.0.1:8080");
        assert!(may(&own, "http://127.0.0.1:8080/acme/gadgets.git"));
        assert!(!may(&own, "http://127.0.0.1:8081/acme/gadgets.git"));
    }

    #[test]
    fn names_that_leave_the_folder_are_refused() {
        for name in [
            "../x",
            "acme/..",
            "acme/../x",
            "acme/.",
            "a/b/c",
            "acme",
            "acme/x.git",
            "/x",
        ] {
            assert!(name.parse::<RepositoryName>().is_err(), "{name}");
        }
        assert!("acme/gadgets.js".parse::<RepositoryName>().is_ok());
    }

    #[test]
    fn a_root_has_no_credential_and_a_scheme_of_the_web() {
        for text in ["ftp://x", "https://a:b@x", "https://x?y", "x", "file:///x"] {
            assert!(text.parse::<ApiRoot>().is_err(), "{text}");
        }
    }
}
