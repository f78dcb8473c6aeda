//! Tests TLS from the client's side.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::Empty;
use hyper::body::Bytes;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use poem::endpoint::make_sync;
use poem::{Endpoint, EndpointExt, Response};
use rcgen::{CertificateParams, KeyPair};
use tempfile::TempDir;
use time::OffsetDateTime;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{
    ClientConfig, ProtocolVersion, RootCertStore, SupportedProtocolVersion,
};

use super::{Listening, Tls, TlsError};
use crate::web::server::{ConnectionLimits, serve};
use storage::clock::{Clock, SystemClock};

/// Longer than any step of the tests takes.
const TIMEOUT: Duration = Duration::from_secs(60);

const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: forge.test\r\nConnection: close\r\n\r\n";

/// The real time, by which clients decide whether a certificate is valid.
fn now() -> OffsetDateTime {
    SystemClock.now().to_calendar()
}

struct TestServer {
    port: u16,
    folder: TempDir,
    stop: oneshot::Sender<()>,
    ended: tokio::task::JoinHandle<()>,
}

fn limits() -> ConnectionLimits {
    ConnectionLimits::for_clients(16, 1.0)
}

/// Answers with the scheme of the request.
fn scheme() -> impl Endpoint<Output = Response> {
    make_sync(|request| Response::builder().body(request.scheme().to_string()))
}

async fn serving(limits: ConnectionLimits, make: impl Fn(&Path) -> Tls) -> TestServer {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (stop, stopped) = oneshot::channel::<()>();
    let stopped = async { drop(stopped.await) };
    let listening = Listening::new(listener, Some(make(folder.path())));
    let memory = Arc::default();
    let ended = tokio::spawn(serve(listening, scheme().boxed(), limits, memory, stopped));
    TestServer {
        port,
        folder,
        stop,
        ended,
    }
}

fn development(folder: &Path) -> Tls {
    let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
    Tls::for_development(folder, names, now()).unwrap().0
}

impl TestServer {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.port)).await.unwrap()
    }

    /// A client that trusts one authority, with these versions and protocols.
    async fn secured(
        &self,
        authority: &Path,
        versions: &[&'static SupportedProtocolVersion],
        protocols: &[&str],
    ) -> std::io::Result<TlsStream<TcpStream>> {
        let mut roots = RootCertStore::empty();
        roots
            .add(CertificateDer::from_pem_file(authority).unwrap())
            .unwrap();
        let mut config = ClientConfig::builder_with_protocol_versions(versions)
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = protocols
            .iter()
            .map(|name| name.as_bytes().into())
            .collect();
        let name = ServerName::try_from("localhost").unwrap();
        let connector = TlsConnector::from(Arc::new(config));
        connector.connect(name, self.connect().await).await
    }

    async fn trusting(&self) -> TlsStream<TcpStream> {
        let authority = self.folder.path().join("authority.pem");
        let secured = self.secured(&authority, &[&TLS13], &["http/1.1"]).await;
        secured.unwrap()
    }
}

/// Writes a self-signed certificate and its key.
fn write_pair(folder: &Path) -> (PathBuf, PathBuf) {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let certificate = params.self_signed(&key).unwrap();
    let (chain, private) = (folder.join("chain.pem"), folder.join("key.pem"));
    let encoded = |tag, der: &[u8]| pem::encode(&pem::Pem::new(tag, der));
    std::fs::write(&private, encoded("PRIVATE KEY", &key.serialize_der())).unwrap();
    std::fs::write(&chain, encoded("CERTIFICATE", certificate.der())).unwrap();
    (chain, private)
}

#[tokio::test]
async fn both_versions_of_tls_are_spoken_and_requests_know_it() {
    let served = serving(limits(), development).await;
    let authority = served.folder.path().join("authority.pem");
    for (offered, spoken) in [
        (&TLS12, ProtocolVersion::TLSv1_2),
        (&TLS13, ProtocolVersion::TLSv1_3),
    ] {
        let stream = served.secured(&authority, &[offered], &[]).await;
        let mut stream = stream.unwrap();
        assert_eq!(stream.get_ref().1.protocol_version(), Some(spoken));
        stream.write_all(GET).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.ends_with("\r\n\r\nhttps"), "{answer}");
    }
}

#[tokio::test]
async fn http2_is_chosen_by_alpn() {
    let served = serving(limits(), development).await;
    let authority = served.folder.path().join("authority.pem");
    let protocols = ["h2", "http/1.1"];
    let stream = served.secured(&authority, &[&TLS13], &protocols).await;
    let stream = stream.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let builder = http2::Builder::new(TokioExecutor::new());
    let (mut sender, connection) = builder.handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let request = hyper::Request::get("https://localhost/");
    let request = request.body(Empty::<Bytes>::new()).unwrap();
    assert_eq!(sender.send_request(request).await.unwrap().status(), 200);
    let old = served.secured(&authority, &[&TLS13], &["http/1.1"]).await;
    let old = old.unwrap();
    assert_eq!(old.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
}

#[tokio::test]
async fn a_handshake_that_stalls_is_closed_at_its_first_byte_or_later() {
    let limits = ConnectionLimits {
        handshake: Duration::from_millis(300),
        ..limits()
    };
    let served = serving(limits, development).await;
    for first_bytes in [&b""[..], &b"\x16\x03\x01\x02\x00"[..]] {
        let mut stream = served.connect().await;
        stream.write_all(first_bytes).await.unwrap();
        let start = Instant::now();
        let mut rest = Vec::new();
        let closed = timeout(TIMEOUT, stream.read_to_end(&mut rest)).await;
        let _ = closed.expect("the connection stays open");
        assert!(start.elapsed() >= Duration::from_millis(250));
    }
}

#[tokio::test]
async fn a_client_without_tls_is_told_to_use_it() {
    let served = serving(limits(), development).await;
    let mut stream = served.connect().await;
    stream.write_all(GET).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(
        answer.starts_with("HTTP/1.1 400 Bad Request\r\n"),
        "{answer}"
    );
    assert!(answer.contains("This port serves HTTPS"), "{answer}");
}

/// A handshake holds a slot of its address, so stalled handshakes leave no more room than
/// stalled requests do. A client without a slot gets a response over TLS.
#[tokio::test]
async fn a_connection_without_a_slot_is_refused_in_tls() {
    let served = serving(ConnectionLimits::for_clients(2, 1.0), development).await;
    let stalled = [served.connect().await, served.connect().await];
    // Their slots are taken when the server has accepted them, in this order.
    let mut stream = served.trusting().await;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    assert!(answer.contains("\r\nretry-after: 1\r\n"), "{answer}");
    drop(stalled);
}

#[tokio::test]
async fn a_handshake_does_not_outlast_the_grace_of_a_shutdown() {
    let limits = ConnectionLimits {
        shutdown_grace: Duration::from_millis(300),
        ..limits()
    };
    let served = serving(limits, development).await;
    let mut stalled = served.connect().await;
    let mut answered = served.trusting().await;
    served.stop.send(()).unwrap();
    answered.write_all(GET).await.unwrap();
    let mut answer = String::new();
    answered.read_to_string(&mut answer).await.unwrap();
    assert!(answer.ends_with("https"), "{answer}");
    let outcome = timeout(TIMEOUT, served.ended).await;
    outcome.expect("it never ends").unwrap();
    let mut rest = Vec::new();
    let closed = timeout(TIMEOUT, stalled.read_to_end(&mut rest)).await;
    let _ = closed.expect("the connection stays open");
}

#[tokio::test]
async fn a_certificate_is_replaced_when_its_files_change_and_kept_when_they_break() {
    let served = serving(limits(), |folder| {
        let (chain, key) = write_pair(folder);
        Tls::from_files(&chain, &key).unwrap()
    })
    .await;
    let (first, second) = (served.folder.path().join("first"), served.folder.path());
    std::fs::copy(second.join("chain.pem"), &first).unwrap();
    let works = async |authority: &Path| {
        let secured = served.secured(authority, &[&TLS13], &[]).await;
        secured.is_ok()
    };
    assert!(works(&first).await);
    std::fs::write(second.join("key.pem"), "no key").unwrap();
    sleep(Duration::from_millis(1500)).await;
    assert!(works(&first).await);
    let (chain, _) = write_pair(second);
    let start = Instant::now();
    while !works(&chain).await {
        assert!(start.elapsed() < TIMEOUT, "it is not read again");
        sleep(Duration::from_millis(50)).await;
    }
    assert!(!works(&first).await);
}

#[test]
fn files_that_cannot_be_served_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    let (chain, key) = write_pair(folder.path());
    let (_, another) = write_pair(other.path());
    let missing = folder.path().join("missing.pem");
    for (chain, key, expected) in [
        (&missing, &key, "cannot read "),
        (&key, &key, "key.pem has no certificate in PEM"),
        (&chain, &chain, "chain.pem has no private key in PEM"),
        (&chain, &another, "cannot use "),
    ] {
        let TlsError(reason) = Tls::from_files(chain, key).unwrap_err();
        assert!(reason.contains(expected), "{reason}");
    }
}

#[test]
fn an_authority_is_made_once_and_its_key_is_private() {
    let folder = tempfile::tempdir().unwrap();
    let names = || vec!["localhost".to_owned()];
    let (_, path) = Tls::for_development(folder.path(), names(), now()).unwrap();
    let first = std::fs::read(&path).unwrap();
    Tls::for_development(folder.path(), names(), now()).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), first);
    let key = folder.path().join("authority-key.pem");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&key).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    std::fs::write(&key, "no key").unwrap();
    let TlsError(reason) = Tls::for_development(folder.path(), names(), now()).unwrap_err();
    assert!(reason.contains("delete its folder"), "{reason}");
}

#[cfg(unix)]
#[test]
fn the_folders_of_an_authority_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    Tls::for_development(&data.join("tls"), vec!["localhost".to_owned()], now()).unwrap();
    for path in [data.join("tls"), data] {
        let mode = path.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{}", path.display());
    }
}
