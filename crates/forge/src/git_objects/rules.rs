//! Pure decisions about objects: contents, entries of trees, signatures, and the errors.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use contract::git_objects::{
    BlobEncoding, CreateBlob, EntryMode, EntryType, NewTreeEntry, TaggedType,
};
use contract::problem::Problem;
use contract::reply::Outcome;
use git::GitError;
use git::objects::Object;
use git::store::{PackedObject, Packer};
use git::tree::Mode;
use storage::entities::git_object::ObjectKind;

/// 422 for an object that is not a tree and does not lead to one.
pub fn no_tree() -> Problem {
    unprocessable("Object is not a tree")
}

pub fn unprocessable(message: &'static str) -> Problem {
    Problem::Refused(message.into())
}

/// The bytes of a new blob.
pub fn content(body: CreateBlob) -> Outcome<Vec<u8>> {
    match body.encoding {
        BlobEncoding::Utf8 => Ok(body.content.into_bytes()),
        BlobEncoding::Base64 => {
            let mut text = body.content.into_bytes();
            text.retain(|byte| !byte.is_ascii_whitespace());
            let bytes = STANDARD.decode(text);
            bytes.map_err(|_| unprocessable("content is not valid Base64"))
        }
    }
}

/// A new blob in its stored form. Uses only the CPU.
pub fn packed(body: CreateBlob) -> Outcome<PackedObject> {
    let blob = Object::blob(content(body)?);
    Ok(Packer::default().pack(&blob)?)
}

/// The content of an entry of a new tree.
#[derive(Debug, PartialEq, Eq)]
pub enum TreeEntryContent {
    Removed,
    /// The object with this name.
    Named(Mode, String),
    /// A file that is stored with the tree.
    Content(Mode, Vec<u8>),
}

/// The path and content of an entry.
pub fn entry(entry: NewTreeEntry) -> Outcome<(String, TreeEntryContent)> {
    let path = entry.path.filter(|path| !path.is_empty());
    let path = path.ok_or_else(|| unprocessable("Must supply a valid tree.path"))?;
    if matches!(&entry.sha, Some(sha) if sha.0.is_none()) && entry.content.is_none() {
        return Ok((path, TreeEntryContent::Removed));
    }
    let mode = entry
        .mode
        .map(mode)
        .ok_or_else(|| unprocessable("Must supply a valid tree.mode"))?;
    let expected = match mode {
        Mode::Tree => EntryType::Tree,
        Mode::Submodule => EntryType::Commit,
        _ => EntryType::Blob,
    };
    if entry.kind.is_some_and(|kind| kind != expected) {
        return Err(unprocessable("tree.type does not match tree.mode"));
    }
    let content = match (entry.sha.and_then(|sha| sha.0), entry.content) {
        (Some(sha), None) => TreeEntryContent::Named(mode, sha),
        (None, Some(content)) if expected == EntryType::Blob => {
            TreeEntryContent::Content(mode, content.into_bytes())
        }
        _ => return Err(unprocessable("Must supply either tree.sha or tree.content")),
    };
    Ok((path, content))
}

fn mode(mode: EntryMode) -> Mode {
    match mode {
        EntryMode::File => Mode::File,
        EntryMode::Executable => Mode::Executable,
        EntryMode::Directory => Mode::Tree,
        EntryMode::Submodule => Mode::Submodule,
        EntryMode::Symlink => Mode::Symlink,
    }
}

/// 422 for an invalid path, or one that conflicts with another entry.
pub fn path_problem(error: GitError) -> Problem {
    match error {
        GitError::Path { path, reason } => {
            Problem::Refused(format!("tree.path `{path}` {reason}").into())
        }
        other => other.into(),
    }
}

/// The header that a signature is stored in. Its lines after the first begin with a space.
pub fn signature_header(signature: &str) -> Outcome<Vec<u8>> {
    if signature.contains('\0') || !signature.trim_start().starts_with("-----BEGIN ") {
        return Err(unprocessable(
            "signature must be an ASCII-armored signature",
        ));
    }
    let lines = signature.trim().replace('\n', "\n ");
    Ok(format!("gpgsig {lines}\n").into_bytes())
}

/// The kind of a tagged object.
pub fn tagged(kind: TaggedType) -> ObjectKind {
    match kind {
        TaggedType::Commit => ObjectKind::Commit,
        TaggedType::Tree => ObjectKind::Tree,
        TaggedType::Blob => ObjectKind::Blob,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(mode: Option<EntryMode>) -> NewTreeEntry {
        NewTreeEntry {
            path: Some("a/b".to_owned()),
            mode,
            kind: None,
            sha: None,
            content: None,
        }
    }

    #[test]
    fn an_entry_has_an_object_or_a_content_or_is_removed() {
        let mut file = new(Some(EntryMode::File));
        assert!(entry(file.clone()).is_err());
        file.content = Some("x".to_owned());
        let (_, content) = entry(file.clone()).unwrap();
        assert_eq!(
            content,
            TreeEntryContent::Content(Mode::File, b"x".to_vec())
        );
        file.sha = Some(Some("1".to_owned()).into());
        assert!(entry(file.clone()).is_err(), "both");
        file.content = None;
        file.kind = Some(EntryType::Tree);
        assert!(entry(file).is_err(), "of another type");
        let mut removed = new(None);
        removed.sha = Some(None.into());
        assert_eq!(
            entry(removed).unwrap(),
            ("a/b".to_owned(), TreeEntryContent::Removed)
        );
    }

    #[test]
    fn a_signature_is_one_header() {
        let header = signature_header("-----BEGIN X-----\n\nabc\n-----END X-----\n").unwrap();
        assert_eq!(
            header,
            b"gpgsig -----BEGIN X-----\n \n abc\n -----END X-----\n"
        );
        assert!(signature_header("abc\ntree 123").is_err());
    }

    #[test]
    fn base64_may_have_lines() {
        let body = |content: &str| CreateBlob {
            content: content.to_owned(),
            encoding: BlobEncoding::Base64,
        };
        assert_eq!(content(body("QSBn\ncmlw\n")).unwrap(), b"A grip");
        assert!(content(body("%")).is_err());
    }
}
