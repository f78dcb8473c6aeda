//! Webhook targets: http and https URLs within the networks that the operator allows, and
//! never an address that no host can have. The service resolves a host name itself and
//! connects to the result, which prevents DNS rebinding.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use url::{Host, Position, Url};

/// The target of a webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookTarget {
    pub secure: bool,
    pub host: String,
    pub port: u16,
    pub path: String,
}

impl WebhookTarget {
    pub fn parse(url: &str) -> Result<Self, String> {
        let url = Url::parse(url).map_err(|error| error.to_string())?;
        let secure = match url.scheme() {
            "http" => false,
            "https" => true,
            _ => return Err("the scheme must be http or https".to_owned()),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err("it must not contain a user name or a password".to_owned());
        }
        let host = match url.host() {
            Some(Host::Domain(name)) => name.to_owned(),
            Some(Host::Ipv4(ip)) => ip.to_string(),
            Some(Host::Ipv6(ip)) => ip.to_string(),
            None => return Err("it has no host".to_owned()),
        };
        Ok(Self {
            secure,
            host,
            port: url.port_or_known_default().ok_or("it has no port")?,
            path: url[Position::BeforePath..Position::AfterQuery].to_owned(),
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

    /// Resolves the target to its addresses in these networks. A host may listen on some of
    /// them only: `localhost` often has the addresses of both versions of IP.
    pub async fn resolve(&self, networks: Networks) -> Result<Vec<SocketAddr>, String> {
        let addresses = tokio::net::lookup_host((self.host.as_str(), self.port))
            .await
            .map_err(|error| format!("cannot resolve {}: {error}", self.host))?;
        let (allowed, forbidden): (Vec<_>, Vec<_>) =
            addresses.partition(|address| networks.include(address.ip()));
        match forbidden.last() {
            _ if !allowed.is_empty() => Ok(allowed),
            Some(address) => {
                let ip = address.ip();
                Err(format!("webhooks are not sent to {ip} (see --webhooks-to)"))
            }
            None => Err(format!("{} has no address", self.host)),
        }
    }
}

/// The networks that webhooks may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Networks {
    /// The internet.
    Public,
    /// Also loopback and private networks.
    #[default]
    Private,
    /// Also link-local and similar addresses, where clouds serve the credentials of their
    /// machines.
    LinkLocal,
}

impl Networks {
    /// Whether a webhook may reach an address.
    pub fn include(self, ip: IpAddr) -> bool {
        network_of(ip).is_some_and(|network| network <= self)
    }
}

/// The network of an address; None if no host can have it.
fn network_of(ip: IpAddr) -> Option<Networks> {
    match ip.to_canonical() {
        IpAddr::V4(ip) => network_of_v4(ip),
        IpAddr::V6(ip) => network_of_v6(ip),
    }
}

/// Services of clouds outside the link-local range that hand out credentials or settings of
/// their machines: Alibaba Cloud, Azure, and Oracle Cloud.
const CLOUDS: [Ipv4Addr; 3] = [
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(168, 63, 129, 16),
    Ipv4Addr::new(192, 0, 0, 192),
];

/// The same of AWS, Google Cloud, and Scaleway.
const CLOUDS_V6: [Ipv6Addr; 3] = [
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42),
];

/// By the IANA IPv4 Special-Purpose Address Registry.
fn network_of_v4(ip: Ipv4Addr) -> Option<Networks> {
    match ip.octets() {
        [0, ..] | [224..=239, ..] | [255, 255, 255, 255] => None,
        [169, 254, ..] => Some(Networks::LinkLocal),
        _ if CLOUDS.contains(&ip) => Some(Networks::LinkLocal),
        [10 | 127, ..] | [172, 16..=31, ..] | [192, 168, ..] => Some(Networks::Private),
        // Shared by carriers, reserved for protocols, 6to4 relays, benchmarks, and the future.
        [100, 64..=127, ..]
        | [192, 0, 0, _]
        | [192, 88, 99, _]
        | [198, 18..=19, ..]
        | [240..=255, ..] => Some(Networks::Private),
        // Documentation.
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => Some(Networks::Private),
        _ => Some(Networks::Public),
    }
}

/// By the IANA IPv6 Special-Purpose Address Registry. Global unicast addresses are in `2000::/3`.
fn network_of_v6(ip: Ipv6Addr) -> Option<Networks> {
    match ip.segments() {
        _ if ip.is_unspecified() || ip.is_multicast() => None,
        _ if CLOUDS_V6.contains(&ip) => Some(Networks::LinkLocal),
        [0xfe80..=0xfebf, ..] => Some(Networks::LinkLocal),
        [0, 0, 0, 0, 0, 0, 0, 1] => Some(Networks::Private),
        // Addresses that embed an IPv4 address: IPv4-compatible, SIIT, NAT64, 6to4 and
        // ISATAP.
        [0, 0, 0, 0, 0, 0, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..]
        | [_, _, _, _, 0 | 0x200, 0x5efe, high, low] => network_of_v4(v4(high, low)),
        [0x64, 0xff9b, 1, ..] => Some(network_behind(ip)),
        // Teredo: its server, and the peer with inverted bits.
        [0x2001, 0, high, low, _, _, peer_high, peer_low] => {
            let server = network_of_v4(v4(high, low))?;
            let peer = network_of_v4(v4(!peer_high, !peer_low))?;
            Some(server.max(peer))
        }
        // Benchmarks, identifiers that are not addresses, and documentation.
        [0x2001, 2, 0, ..]
        | [0x2001, 0x10..=0x3f, ..]
        | [0x2001, 0xdb8, ..]
        | [0x3fff, 0..=0xfff, ..] => Some(Networks::Private),
        [0x2000..=0x3fff, ..] => Some(Networks::Public),
        _ => Some(Networks::Private),
    }
}

fn v4(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low))
}

/// The network behind a local-use NAT64 prefix (RFC 8215), whose operator chooses the
/// position of the IPv4 address (RFC 6052, 2.2). It is private in any case.
fn network_behind(ip: Ipv6Addr) -> Networks {
    let octets = ip.octets();
    let places = [
        [6, 7, 9, 10],
        [7, 9, 10, 11],
        [9, 10, 11, 12],
        [12, 13, 14, 15],
    ];
    let embedded = places.map(|place| network_of_v4(place.map(|at: usize| octets[at]).into()));
    let farthest = embedded.into_iter().flatten().max();
    farthest.unwrap_or_default().max(Networks::Private)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_http_and_https_urls_are_targets() {
        let target = WebhookTarget::parse("https://ci.example/hooks?x=1").unwrap();
        assert_eq!(target.authority(), "ci.example");
        assert_eq!((target.port, target.path.as_str()), (443, "/hooks?x=1"));
        let target = WebhookTarget::parse("http://[::1]:8080").unwrap();
        assert_eq!(target.authority(), "[::1]:8080");
        assert_eq!(target.path, "/");
        let target = WebhookTarget::parse("http://2130706433/\u{e9}#part").unwrap();
        assert_eq!(target.authority(), "127.0.0.1");
        assert_eq!(target.path, "/%C3%A9");
        for url in [
            "ftp://ci.example/",
            "file:///etc/passwd",
            "gopher://x",
            "/hooks",
            "http://",
            "http://user:secret@ci.example/",
            "http://[%=c]:8080",
            "http://htt[108::]8:+htp",
            "http://ci.example:+80/",
            "http://ci.example:65536/",
            "http://[fe80::1%25eth0]/",
            "javascript:alert(1)",
            "",
        ] {
            assert!(WebhookTarget::parse(url).is_err(), "{url}");
        }
    }

    #[test]
    fn each_spelling_of_an_address_belongs_to_its_network() {
        let expected: [(Option<Networks>, &[&str]); 4] = [
            (
                Some(Networks::LinkLocal),
                &[
                    "169.254.169.254",
                    "169.254.0.1",
                    "100.100.100.200",
                    "fe80::1",
                    "168.63.129.16",
                    "192.0.0.192",
                    "fd00:ec2::254",
                    "fd20:ce::254",
                    "fd00:42::42",
                    "::ffff:168.63.129.16",
                    "::ffff:192.0.0.192",
                    "64:ff9b::a83f:8110",
                    "64:ff9b:1::c000:c0",
                    "2002:a83f:8110::1",
                    "2001:0:808:808:0:0:57c0:7eef",
                    "::ffff:169.254.169.254",
                    "::169.254.169.254",
                    "64:ff9b::a9fe:a9fe",
                    "64:ff9b:1::a9fe:a9fe",
                    "2002:a9fe:a9fe::1",
                    "::ffff:0:169.254.169.254",
                    "64:ff9b:1:a9fe:a9:fe00::",
                    "64:ff9b:1::a9:fea9:fe00:0",
                    "2001:0:808:808:0:0:5601:5601",
                    "2606:4700::5efe:169.254.169.254",
                ],
            ),
            (
                Some(Networks::Private),
                &[
                    "127.0.0.1",
                    "127.255.0.1",
                    "10.0.0.1",
                    "172.16.0.1",
                    "172.31.255.255",
                    "192.168.1.1",
                    "100.64.0.1",
                    "198.18.0.1",
                    "240.0.0.1",
                    "192.0.0.9",
                    "192.0.0.170",
                    "192.0.0.193",
                    "192.0.2.1",
                    "192.88.99.1",
                    "198.51.100.1",
                    "203.0.113.255",
                    "100::1",
                    "100:0:0:1::1",
                    "2001:2::1",
                    "2001:10::1",
                    "2001:2f::1",
                    "2001:3f:ffff::1",
                    "2001:db8::1",
                    "3fff::1",
                    "3fff:fff::1",
                    "5f00::1",
                    "4000::1",
                    "64:ff9b:0:1::808:808",
                    "::1",
                    "::ffff:127.0.0.1",
                    "::ffff:10.0.0.1",
                    "fc00::1",
                    "fd12::1",
                    "fec0::1",
                    "64:ff9b::7f00:1",
                    "2002:a00:1::1",
                    "::ffff:0:10.0.0.1",
                    "::ffff:0:127.0.0.1",
                    "64:ff9b:1::808:808",
                    "64:ff9b:1:a00:0:100::",
                    "2001::a00:1:0:0:f7f7:f7f7",
                    "2001:0:808:808:0:0:80ff:fffe",
                    "2606:4700::200:5efe:10.0.0.1",
                ],
            ),
            (
                Some(Networks::Public),
                &[
                    "8.8.8.8",
                    "168.63.129.17",
                    "192.0.1.1",
                    "192.31.196.1",
                    "192.52.193.1",
                    "192.175.48.1",
                    "2001:1::1",
                    "2001:3::1",
                    "2001:4:112::1",
                    "2001:40::1",
                    "2620:4f:8000::1",
                    "3fff:1000::1",
                    "172.32.0.1",
                    "2606:4700::1",
                    "::ffff:8.8.8.8",
                    "::ffff:0:8.8.8.8",
                    "64:ff9b::808:808",
                    "2001:0:808:808:0:0:f7f7:f7f7",
                    "2001:4860:4860::8888",
                ],
            ),
            (
                None,
                &[
                    "0.0.0.0",
                    "0.1.2.3",
                    "255.255.255.255",
                    "224.0.0.1",
                    "::",
                    "ff02::1",
                    "::ffff:0.0.0.0",
                ],
            ),
        ];
        for (network, addresses) in expected {
            for ip in addresses {
                assert_eq!(network_of(ip.parse().unwrap()), network, "{ip}");
            }
        }
    }

    #[test]
    fn each_choice_includes_the_narrower_ones() {
        let [internet, local, metadata] =
            ["8.8.8.8", "127.0.0.1", "169.254.169.254"].map(|ip| ip.parse().unwrap());
        let reached =
            |networks: Networks| [internet, local, metadata].map(|ip| networks.include(ip));
        assert_eq!(reached(Networks::Public), [true, false, false]);
        assert_eq!(reached(Networks::Private), [true, true, false]);
        assert_eq!(reached(Networks::LinkLocal), [true, true, true]);
        assert!(!Networks::LinkLocal.include("0.0.0.0".parse().unwrap()));
    }
}
