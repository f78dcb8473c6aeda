//! Packet lines: four hexadecimal digits with the length, themselves included, and then
//! the payload. Lengths below four are control packets.

use super::BadRequest;

/// The longest packet in bytes, its length included.
pub const LONGEST: usize = 65_520;

/// The bytes of the length.
const HEAD: usize = 4;

/// One packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packet<'a> {
    Line(&'a [u8]),
    /// `0000`
    Flush,
    /// `0001`
    Delimiter,
}

impl<'a> Packet<'a> {
    /// The line as text, without the newline at its end.
    pub fn text(self) -> Result<Option<&'a str>, BadRequest> {
        let Self::Line(line) = self else {
            return Ok(None);
        };
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let text = std::str::from_utf8(line);
        text.map(Some)
            .map_err(|_| BadRequest::new("a packet is not UTF-8 text"))
    }
}

/// The length of a packet's payload by its head; None for the two control packets.
pub fn payload(head: [u8; HEAD]) -> Result<Option<usize>, BadRequest> {
    let digits = head.iter().all(u8::is_ascii_hexdigit);
    let text = std::str::from_utf8(&head).ok().filter(|_| digits);
    let length = text.and_then(|text| usize::from_str_radix(text, 16).ok());
    match length {
        Some(0 | 1) => Ok(None),
        Some(length @ HEAD..=LONGEST) => Ok(Some(length - HEAD)),
        _ => Err(BadRequest::new(format!(
            "bad line length character: {}",
            String::from_utf8_lossy(&head).escape_debug()
        ))),
    }
}

/// The first packet of some bytes, and the rest; None if it is incomplete.
fn first(bytes: &[u8]) -> Result<Option<(Packet<'_>, &[u8])>, BadRequest> {
    let Some((head, rest)) = bytes.split_first_chunk() else {
        return Ok(None);
    };
    match payload(*head)? {
        None if head == b"0001" => Ok(Some((Packet::Delimiter, rest))),
        None => Ok(Some((Packet::Flush, rest))),
        Some(length) => {
            let split = rest.split_at_checked(length);
            Ok(split.map(|(line, rest)| (Packet::Line(line), rest)))
        }
    }
}

/// The packets of a request that has arrived.
#[derive(Debug, Clone)]
pub struct Packets<'a> {
    rest: &'a [u8],
}

impl<'a> Packets<'a> {
    pub fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    /// The next packet; None at the end.
    pub fn packet(&mut self) -> Result<Option<Packet<'a>>, BadRequest> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let Some((packet, rest)) = first(self.rest)? else {
            return Err(BadRequest::new("the remote end hung up unexpectedly"));
        };
        self.rest = rest;
        Ok(Some(packet))
    }

    /// The text of the next line; None at a control packet or the end.
    pub fn line(&mut self) -> Result<Option<&'a str>, BadRequest> {
        match self.packet()? {
            Some(packet) => packet.text(),
            None => Ok(None),
        }
    }
}

/// Appends a line.
pub fn push_line(out: &mut Vec<u8>, line: &[u8]) {
    out.extend(format!("{:04x}", line.len() + HEAD).bytes());
    out.extend(line);
}

/// Appends a line of text, with a newline.
pub fn push_text(out: &mut Vec<u8>, text: &str) {
    out.extend(format!("{:04x}", text.len() + HEAD + 1).bytes());
    out.extend(text.bytes());
    out.push(b'\n');
}

pub fn push_flush(out: &mut Vec<u8>) {
    out.extend(b"0000");
}

pub fn push_delimiter(out: &mut Vec<u8>) {
    out.extend(b"0001");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut out = Vec::new();
        push_text(&mut out, "hello");
        push_delimiter(&mut out);
        push_line(&mut out, b"");
        push_flush(&mut out);
        assert_eq!(out, b"000ahello\n000100040000");
        let mut packets = Packets::new(&out);
        assert_eq!(packets.packet(), Ok(Some(Packet::Line(b"hello\n"))));
        assert_eq!(packets.packet(), Ok(Some(Packet::Delimiter)));
        assert_eq!(packets.packet(), Ok(Some(Packet::Line(b""))));
        assert_eq!(packets.packet(), Ok(Some(Packet::Flush)));
        assert_eq!(packets.packet(), Ok(None));
        assert_eq!(Packets::new(&out).line(), Ok(Some("hello")));
    }

    #[test]
    fn lengths_that_lie_are_errors_and_no_panic() {
        for invalid in [
            "0002", "0003", "fff1", "ffff", "zzzz", "+00a", " 00a", "-001",
        ] {
            assert!(first(invalid.as_bytes()).is_err(), "{invalid}");
        }
        for short in ["", "0", "000", "0005", "fff0abc"] {
            assert_eq!(first(short.as_bytes()), Ok(None), "{short}");
        }
        assert!(Packets::new(b"0009abc").packet().is_err());
        assert!(Packets::new(b"0006\xff\n").line().is_err());
    }
}
