//! A changed file in the form of `git diff --no-color -M`: the header that says how it
//! changed, and its hunks.

use super::{ContentKind, File, FileChange, FileDiff, FileStatus, Hunk};
use crate::Sha;

/// Hexadecimal digits of the names on an `index` line.
const ABBREVIATED: usize = 7;

/// The name of the side that does not exist.
const NOTHING: &[u8] = b"/dev/null";

/// The hunks of a file, each line with its newline.
pub fn hunks(hunks: &[Hunk]) -> Vec<u8> {
    let mut text = Vec::new();
    for hunk in hunks {
        text.extend(hunk.text(usize::MAX));
        text.push(b'\n');
    }
    text
}

/// A changed file. A change of type is written as its two halves; see [`halves`].
pub(super) fn write(change: &FileChange, diff: &FileDiff) -> Vec<u8> {
    let (old, new) = (change.old.as_ref(), change.new.as_ref());
    let (from, to) = (old.or(new), new.or(old));
    let name = |side: &[u8], file: Option<&File>| {
        quoted(&[side, file.map_or(b"", |file| &file.path)].concat())
    };
    let mut text = Vec::new();
    line(
        &mut text,
        &[b"diff --git ", &name(b"a/", from), b" ", &name(b"b/", to)],
    );
    modes(&mut text, old, new);
    if let (Some(old), Some(new), FileStatus::Renamed { similarity }) = (old, new, change.status) {
        let percentage = format!("similarity index {similarity}%");
        line(&mut text, &[percentage.as_bytes()]);
        line(&mut text, &[b"rename from ", &quoted(&old.path)]);
        line(&mut text, &[b"rename to ", &quoted(&new.path)]);
    }
    index(&mut text, old, new);
    let side = |side: &[u8], file: Option<&File>| match file {
        Some(_) => name(side, file),
        None => NOTHING.to_vec(),
    };
    let (from, to) = (side(b"a/", old), side(b"b/", new));
    match diff.content {
        ContentKind::Binary => {
            line(
                &mut text,
                &[b"Binary files ", &from, b" and ", &to, b" differ"],
            );
        }
        _ if diff.hunks.is_empty() => {}
        _ => {
            line(&mut text, &[b"--- ", &from, end_of_name(old)]);
            line(&mut text, &[b"+++ ", &to, end_of_name(new)]);
            text.extend(hunks(&diff.hunks));
        }
    }
    text
}

/// A change of type as Git writes it: a deletion, and an addition at the same path. Every
/// other change is written as it is.
pub(super) fn halves(change: &FileChange) -> Vec<FileChange> {
    if change.status != FileStatus::TypeChanged {
        return vec![change.clone()];
    }
    let half = |old: &Option<File>, new: &Option<File>, status| FileChange {
        old: old.clone(),
        new: new.clone(),
        status,
    };
    vec![
        half(&change.old, &None, FileStatus::Deleted),
        half(&None, &change.new, FileStatus::Added),
    ]
}

/// A path as Git prints it: in quotation marks, with escapes, if it has bytes that are
/// not printable ASCII.
pub(super) fn quoted(path: &[u8]) -> Vec<u8> {
    let plain = |byte: &u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    if path.iter().all(plain) {
        return path.to_vec();
    }
    let mut text = vec![b'"'];
    for byte in path {
        match byte {
            0x07 => text.extend(b"\\a"),
            0x08 => text.extend(b"\\b"),
            b'\t' => text.extend(b"\\t"),
            b'\n' => text.extend(b"\\n"),
            0x0b => text.extend(b"\\v"),
            0x0c => text.extend(b"\\f"),
            b'\r' => text.extend(b"\\r"),
            b'"' | b'\\' => text.extend([b'\\', *byte]),
            byte if plain(byte) => text.push(*byte),
            byte => text.extend(format!("\\{byte:03o}").bytes()),
        }
    }
    text.push(b'"');
    text
}

fn modes(text: &mut Vec<u8>, old: Option<&File>, new: Option<&File>) {
    match (old, new) {
        (None, Some(new)) => line(text, &[b"new file mode ", new.mode.octal().as_bytes()]),
        (Some(old), None) => line(text, &[b"deleted file mode ", old.mode.octal().as_bytes()]),
        (Some(old), Some(new)) if old.mode != new.mode => {
            line(text, &[b"old mode ", old.mode.octal().as_bytes()]);
            line(text, &[b"new mode ", new.mode.octal().as_bytes()]);
        }
        _ => {}
    }
}

/// The names of both contents, and the mode if it is the same; nothing if only the mode
/// or the path changed.
fn index(text: &mut Vec<u8>, old: Option<&File>, new: Option<&File>) {
    let mode = match (old, new) {
        (Some(old), Some(new)) if old.sha == new.sha => return,
        (Some(old), Some(new)) if old.mode == new.mode => format!(" {}", new.mode.octal()),
        _ => String::new(),
    };
    let name = |file: Option<&File>| {
        let sha = file.map_or(Sha::from_bytes([0; Sha::BYTES]), |file| file.sha);
        sha.to_string()[..ABBREVIATED].to_owned()
    };
    let names = format!("index {}..{}{mode}", name(old), name(new));
    line(text, &[names.as_bytes()]);
}

/// A name with a space in it ends with a tab, so that other programs find its end.
fn end_of_name(file: Option<&File>) -> &'static [u8] {
    let spaced = |file: &File| file.path.contains(&b' ');
    match file.is_some_and(spaced) {
        true => b"\t",
        false => b"",
    }
}

fn line(text: &mut Vec<u8>, parts: &[&[u8]]) {
    parts.iter().for_each(|part| text.extend(*part));
    text.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_quoted_as_git_does() {
        assert_eq!(quoted(b"a/plain name.rs"), b"a/plain name.rs");
        assert_eq!(quoted("a/é".as_bytes()), br#""a/\303\251""#);
        assert_eq!(quoted(b"a/\t\"\\"), br#""a/\t\"\\""#);
    }
}
