//! The flags of HTTPS.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use time::OffsetDateTime;

use super::ServeConfig;
use crate::web::server::{Tls, TlsError};

/// Names by which clients on this machine reach the server. `gh` knows `github.localhost`.
const LOCAL_NAMES: [&str; 5] = [
    "localhost",
    "github.localhost",
    "api.github.localhost",
    "127.0.0.1",
    "::1",
];

/// How to serve HTTPS.
#[derive(Debug, Clone, Args)]
pub struct TlsConfig {
    /// Serve HTTPS with this certificate chain in PEM; reloaded when the file changes
    #[arg(
        long,
        env = "FORGEWRIGHT_TLS_CERT",
        value_name = "FILE",
        requires = "tls_key"
    )]
    tls_cert: Option<PathBuf>,

    /// The private key of --tls-cert in PEM
    #[arg(
        long,
        env = "FORGEWRIGHT_TLS_KEY",
        value_name = "FILE",
        requires = "tls_cert"
    )]
    tls_key: Option<PathBuf>,

    /// Serve HTTPS with a certificate of a development authority, which is created once in the
    /// data folder
    #[arg(long, env = "FORGEWRIGHT_TLS_DEV", conflicts_with = "tls_cert")]
    tls_dev: bool,
}

/// The TLS settings, and the certificate for clients to trust.
pub struct PreparedTls {
    pub tls: Option<Tls>,
    /// The certificate of the development authority.
    pub authority: Option<PathBuf>,
}

impl TlsConfig {
    pub fn is_wanted(&self) -> bool {
        self.tls_cert.is_some() || self.tls_dev
    }
}

impl ServeConfig {
    /// Reads or creates the certificate for HTTPS, if it is enabled.
    pub fn prepare_tls(&self, now: OffsetDateTime) -> Result<PreparedTls, TlsError> {
        let (tls, authority) = match (&self.tls.tls_cert, &self.tls.tls_key) {
            (Some(certificate), Some(key)) => (Some(Tls::from_files(certificate, key)?), None),
            _ if self.tls.tls_dev => {
                let folder = self.database.data_dir().join("tls");
                let names = names(self.base_url.as_deref(), self.listen);
                let (tls, authority) = Tls::for_development(&folder, names, now)?;
                (Some(tls), Some(authority))
            }
            _ => (None, None),
        };
        Ok(PreparedTls { tls, authority })
    }
}

/// The names of a development certificate: those of this machine, and those that the operator
/// named.
fn names(base_url: Option<&str>, listen: SocketAddr) -> Vec<String> {
    let mut names = LOCAL_NAMES.map(str::to_owned).to_vec();
    let machine = rustix::system::uname();
    let machine = machine.nodename().to_str().unwrap_or_default();
    let base = base_url.and_then(|url| url::Url::parse(url).ok());
    let base = base.as_ref().and_then(url::Url::host_str);
    let address = (!listen.ip().is_unspecified()).then(|| listen.ip().to_string());
    for name in [Some(machine), base, address.as_deref()]
        .into_iter()
        .flatten()
    {
        let name = name.trim_matches(['[', ']']).to_ascii_lowercase();
        let is_name = name.is_ascii() && !name.is_empty() && name != "(none)";
        if is_name && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_names_what_clients_may_call_the_server() {
        let listen = |text: &str| text.parse().unwrap();
        let certificate_names = names(None, listen("127.0.0.1:8443"));
        for name in LOCAL_NAMES {
            assert_eq!(
                certificate_names
                    .iter()
                    .filter(|certificate_names| *certificate_names == name)
                    .count(),
                1
            );
        }
        let certificate_names = names(Some("https://Forge.example:8443"), listen("10.0.0.7:1"));
        assert!(certificate_names.contains(&"forge.example".to_owned()));
        assert!(certificate_names.contains(&"10.0.0.7".to_owned()));
        let certificate_names = names(Some("https://[fd00::1]"), listen("0.0.0.0:1"));
        assert!(certificate_names.contains(&"fd00::1".to_owned()));
        assert!(!certificate_names.contains(&"0.0.0.0".to_owned()));
    }
}
