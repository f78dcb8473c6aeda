//! TLS: the handshake of a connection, with a certificate that may be replaced while the
//! server runs.

mod authority;
mod certificates;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use time::OffsetDateTime;
use tokio::io;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::server::TlsStream;

use super::watched::WatchedStream;
use certificates::{CertificateFiles, Certificates};

/// The first byte of every TLS connection: the type of a handshake record.
const HANDSHAKE_RECORD: u8 = 22;

/// A listener, with TLS or without.
pub struct Listening {
    pub(super) listener: TcpListener,
    pub(super) tls: Option<Tls>,
}

impl From<TcpListener> for Listening {
    fn from(listener: TcpListener) -> Self {
        Self {
            listener,
            tls: None,
        }
    }
}

impl Listening {
    pub fn new(listener: TcpListener, tls: Option<Tls>) -> Self {
        Self { listener, tls }
    }
}

/// The TLS 1.2 and 1.3 settings of this server.
#[derive(Clone)]
pub struct Tls {
    certificates: Arc<Certificates>,
    /// The files of the certificate, if it comes from files.
    files: Option<CertificateFiles>,
    acceptor: TlsAcceptor,
    /// Without HTTP/2, for the prepared HTTP/1.1 response to a connection without a slot.
    refusing: TlsAcceptor,
}

/// A certificate that cannot be served, in one line that says why.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TlsError(String);

impl Tls {
    /// Serves a certificate chain and its key from PEM files, and reads them again when
    /// they change.
    pub fn from_files(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let files = CertificateFiles::new(certificate, key);
        let certificates = Certificates::new(files.read()?.certified(&files)?);
        Self::new(certificates, Some(files))
    }

    /// Serves a certificate for these names, issued by the authority in this folder, which is
    /// created if it is missing. Also returns the authority's certificate, for clients to trust.
    pub fn for_development(
        folder: &Path,
        names: Vec<String>,
        now: OffsetDateTime,
    ) -> Result<(Self, PathBuf), TlsError> {
        let issued = authority::issue(folder, names, now)?;
        let tls = Self::new(Certificates::new(issued.certified), None)?;
        Ok((tls, issued.authority))
    }

    fn new(certificates: Certificates, files: Option<CertificateFiles>) -> Result<Self, TlsError> {
        let certificates = Arc::new(certificates);
        Ok(Self {
            acceptor: acceptor(&certificates, &["h2", "http/1.1"])?,
            refusing: acceptor(&certificates, &["http/1.1"])?,
            certificates,
            files,
        })
    }

    /// Replaces the certificate whenever its files change. Never returns.
    pub(super) async fn follow_files(self) {
        match &self.files {
            Some(files) => files.follow(&self.certificates).await,
            None => std::future::pending().await,
        }
    }

    pub(super) async fn accept(
        &self,
        stream: WatchedStream,
    ) -> io::Result<TlsStream<WatchedStream>> {
        self.acceptor.accept(stream).await
    }

    pub(super) async fn accept_to_refuse(
        &self,
        stream: TcpStream,
    ) -> io::Result<TlsStream<TcpStream>> {
        self.refusing.accept(stream).await
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Tls")
    }
}

fn acceptor(certificates: &Arc<Certificates>, protocols: &[&str]) -> Result<TlsAcceptor, TlsError> {
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsError(format!("cannot configure TLS: {error}")))?
        .with_no_client_auth()
        .with_cert_resolver(certificates.clone());
    config.alpn_protocols = protocols
        .iter()
        .map(|name| name.as_bytes().into())
        .collect();
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Whether a client speaks HTTP without TLS. Waits for its first byte.
pub(super) async fn is_plain_http(stream: &TcpStream) -> io::Result<bool> {
    let mut first = [0];
    match stream.peek(&mut first).await? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(first[0] != HANDSHAKE_RECORD),
    }
}
