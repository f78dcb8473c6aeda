//! The header of a pack entry: form and size, and for a delta its base
//! (<https://git-scm.com/docs/gitformat-pack>).

use crate::store::StoredEntry;
use crate::{GitError, Sha};
use storage::entities::git_object::ObjectKind;

/// No header is longer: ten bytes of size, and the name of a base.
pub(super) const LONGEST: usize = 10 + Sha::BYTES;

/// The form of a delta whose base is named.
const NAMED_DELTA: u8 = 7;

/// How an entry holds its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryEncoding {
    Whole(ObjectKind),
    /// A delta; its base begins this many bytes before it.
    OffsetDelta(u64),
    /// A delta; its base has this name.
    NamedDelta(Sha),
}

/// The header of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PackedHeader {
    pub(super) form: EntryEncoding,
    /// Bytes of the object or the delta, before compression.
    pub(super) size: u64,
}

/// Parses a header and returns its length, or None if bytes are missing.
pub(super) fn parse(bytes: &[u8]) -> Result<Option<(PackedHeader, usize)>, &'static str> {
    let Some((size, form, used)) = size_and_form(bytes)? else {
        return Ok(None);
    };
    let rest = &bytes[used..];
    let whole = |kind| Ok(Some((EntryEncoding::Whole(kind), 0)));
    let encoding = match form {
        1 => whole(ObjectKind::Commit),
        2 => whole(ObjectKind::Tree),
        3 => whole(ObjectKind::Blob),
        4 => whole(ObjectKind::Tag),
        6 => Ok(distance(rest)?.map(|(back, used)| (EntryEncoding::OffsetDelta(back), used))),
        NAMED_DELTA => Ok(rest.first_chunk().map(|name| {
            (
                EntryEncoding::NamedDelta(Sha::from_bytes(*name)),
                Sha::BYTES,
            )
        })),
        _ => Err("unknown object type"),
    };
    Ok(encoding?.map(|(form, more)| (PackedHeader { form, size }, used + more)))
}

fn size_and_form(bytes: &[u8]) -> Result<Option<(u64, u8, usize)>, &'static str> {
    let mut size = 0;
    let mut shift = 0;
    let mut form = 0;
    for (at, byte) in bytes.iter().enumerate() {
        if at == 0 {
            form = (byte >> 4) & 7;
            size = u64::from(byte & 0x0f);
            shift = 4;
        } else {
            if shift > 56 {
                return Err("its size is too large");
            }
            size |= u64::from(byte & 0x7f) << shift;
            shift += 7;
        }
        if byte & 0x80 == 0 {
            return Ok(Some((size, form, at + 1)));
        }
    }
    Ok(None)
}

fn distance(bytes: &[u8]) -> Result<Option<(u64, usize)>, &'static str> {
    let mut back: u64 = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let bits = u64::from(byte & 0x7f);
        back = match at {
            0 => bits,
            1..9 => ((back + 1) << 7) | bits,
            _ => return Err("offset value overflow for delta base object"),
        };
        if byte & 0x80 == 0 {
            return Ok(Some((back, at + 1)));
        }
    }
    Ok(None)
}

/// Writes the entry of a stored object as it is: whole, or a delta.
pub(crate) fn write_stored(entry: &mut Vec<u8>, stored: &StoredEntry) -> Result<(), GitError> {
    let damaged = || GitError::Damaged(stored.sha.to_string());
    let content = stored.content.as_ref().ok_or_else(damaged)?;
    let Some(base) = stored.base else {
        write(entry, stored.kind, stored.size, content);
        return Ok(());
    };
    let (size, delta) = content.split_first_chunk().ok_or_else(damaged)?;
    write_header(entry, NAMED_DELTA, u64::from(u32::from_be_bytes(*size)));
    entry.extend(base.as_bytes());
    entry.extend(delta);
    Ok(())
}

/// Writes the entry of a whole object whose content is compressed already.
pub(crate) fn write(entry: &mut Vec<u8>, kind: ObjectKind, size: u64, compressed: &[u8]) {
    let form = match kind {
        ObjectKind::Commit => 1,
        ObjectKind::Tree => 2,
        ObjectKind::Blob => 3,
        ObjectKind::Tag => 4,
    };
    write_header(entry, form, size);
    entry.extend(compressed);
}

fn write_header(entry: &mut Vec<u8>, form: u8, size: u64) {
    let mut byte = (form << 4) | (size & 0x0f) as u8;
    let mut rest = size >> 4;
    while rest > 0 {
        entry.push(byte | 0x80);
        byte = (rest & 0x7f) as u8;
        rest >>= 7;
    }
    entry.push(byte);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_header_is_parsed() {
        for size in [0, 15, 16, 2047, 2048, 1 << 32, u64::MAX >> 4] {
            let mut bytes = Vec::new();
            write(&mut bytes, ObjectKind::Tag, size, b"");
            let form = EntryEncoding::Whole(ObjectKind::Tag);
            assert_eq!(
                parse(&bytes),
                Ok(Some((PackedHeader { form, size }, bytes.len())))
            );
            for length in 0..bytes.len() {
                assert_eq!(parse(&bytes[..length]), Ok(None));
            }
        }
    }

    #[test]
    fn a_delta_names_its_base_by_distance_or_name() {
        // Git encodes 128 as 0x80 0x00: each further byte adds one.
        let (header, used) = parse(&[0x65, 0x80, 0x00, 9]).unwrap().unwrap();
        assert_eq!(
            (header.form, header.size),
            (EntryEncoding::OffsetDelta(128), 5)
        );
        assert_eq!(used, 3);
        let delta = [&[0x70][..], &[7; 20]].concat();
        let (header, used) = parse(&delta).unwrap().unwrap();
        assert_eq!(
            header.form,
            EntryEncoding::NamedDelta(Sha::from_bytes([7; 20]))
        );
        assert_eq!((used, parse(&delta[..20])), (21, Ok(None)));
    }

    #[test]
    fn malformed_headers_are_errors() {
        assert!(parse(&[0x00]).is_err());
        assert!(parse(&[0x50]).is_err());
        assert!(parse(&[0xff; LONGEST]).is_err());
        let far = [&[0x60][..], &[0xff; 12]].concat();
        assert!(parse(&far).is_err());
    }
}
