//! Gives hyper's own refusals the common error body. hyper answers a malformed request
//! itself, with a bare status (400, 414 or 431), before it becomes a request. This layer
//! rewrites that response on its way out. 414 becomes 431: which of them hyper chooses for a
//! long path depends on how much of it has arrived.
//!
//! A response of hyper has no headers but its own three. Ours always have a content type
//! and the headers of `web/headers.rs`. HTTP/2 has its own error frames and is not changed:
//! it answers a head that is too large with 431, without a body.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::body::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::web::headers::ELSEWHERE;
use contract::problem::{DOCUMENTATION_ROOT, FailureBody};
use contract::reply::JSON;

/// The headers that hyper adds itself.
const OF_HYPER: [&str; 3] = ["content-length", "connection", "date"];

/// The longest refusal of hyper in bytes.
const LONGEST: usize = 256;

/// How long to drain the connection after a refusal: closing it with unread bytes resets
/// it, and the client may lose the response.
const TIMEOUT: Duration = Duration::from_secs(1);
const MOST_DISCARDED: usize = 1 << 20;

pub struct Explained<S> {
    stream: S,
    /// The unwritten rest of a refusal; nothing follows it.
    refusal: Option<Bytes>,
    /// The bytes drained after it, and the deadline.
    draining: Option<(usize, Pin<Box<Sleep>>)>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Explained<S> {
    pub fn new(stream: S) -> Self {
        Self {
            stream,
            refusal: None,
            draining: None,
        }
    }

    /// Writes our refusal instead of hyper's, and reports hyper's as written.
    fn explain(&mut self, context: &mut Context<'_>, instead_of: usize) -> Poll<io::Result<usize>> {
        while let Some(rest) = self.refusal.as_mut().filter(|rest| !rest.is_empty()) {
            let written = ready!(Pin::new(&mut self.stream).poll_write(context, rest))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            rest.advance(written);
        }
        Poll::Ready(Ok(instead_of))
    }

    fn drain(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let (read, deadline) = self
            .draining
            .get_or_insert_with(|| (0, Box::pin(sleep(TIMEOUT))));
        let mut ignored = [0; 4096];
        while *read < MOST_DISCARDED {
            let mut buffer = ReadBuf::new(&mut ignored);
            match Pin::new(&mut self.stream).poll_read(context, &mut buffer) {
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {
                    *read += buffer.filled().len();
                }
                Poll::Ready(_) => return Poll::Ready(()),
                Poll::Pending => return deadline.as_mut().poll(context),
            }
        }
        Poll::Ready(())
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Explained<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Explained<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.refusal.is_none() {
            this.refusal = explanation(bytes);
        }
        if this.refusal.is_some() {
            return this.explain(context, bytes.len());
        }
        Pin::new(&mut this.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let mut filled = parts.iter().filter(|part| !part.is_empty());
        if this.refusal.is_none()
            && let (Some(only), None) = (filled.next(), filled.next())
        {
            this.refusal = explanation(only);
        }
        if this.refusal.is_some() {
            return this.explain(context, parts.iter().map(|part| part.len()).sum());
        }
        Pin::new(&mut this.stream).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.draining.is_none() {
            ready!(Pin::new(&mut this.stream).poll_shutdown(context))?;
        }
        if this.refusal.is_some() {
            ready!(this.drain(context));
        }
        Poll::Ready(Ok(()))
    }
}

/// The complete response, if these bytes are a refusal of hyper.
fn explanation(bytes: &[u8]) -> Option<Bytes> {
    if !bytes.starts_with(b"HTTP/1.1 4") || bytes.len() > LONGEST {
        return None;
    }
    let head = std::str::from_utf8(bytes).ok()?.strip_suffix("\r\n\r\n")?;
    let (status_line, headers) = head.split_once("\r\n")?;
    let (status_line, status, message) = match status_line.get(9..12)? {
        "400" => (status_line, "400", "The request is not valid HTTP"),
        "414" | "431" => (
            "HTTP/1.1 431 Request Header Fields Too Large",
            "431",
            "The request path or headers are too large or too many",
        ),
        _ => return None,
    };
    let mut answer = format!("{status_line}\r\ncontent-type: {JSON}\r\n");
    for line in headers.split("\r\n") {
        let name = line.split_once(':')?.0.to_ascii_lowercase();
        if !OF_HYPER.contains(&&*name) {
            return None;
        }
        if name != "content-length" {
            answer.push_str(&format!("{line}\r\n"));
        }
    }
    for (name, value) in ELSEWHERE {
        answer.push_str(&format!("{name}: {value}\r\n"));
    }
    let body = body(message, status);
    answer.push_str(&format!("content-length: {}\r\n\r\n{body}", body.len()));
    Some(answer.into())
}

fn body(message: &str, status: &str) -> String {
    let body = FailureBody {
        message: message.to_owned(),
        errors: None,
        documentation_url: DOCUMENTATION_ROOT.to_owned(),
        status: status.to_owned(),
    };
    serde_json::to_string(&body).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_refusal_gets_the_one_shape_and_keeps_what_it_says() {
        for status in ["431 Request Header Fields Too Large", "414 URI Too Long"] {
            let bare = format!(
                "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: 0\r\n\
                 date: Sun, 15 Nov 2026 09:00:00 GMT\r\n\r\n"
            );
            assert_explained(&explanation(bare.as_bytes()).unwrap());
        }
    }

    fn assert_explained(answer: &[u8]) {
        let text = std::str::from_utf8(answer).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 431 "), "{head}");
        assert!(head.contains("\r\nconnection: close"), "{head}");
        assert!(head.contains("\r\ndate: Sun, 15 Nov"), "{head}");
        let length = format!("\r\ncontent-length: {}", body.len());
        assert!(head.ends_with(&length), "{head}");
        let body: FailureBody = serde_json::from_str(body).unwrap();
        assert_eq!(body.status, "431");
    }

    #[test]
    fn an_answer_of_ours_stays_as_it_is() {
        for answer in [
            "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\ncontent-length: 0\r\n\r\n",
            "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
            "HTTP/1.1 400 Bad Request\r\ncontent-length: 1\r\n\r\na",
            "HTTP/1.1 4",
            "",
        ] {
            assert_eq!(explanation(answer.as_bytes()), None, "{answer}");
        }
    }
}
