//! A receiver of webhooks, with TLS or without.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

/// Received requests: the head and the body of each.
pub type Requests = Arc<Mutex<Vec<(String, Vec<u8>)>>>;

/// A receiver of webhooks, with the requests that it got and its next responses.
pub struct Receiver {
    pub url: String,
    pub got: Requests,
    answers: Arc<Mutex<Vec<&'static str>>>,
}

impl Receiver {
    pub async fn start() -> Self {
        Self::listen("http", None).await
    }

    /// A receiver with TLS and the certificate in `tls/`. Clients that do not trust it send
    /// nothing.
    pub async fn start_secure() -> Self {
        let chain = CertificateDer::from_pem_slice(include_bytes!("tls/test-only-receiver.pem"));
        let key = PrivateKeyDer::from_pem_slice(include_bytes!("tls/test-only-receiver-key.pem"));
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![chain.unwrap()], key.unwrap())
            .unwrap();
        Self::listen("https", Some(TlsAcceptor::from(Arc::new(config)))).await
    }

    async fn listen(scheme: &str, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("{scheme}://{}/hook?x=1", listener.local_addr().unwrap());
        let (got, answers) = (Requests::default(), Arc::default());
        let receiver = Self { url, got, answers };
        let (got, answers) = (receiver.got.clone(), receiver.answers.clone());
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let mut stream: Box<dyn Stream> = match &tls {
                    None => Box::new(stream),
                    Some(tls) => match tls.accept(stream).await {
                        Ok(stream) => Box::new(stream),
                        Err(_) => continue,
                    },
                };
                let request = read(&mut stream).await;
                got.lock().unwrap().push(request);
                let answer = answers.lock().unwrap().pop().unwrap_or("204 No Content");
                let location = "Location: http://127.0.0.1:1/\r\n";
                let head = format!("HTTP/1.1 {answer}\r\n{location}Content-Length: 0\r\n\r\n");
                stream.write_all(head.as_bytes()).await.unwrap();
                stream.flush().await.unwrap();
            }
        });
        receiver
    }

    pub fn answer(&self, answers: &[&'static str]) {
        self.answers.lock().unwrap().extend(answers.iter().rev());
    }

    pub fn take(&self) -> Vec<(String, Vec<u8>)> {
        std::mem::take(&mut self.got.lock().unwrap())
    }

    /// Waits until a request has arrived that was not taken.
    pub async fn wait_for_request(&self) {
        let arrived = async {
            while self.got.lock().unwrap().is_empty() {
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(Duration::from_secs(60), arrived)
            .await
            .expect("no request arrives");
    }

    /// The bodies of the received comments, in order.
    pub fn bodies(&self) -> Vec<String> {
        let got = self.take().into_iter();
        got.map(|(_, body)| {
            let payload: Value = serde_json::from_slice(&body).unwrap();
            payload["comment"]["body"].as_str().unwrap().to_owned()
        })
        .collect()
    }
}

async fn read(stream: &mut (impl AsyncRead + Unpin)) -> (String, Vec<u8>) {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 4096];
        let count = stream.read(&mut chunk).await.unwrap();
        bytes.extend_from_slice(&chunk[..count]);
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else {
            continue;
        };
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let length = header(&head, "content-length")
            .unwrap()
            .parse::<usize>()
            .unwrap();
        if bytes.len() >= end + 4 + length {
            return (head, bytes[end + 4..].to_vec());
        }
    }
}

pub fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| {
        let (key, value) = line.split_once(": ")?;
        key.eq_ignore_ascii_case(name).then_some(value)
    })
}
