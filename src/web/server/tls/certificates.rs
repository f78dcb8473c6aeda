//! The certificate of the server, and the PEM files that it comes from. When the files
//! change, new connections get the new certificate; while the files cannot be used, the old
//! one stays.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;

use super::TlsError;
use storage::files::read_regular;

/// How often the files are compared.
const INTERVAL: Duration = Duration::from_secs(1);

/// The largest file in bytes. A chain has a few kilobytes.
const LARGEST: u64 = 1 << 20;

/// The certificate that new connections get.
#[derive(Debug)]
pub struct Certificates(RwLock<Arc<CertifiedKey>>);

impl Certificates {
    pub fn new(certified: CertifiedKey) -> Self {
        Self(RwLock::new(Arc::new(certified)))
    }

    fn replace(&self, certified: CertifiedKey) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(certified);
    }
}

impl ResolvesServerCert for Certificates {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let current = self.0.read().unwrap_or_else(PoisonError::into_inner);
        Some(current.clone())
    }
}

/// The files of a certificate chain and its private key.
#[derive(Debug, Clone)]
pub struct CertificateFiles {
    certificate: PathBuf,
    key: PathBuf,
}

/// The contents of the files.
#[derive(PartialEq, Eq)]
pub struct CertificateAndKey {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl CertificateFiles {
    pub fn new(certificate: &Path, key: &Path) -> Self {
        Self {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
        }
    }

    pub fn read(&self) -> Result<CertificateAndKey, TlsError> {
        Ok(CertificateAndKey {
            certificate: read(&self.certificate)?,
            key: read(&self.key)?,
        })
    }

    /// Compares contents, not times: a certificate manager may replace a link to a folder.
    pub async fn follow(&self, certificates: &Certificates) {
        let mut current = self.read_in_background().await;
        loop {
            tokio::time::sleep(INTERVAL).await;
            let next = self.read_in_background().await;
            if next == current {
                continue;
            }
            current = next;
            let certified = current.as_ref().map_err(|error| TlsError(error.0.clone()));
            match certified.and_then(|contents| contents.certified(self)) {
                Ok(certified) => {
                    certificates.replace(certified);
                    tracing::info!("reloaded the TLS certificate");
                }
                Err(error) => {
                    tracing::warn!("cannot reload the TLS certificate; the old one stays: {error}");
                }
            }
        }
    }

    /// On a thread that may block: the files may be on a network.
    async fn read_in_background(&self) -> Result<CertificateAndKey, TlsError> {
        let files = self.clone();
        let read = tokio::task::spawn_blocking(move || files.read()).await;
        read.unwrap_or_else(|error| Err(TlsError(error.to_string())))
    }
}

/// Reads a file of bounded size.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    let unreadable = |cause: &dyn std::fmt::Display| {
        TlsError(format!("cannot read {}: {cause}", path.display()))
    };
    read_regular(path, LARGEST).map_err(|cause| match cause.kind() {
        ErrorKind::FileTooLarge => unreadable(&"it is too large for a certificate or a key"),
        _ => unreadable(&cause),
    })
}

impl CertificateAndKey {
    /// The chain and the key, if they belong together.
    pub fn certified(&self, files: &CertificateFiles) -> Result<CertifiedKey, TlsError> {
        let (certificate, key) = (files.certificate.display(), files.key.display());
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&self.certificate).collect();
        let chain = chain
            .ok()
            .filter(|chain| !chain.is_empty())
            .ok_or_else(|| TlsError(format!("{certificate} has no certificate in PEM format")))?;
        let private = PrivateKeyDer::from_pem_slice(&self.key).map_err(|_| {
            TlsError(format!(
                "{key} has no private key in PEM format; decrypt an encrypted key first"
            ))
        })?;
        CertifiedKey::from_der(chain, private, &ring::default_provider()).map_err(|cause| {
            TlsError(format!(
                "cannot use the certificate in {certificate} with the key in {key}: {cause}"
            ))
        })
    }
}
