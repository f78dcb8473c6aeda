//! Parses requests for objects of version 2, and those of the older versions, which share a
//! format.

use super::BadRequest;
use super::capabilities::{RequestedCapabilities, check_format};
use super::listing::LsRefs;
use super::packet::{Packet, Packets};
use super::request::{FetchRequest, name};
use super::sideband::Bands;

/// A request of version 2.
#[derive(Debug)]
pub enum CommandRequest {
    LsRefs(LsRefs),
    Fetch(Box<FetchRequest>),
}

impl CommandRequest {
    /// A whole request; none if it is empty.
    pub fn parse(body: &[u8]) -> Result<Option<Self>, BadRequest> {
        let mut packets = Packets::new(body);
        let mut command = None;
        let delimited = loop {
            let packet = packets.packet()?;
            match packet {
                Some(Packet::Delimiter) => break true,
                Some(Packet::Flush) | None => break false,
                Some(Packet::Line(_)) => {}
            }
            let line = packet.map_or(Ok(None), Packet::text)?.unwrap_or_default();
            match line.strip_prefix("command=") {
                Some(name) => command = Some(name),
                None => check_format(line)?,
            }
        };
        let mut arguments = Vec::new();
        while delimited && let Some(line) = packets.line()? {
            arguments.push(line);
        }
        match command {
            Some("ls-refs") => Ok(Some(Self::LsRefs(LsRefs::parse(&arguments)))),
            Some("fetch") => Ok(Some(Self::Fetch(Box::new(version_2(&arguments)?)))),
            Some(other) => Err(BadRequest::new(format!(
                "invalid command '{}'",
                other.escape_debug()
            ))),
            None => Ok(None),
        }
    }
}

fn version_2(arguments: &[&str]) -> Result<FetchRequest, BadRequest> {
    let mut request = FetchRequest::default();
    for line in arguments {
        match line.split_once(' ') {
            Some(("want", value)) => request.wants.push(name(value)?),
            Some(("have", value)) => request.haves.push(name(value)?),
            _ => match *line {
                "done" => request.done = true,
                "thin-pack" => request.thin_pack = true,
                "ofs-delta" => request.ofs_delta = true,
                "no-progress" => request.no_progress = true,
                "include-tag" => request.include_tag = true,
                "wait-for-done" => request.wait_for_done = true,
                other if request.parse_line(other)? => {}
                other => {
                    let message = format!("unexpected line: '{}'", other.escape_debug());
                    return Err(BadRequest::new(message));
                }
            },
        }
    }
    Ok(request)
}

/// The response format that a client of versions 0 and 1 requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    pub acknowledgments: Acknowledgments,
    pub bands: Bands,
    /// The client accepts a pack as soon as enough common commits are found.
    pub no_done: bool,
}

/// How common commits are acknowledged in versions 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acknowledgments {
    First,
    Each,
    Detailed,
}

/// A request of versions 0 and 1.
#[derive(Debug)]
pub struct OldFetch {
    pub request: FetchRequest,
    pub style: Style,
    /// The client sent more than its wants. Otherwise it first needs to know where its history
    /// will end.
    pub negotiates: bool,
}

impl OldFetch {
    /// A whole request; none if it is empty.
    pub fn parse(body: &[u8]) -> Result<Option<Self>, BadRequest> {
        let mut packets = Packets::new(body);
        let Some(first) = packets.line()? else {
            return Ok(None);
        };
        let (want, list) = match first
            .strip_prefix("want ")
            .map(|rest| rest.split_at_checked(40))
        {
            Some(Some((want, list))) => (want, list.trim_start()),
            _ => return Err(unexpected("want <oid>", first)),
        };
        let capabilities = RequestedCapabilities::new(list)?;
        let mut request = FetchRequest {
            wants: vec![name(want)?],
            include_tag: capabilities.has("include-tag"),
            thin_pack: capabilities.has("thin-pack"),
            ofs_delta: capabilities.has("ofs-delta"),
            no_progress: capabilities.has("no-progress"),
            ..FetchRequest::default()
        };
        request.deepen.relative = capabilities.has("deepen-relative");
        while let Some(line) = packets.line()? {
            match line.strip_prefix("want ") {
                Some(want) => request.wants.push(name(want)?),
                None if request.parse_line(line)? => {}
                None => return Err(unexpected("want <oid>", line)),
            }
        }
        let negotiates = haves(&mut packets, &mut request)?;
        Ok(Some(Self {
            request,
            style: style(&capabilities),
            negotiates,
        }))
    }
}

/// Parses the part after the wants, and returns whether there is any.
fn haves(packets: &mut Packets<'_>, request: &mut FetchRequest) -> Result<bool, BadRequest> {
    let mut negotiates = false;
    while let Some(packet) = packets.packet()? {
        negotiates = true;
        match packet.text()? {
            Some("done") => {
                request.done = true;
                break;
            }
            Some(line) => match line.strip_prefix("have ") {
                Some(have) => request.haves.push(name(have)?),
                None => return Err(unexpected("have <oid>", line)),
            },
            None => {}
        }
    }
    Ok(negotiates)
}

fn style(capabilities: &RequestedCapabilities<'_>) -> Style {
    let detailed = capabilities.has("multi_ack_detailed");
    Style {
        acknowledgments: match (detailed, capabilities.has("multi_ack")) {
            (true, _) => Acknowledgments::Detailed,
            (false, true) => Acknowledgments::Each,
            (false, false) => Acknowledgments::First,
        },
        bands: match (
            capabilities.has("side-band-64k"),
            capabilities.has("side-band"),
        ) {
            (true, _) => Bands::Large,
            (false, true) => Bands::Small,
            (false, false) => Bands::None,
        },
        no_done: detailed && capabilities.has("no-done"),
    }
}

fn unexpected(expected: &str, actual: &str) -> BadRequest {
    BadRequest::new(format!(
        "git upload-pack: protocol error, expected to get '{expected}', not '{}'",
        actual.escape_debug()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::filter::ObjectFilter;
    use crate::transport::packet::{push_delimiter, push_flush, push_text};

    const SHA: &str = "8eab163a70f05830af308d28304b3508f0118432";

    fn command(lines: &[&str]) -> Vec<u8> {
        let mut body = Vec::new();
        push_text(&mut body, lines[0]);
        push_text(&mut body, "object-format=sha1");
        push_delimiter(&mut body);
        for line in &lines[1..] {
            push_text(&mut body, line);
        }
        push_flush(&mut body);
        body
    }

    #[test]
    fn a_fetch_of_version_2_is_read() {
        let (want, have) = (format!("want {SHA}"), format!("have {SHA}"));
        let body = command(&[
            "command=fetch",
            &want,
            &have,
            "done",
            "deepen 3",
            "deepen-relative",
            "filter blob:none",
            "include-tag",
        ]);
        let Ok(Some(CommandRequest::Fetch(request))) = CommandRequest::parse(&body) else {
            panic!("no fetch");
        };
        assert_eq!((request.wants.len(), request.haves.len()), (1, 1));
        assert!(request.done && request.include_tag && request.deepen.relative);
        assert_eq!(request.deepen.depth, Some(3));
        assert_eq!(request.filter, ObjectFilter::Blobs { from: 0 });
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for lines in [
            &["command=steal"][..],
            &["command=fetch", "want 123"],
            &["command=fetch", "deepen 0"],
            &["command=fetch", "deepen x"],
            &["command=fetch", "deepen 1", "deepen-since 1"],
            &["command=fetch", "unknown"],
            &["command=fetch", "filter x"],
        ] {
            assert!(CommandRequest::parse(&command(lines)).is_err(), "{lines:?}");
        }
        assert!(matches!(CommandRequest::parse(b"0000"), Ok(None)));
        assert!(matches!(CommandRequest::parse(b""), Ok(None)));
    }

    #[test]
    fn an_old_request_names_capabilities_with_its_first_want() {
        let mut body = Vec::new();
        push_text(
            &mut body,
            &format!("want {SHA} multi_ack_detailed no-done side-band-64k"),
        );
        push_text(&mut body, &format!("want {SHA}"));
        push_flush(&mut body);
        let fetch = OldFetch::parse(&body).unwrap().unwrap();
        assert_eq!((fetch.request.wants.len(), fetch.negotiates), (2, false));
        assert_eq!(fetch.style.acknowledgments, Acknowledgments::Detailed);
        assert_eq!(
            (fetch.style.bands, fetch.style.no_done),
            (Bands::Large, true)
        );
        push_text(&mut body, &format!("have {SHA}"));
        push_text(&mut body, "done");
        let fetch = OldFetch::parse(&body).unwrap().unwrap();
        assert!(fetch.negotiates && fetch.request.done);
        assert!(OldFetch::parse(b"0009done\n").is_err());
        assert!(OldFetch::parse("000dwant ü\n".as_bytes()).is_err());
    }
}
