//! Certificate authorities that webhooks trust: the public ones, and those of the operator.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{CertificateError, ClientConfig, Error, RootCertStore};

/// The trusted certificate authorities.
#[derive(Clone)]
pub struct Trust(TlsConnector);

static BROWSERS: LazyLock<Trust> = LazyLock::new(|| Trust::of(browsers()));

impl Trust {
    /// The public authorities, and those in a PEM file.
    pub fn with_file(path: &Path) -> Result<Self, String> {
        let unreadable = |cause: &dyn fmt::Display| format!("it cannot be read: {cause}");
        let mut roots = browsers();
        let before = roots.len();
        let certificates =
            CertificateDer::pem_file_iter(path).map_err(|cause| unreadable(&cause))?;
        for certificate in certificates {
            let certificate = certificate.map_err(|cause| unreadable(&cause))?;
            roots
                .add(certificate)
                .map_err(|cause| format!("a certificate in it cannot be used: {cause}"))?;
        }
        if roots.len() == before {
            return Err("it holds no certificate in PEM".to_owned());
        }
        Ok(Self::of(roots))
    }

    pub(super) fn connector(&self) -> &TlsConnector {
        &self.0
    }

    fn of(roots: RootCertStore) -> Self {
        let config = ClientConfig::builder()
            .with_root_certificates(roots)
            .with_no_client_auth();
        Self(TlsConnector::from(Arc::new(config)))
    }
}

fn browsers() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    roots
}

impl Default for Trust {
    fn default() -> Self {
        BROWSERS.clone()
    }
}

impl fmt::Debug for Trust {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Trust")
    }
}

/// Explains a TLS error, and what to do about it.
pub(super) fn explain(error: &std::io::Error) -> String {
    let cause = error.get_ref().and_then(|inner| inner.downcast_ref());
    match cause {
        Some(Error::InvalidCertificate(CertificateError::UnknownIssuer)) => {
            "no secure connection: the receiver's certificate is from an authority that is not \
             trusted; --webhook-ca-file names more of them"
                .to_owned()
        }
        Some(Error::InvalidCertificate(reason)) => {
            format!("no secure connection: the receiver's certificate is refused: {reason}")
        }
        _ => format!("no secure connection: {error}"),
    }
}
