//! Parses requests for objects: version 2, and the older versions, whose requests are
//! alike.

use super::BadRequest;
use super::capabilities::{RequestedCapabilities, check_format};
use super::listing::LsRefs;
use super::packet::{Packet, Packets};
use super::sideband::Bands;
use super::wanted::{FetchRequest, name};

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
                Some(word) => command = Some(word),
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
    let mut wanted = FetchRequest::default();
    for line in arguments {
        match line.split_once(' ') {
            Some(("want", value)) => wanted.wants.push(name(value)?),
            Some(("have", value)) => wanted.haves.push(name(value)?),
            _ => match *line {
                "done" => wanted.done = true,
                "thin-pack" => wanted.thin_pack = true,
                "ofs-delta" => wanted.ofs_delta = true,
                "no-progress" => wanted.no_progress = true,
                "include-tag" => wanted.include_tag = true,
                "wait-for-done" => wanted.wait_for_done = true,
                other if wanted.read(other)? => {}
                other => {
                    let words = format!("unexpected line: '{}'", other.escape_debug());
                    return Err(BadRequest::new(words));
                }
            },
        }
    }
    Ok(wanted)
}

/// How a client of versions 0 and 1 wants to be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    pub acknowledgments: Acknowledgments,
    pub bands: Bands,
    /// The client takes a pack as soon as there is enough in common.
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
    pub wanted: FetchRequest,
    pub style: Style,
    /// The client goes on after its wants. Otherwise it wants to know first where its
    /// history will end.
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
        let asked = RequestedCapabilities::new(list)?;
        let mut wanted = FetchRequest {
            wants: vec![name(want)?],
            include_tag: asked.has("include-tag"),
            thin_pack: asked.has("thin-pack"),
            ofs_delta: asked.has("ofs-delta"),
            no_progress: asked.has("no-progress"),
            ..FetchRequest::default()
        };
        wanted.deepen.relative = asked.has("deepen-relative");
        while let Some(line) = packets.line()? {
            match line.strip_prefix("want ") {
                Some(want) => wanted.wants.push(name(want)?),
                None if wanted.read(line)? => {}
                None => return Err(unexpected("want <oid>", line)),
            }
        }
        let negotiates = haves(&mut packets, &mut wanted)?;
        Ok(Some(Self {
            wanted,
            style: style(&asked),
            negotiates,
        }))
    }
}

/// Reads what follows the wants, and returns whether there is anything.
fn haves(packets: &mut Packets<'_>, wanted: &mut FetchRequest) -> Result<bool, BadRequest> {
    let mut negotiates = false;
    while let Some(packet) = packets.packet()? {
        negotiates = true;
        match packet.text()? {
            Some("done") => {
                wanted.done = true;
                break;
            }
            Some(line) => match line.strip_prefix("have ") {
                Some(have) => wanted.haves.push(name(have)?),
                None => return Err(unexpected("have <oid>", line)),
            },
            None => {}
        }
    }
    Ok(negotiates)
}

fn style(asked: &RequestedCapabilities<'_>) -> Style {
    let detailed = asked.has("multi_ack_detailed");
    Style {
        acknowledgments: match (detailed, asked.has("multi_ack")) {
            (true, _) => Acknowledgments::Detailed,
            (false, true) => Acknowledgments::Each,
            (false, false) => Acknowledgments::First,
        },
        bands: match (asked.has("side-band-64k"), asked.has("side-band")) {
            (true, _) => Bands::Large,
            (false, true) => Bands::Small,
            (false, false) => Bands::None,
        },
        no_done: detailed && asked.has("no-done"),
    }
}

fn unexpected(expected: &str, found: &str) -> BadRequest {
    BadRequest::new(format!(
        "git upload-pack: protocol error, expected to get '{expected}', not '{}'",
        found.escape_debug()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::transport::filter::ObjectFilter;
    use crate::git::transport::packet::{push_delimiter, push_flush, push_text};

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
        let Ok(Some(CommandRequest::Fetch(wanted))) = CommandRequest::parse(&body) else {
            panic!("no fetch");
        };
        assert_eq!((wanted.wants.len(), wanted.haves.len()), (1, 1));
        assert!(wanted.done && wanted.include_tag && wanted.deepen.relative);
        assert_eq!(wanted.deepen.depth, Some(3));
        assert_eq!(wanted.filter, ObjectFilter::Blobs { from: 0 });
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
        let asked = OldFetch::parse(&body).unwrap().unwrap();
        assert_eq!((asked.wanted.wants.len(), asked.negotiates), (2, false));
        assert_eq!(asked.style.acknowledgments, Acknowledgments::Detailed);
        assert_eq!(
            (asked.style.bands, asked.style.no_done),
            (Bands::Large, true)
        );
        push_text(&mut body, &format!("have {SHA}"));
        push_text(&mut body, "done");
        let asked = OldFetch::parse(&body).unwrap().unwrap();
        assert!(asked.negotiates && asked.wanted.done);
        assert!(OldFetch::parse(b"0009done\n").is_err());
        assert!(OldFetch::parse("000dwant ü\n".as_bytes()).is_err());
    }
}
