//! Certificate authorities that webhooks trust: the public ones, and those of the operator.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use tokio_rustls::rustls::crypto::{
    CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature,
};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};

/// The trusted certificate authorities.
#[derive(Clone)]
pub struct Trust(TlsConnector);

static BROWSERS: LazyLock<Trust> = LazyLock::new(|| Trust::of(browsers()));

static ANYBODY: LazyLock<Trust> = LazyLock::new(|| {
    let config = ClientConfig::builder()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Unverified(ring::default_provider())))
        .with_no_client_auth();
    Trust(TlsConnector::from(Arc::new(config)))
});

impl Trust {
    /// The public authorities, and those in a PEM file.
    pub fn with_file(path: &Path) -> Result<Self, String> {
        let unreadable = |cause: &dyn fmt::Display| format!("cannot read the file: {cause}");
        let mut roots = browsers();
        let before = roots.len();
        let certificates =
            CertificateDer::pem_file_iter(path).map_err(|cause| unreadable(&cause))?;
        for certificate in certificates {
            let certificate = certificate.map_err(|cause| unreadable(&cause))?;
            roots
                .add(certificate)
                .map_err(|cause| format!("cannot use a certificate in the file: {cause}"))?;
        }
        if roots.len() == before {
            return Err("the file has no certificate in PEM format".to_owned());
        }
        Ok(Self::of(roots))
    }

    /// Accepts any certificate, for apps with `insecure_ssl`.
    pub fn anybody() -> Self {
        ANYBODY.clone()
    }

    pub fn connector(&self) -> &TlsConnector {
        &self.0
    }

    fn of(roots: RootCertStore) -> Self {
        let config = ClientConfig::builder()
            .with_root_certificates(roots)
            .with_no_client_auth();
        Self(TlsConnector::from(Arc::new(config)))
    }
}

/// Accepts every certificate, but checks that the receiver has its key.
#[derive(Debug)]
struct Unverified(CryptoProvider);

impl ServerCertVerifier for Unverified {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
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
pub fn explain(error: &std::io::Error) -> String {
    let cause = error.get_ref().and_then(|inner| inner.downcast_ref());
    match cause {
        Some(Error::InvalidCertificate(CertificateError::UnknownIssuer)) => {
            "TLS failed: the authority of the certificate is not trusted; name it with \
             --webhook-ca-file of the server for webhooks, or with --ca-file for a command"
                .to_owned()
        }
        Some(Error::InvalidCertificate(reason)) => {
            format!("TLS failed: the certificate is not valid: {reason}")
        }
        _ => format!("TLS failed: {error}"),
    }
}
