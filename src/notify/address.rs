//! Where a webhook may go: to http and https addresses, by name or number, but
//! not to link-local ones, where clouds keep the credentials of their machines,
//! nor to any that no machine can have. A name is looked up here and the
//! connection made to what was found, so that it cannot mean something else a
//! moment later.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use poem::http::Uri;

/// A place that webhooks are sent to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub secure: bool,
    pub host: String,
    pub port: u16,
    pub path: String,
}

impl Target {
    pub fn parse(url: &str) -> Result<Self, String> {
        let uri: Uri = url.parse().map_err(|_| "it is not a URL".to_owned())?;
        let secure = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err("its scheme is neither http nor https".to_owned()),
        };
        let authority = uri.authority().ok_or("it names no host")?;
        if authority.as_str().contains('@') {
            return Err("it carries a user name".to_owned());
        }
        let host = authority.host().trim_matches(['[', ']']).to_owned();
        if host.is_empty() {
            return Err("it names no host".to_owned());
        }
        Ok(Self {
            secure,
            host,
            port: authority
                .port_u16()
                .unwrap_or(if secure { 443 } else { 80 }),
            path: uri
                .path_and_query()
                .map_or_else(|| "/".to_owned(), ToString::to_string),
        })
    }

    /// The value of the `Host` header.
    pub fn authority(&self) -> String {
        let host = match self.host.contains(':') {
            true => format!("[{}]", self.host),
            false => self.host.clone(),
        };
        match (self.secure, self.port) {
            (true, 443) | (false, 80) => host,
            (_, port) => format!("{host}:{port}"),
        }
    }

    /// An address to connect to.
    pub async fn resolve(&self, link_local: bool) -> Result<SocketAddr, String> {
        let found = tokio::net::lookup_host((self.host.as_str(), self.port))
            .await
            .map_err(|error| format!("{} cannot be found: {error}", self.host))?;
        let mut refused = None;
        for address in found {
            if is_allowed(address.ip(), link_local) {
                return Ok(address);
            }
            refused = Some(address.ip());
        }
        Err(match refused {
            Some(ip) => format!("webhooks are not sent to {ip}"),
            None => format!("{} has no address", self.host),
        })
    }
}

fn is_allowed(ip: IpAddr, link_local: bool) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => {
            let impossible = ip.is_unspecified() || ip.is_broadcast() || ip.is_multicast();
            let zero = ip.octets()[0] == 0;
            !impossible && !zero && (link_local || !is_metadata_v4(ip))
        }
        IpAddr::V6(ip) => {
            let impossible = ip.is_unspecified() || ip.is_multicast();
            !impossible && (link_local || !is_metadata_v6(ip))
        }
    }
}

/// Link-local, and the one other address that a cloud has chosen for this.
fn is_metadata_v4(ip: Ipv4Addr) -> bool {
    ip.is_link_local() || ip == Ipv4Addr::new(100, 100, 100, 200)
}

fn is_metadata_v6(ip: Ipv6Addr) -> bool {
    let embedded = match ip.segments() {
        // NAT64 and 6to4 carry an IPv4 address.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
            let [a, b] = high.to_be_bytes();
            let [c, d] = low.to_be_bytes();
            is_metadata_v4(Ipv4Addr::new(a, b, c, d))
        }
        _ => false,
    };
    let amazon = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);
    ip.is_unicast_link_local() || ip == amazon || embedded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_web_are_targets() {
        let target = Target::parse("https://ci.example/hooks?x=1").unwrap();
        assert_eq!(target.authority(), "ci.example");
        assert_eq!((target.port, target.path.as_str()), (443, "/hooks?x=1"));
        let target = Target::parse("http://[::1]:8080").unwrap();
        assert_eq!(target.authority(), "[::1]:8080");
        assert_eq!(target.path, "/");
        for url in [
            "ftp://ci.example/",
            "file:///etc/passwd",
            "gopher://x",
            "/hooks",
            "http://",
            "http://user:secret@ci.example/",
            "javascript:alert(1)",
            "",
        ] {
            assert!(Target::parse(url).is_err(), "{url}");
        }
    }

    #[test]
    fn metadata_is_not_to_be_reached_in_any_spelling() {
        for ip in [
            "169.254.169.254",
            "169.254.0.1",
            "100.100.100.200",
            "0.0.0.0",
            "0.1.2.3",
            "255.255.255.255",
            "224.0.0.1",
            "::",
            "fe80::1",
            "fd00:ec2::254",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "2002:a9fe:a9fe::1",
            "ff02::1",
        ] {
            assert!(!is_allowed(ip.parse().unwrap(), false), "{ip}");
        }
        for ip in [
            "127.0.0.1",
            "10.0.0.1",
            "192.168.1.1",
            "8.8.8.8",
            "::1",
            "2001:db8::1",
        ] {
            assert!(is_allowed(ip.parse().unwrap(), false), "{ip}");
        }
        assert!(is_allowed("169.254.169.254".parse().unwrap(), true));
        assert!(!is_allowed("0.0.0.0".parse().unwrap(), true));
    }
}
