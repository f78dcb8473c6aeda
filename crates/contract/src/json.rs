//! Serialization of responses, with a limit: a control character takes six bytes in JSON, so a
//! page of long texts could be many times as large as the texts themselves.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Result;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter, Serializer};

/// The most bytes of the texts of a response. A page of the longest comments takes 26 MB.
pub const LARGEST: usize = 32 << 20;

/// Texts of up to this many bytes are never omitted, so that names and URLs are always complete.
const SHORT: usize = 1024;

/// Replaces a text beyond the limit. A client gets the text by requesting its resource alone.
pub const OMITTED: &str = "This page is too large to show this text. Request it separately.";

/// Serializes a response. If it is too large, long texts are replaced as soon as those before
/// them have used up the limit.
pub fn to_vec(view: &impl Serialize) -> Result<Vec<u8>> {
    let mut whole = Limited::to(LARGEST);
    let written = serde_json::to_writer(&mut whole, view);
    if !whole.exceeded {
        return written.map(|()| whole.bytes);
    }
    drop(whole);
    let mut json = Vec::new();
    view.serialize(&mut Serializer::with_formatter(
        &mut json,
        Omitting::default(),
    ))?;
    Ok(json)
}

/// Serializes a payload; None if it is larger than this.
pub fn to_string_within(most: usize, view: &impl Serialize) -> Result<Option<String>> {
    let mut whole = Limited::to(most);
    let written = serde_json::to_writer(&mut whole, view);
    if whole.exceeded {
        return Ok(None);
    }
    written?;
    Ok(String::from_utf8(whole.bytes).ok())
}

/// The bytes of a text in JSON.
pub fn text_bytes(text: &str) -> usize {
    let bytes = text.bytes().map(|byte| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
        0..0x20 => 6,
        _ => 1,
    });
    bytes.sum()
}

/// Refuses bytes beyond a limit.
struct Limited {
    most: usize,
    bytes: Vec<u8>,
    exceeded: bool,
}

impl Limited {
    fn to(most: usize) -> Self {
        Self {
            most,
            bytes: Vec::new(),
            exceeded: false,
        }
    }
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.len() > self.most - self.bytes.len() {
            self.exceeded = true;
            return Err(io::ErrorKind::WriteZero.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes texts until the limit is used up, and then only short ones.
struct Omitting {
    remaining: usize,
    /// The current text, escaped.
    text: Vec<u8>,
}

impl Default for Omitting {
    fn default() -> Self {
        Self {
            remaining: LARGEST,
            text: Vec::new(),
        }
    }
}

impl Omitting {
    /// Whether the current text is too long to be written.
    fn is_omitted(&self) -> bool {
        self.text.len() > self.remaining.max(SHORT)
    }
}

impl Formatter for Omitting {
    fn begin_string<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.text.clear();
        writer.write_all(b"\"")
    }

    fn end_string<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        if self.is_omitted() {
            writer.write_all(OMITTED.as_bytes())?;
        } else {
            self.remaining = self.remaining.saturating_sub(self.text.len());
            writer.write_all(&self.text)?;
        }
        writer.write_all(b"\"")
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        _: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if !self.is_omitted() {
            self.text.extend_from_slice(fragment.as_bytes());
        }
        Ok(())
    }

    fn write_char_escape<W: ?Sized + Write>(
        &mut self,
        _: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        match self.is_omitted() {
            true => Ok(()),
            false => CompactFormatter.write_char_escape(&mut self.text, escape),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_response_within_the_limit_is_complete() {
        let view = json!({"name": "é\"\u{1}\n", "text": "a".repeat(LARGEST - 100), "none": null});
        let json = to_vec(&view).unwrap();
        assert_eq!(json, serde_json::to_vec(&view).unwrap());
    }

    #[test]
    fn a_payload_beyond_its_limit_is_none() {
        let payload = json!({"text": "\u{1}"});
        let text = payload.to_string();
        assert_eq!(
            to_string_within(text.len(), &payload).unwrap(),
            Some(text.clone())
        );
        assert_eq!(to_string_within(text.len() - 1, &payload).unwrap(), None);
    }

    #[test]
    fn the_bytes_of_a_text_are_those_that_are_written() {
        let text: String = (0..400).filter_map(char::from_u32).collect();
        let written = serde_json::to_string(&text).unwrap();
        assert_eq!(text_bytes(&text) + 2, written.len());
    }

    #[test]
    fn long_texts_beyond_the_limit_are_replaced_and_short_ones_are_not() {
        let text = "\u{1}".repeat(1 << 20);
        let items: Vec<Value> = (0..12)
            .map(|id| json!({"id": id, "text": text, "name": "n\n".repeat(100)}))
            .collect();
        let json = to_vec(&items).unwrap();
        assert!(json.len() < LARGEST + 12 * SHORT, "{}", json.len());
        let read: Vec<Value> = serde_json::from_slice(&json).unwrap();
        assert_eq!(read.len(), 12);
        for (number, (item, read)) in items.iter().zip(&read).enumerate() {
            assert_eq!((&read["id"], &read["name"]), (&item["id"], &item["name"]));
            match number < 5 {
                true => assert_eq!(read["text"], item["text"]),
                false => assert_eq!(read["text"], OMITTED),
            }
        }
    }
}
