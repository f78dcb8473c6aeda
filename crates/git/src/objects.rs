//! Objects as values: generic objects, commits and tags; trees are in `tree`. Parses and
//! writes the bytes that Git hashes. No database here.
//!
//! Identities, dates and signatures are kept as raw bytes: they need not be UTF-8 or well
//! formed, and must be written back unchanged.

use super::{GitError, Sha};
pub use storage::entities::git_object::ObjectKind;

/// An object with its bytes, without the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    pub kind: ObjectKind,
    pub content: Vec<u8>,
}

impl Object {
    pub fn blob(content: Vec<u8>) -> Self {
        Self {
            kind: ObjectKind::Blob,
            content,
        }
    }

    /// The object's SHA-1. Hashes the content on every call.
    pub fn sha(&self) -> Sha {
        Sha::of(self.kind, &self.content)
    }
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    pub tree: Sha,
    pub parents: Vec<Sha>,
    /// Name, email, date and offset, as written; see [`super::ident`].
    pub author: Vec<u8>,
    pub committer: Vec<u8>,
    /// Headers after the committer, as written: encoding, signatures.
    pub more: Vec<u8>,
    /// None if the object ends with its headers.
    pub message: Option<Vec<u8>>,
}

impl Commit {
    pub fn parse(content: &[u8]) -> Result<Self, GitError> {
        let mut headers = HeaderParser::new(ObjectKind::Commit, content);
        let tree = headers.sha(b"tree ", "it does not start with a tree")?;
        let mut parents = Vec::new();
        while let Some(parent) = headers.take(b"parent ") {
            parents.push(headers.read_sha(parent)?);
        }
        let author = headers.line(b"author ", "it has no author")?.to_vec();
        let committer = headers.line(b"committer ", "it has no committer")?.to_vec();
        let (more, message) = headers.finish()?;
        Ok(Self {
            tree,
            parents,
            author,
            committer,
            more: more.to_vec(),
            message: message.map(<[u8]>::to_vec),
        })
    }

    pub fn write(&self) -> Object {
        let mut content = format!("tree {}\n", self.tree).into_bytes();
        for parent in &self.parents {
            content.extend(format!("parent {parent}\n").bytes());
        }
        push_line(&mut content, b"author ", &self.author);
        push_line(&mut content, b"committer ", &self.committer);
        content.extend(&self.more);
        push_message(&mut content, self.message.as_deref());
        Object {
            kind: ObjectKind::Commit,
            content,
        }
    }
}

/// An annotated tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    pub target: Sha,
    pub target_kind: ObjectKind,
    pub name: Vec<u8>,
    /// Very old tags have none.
    pub tagger: Option<Vec<u8>>,
    pub more: Vec<u8>,
    pub message: Option<Vec<u8>>,
}

impl Tag {
    pub fn parse(content: &[u8]) -> Result<Self, GitError> {
        let mut headers = HeaderParser::new(ObjectKind::Tag, content);
        let target = headers.sha(b"object ", "it does not start with an object")?;
        let target_kind = match headers.line(b"type ", "it has no type")? {
            b"commit" => ObjectKind::Commit,
            b"tree" => ObjectKind::Tree,
            b"blob" => ObjectKind::Blob,
            b"tag" => ObjectKind::Tag,
            _ => return Err(headers.malformed("its type is unknown")),
        };
        let name = headers.line(b"tag ", "it has no name")?.to_vec();
        let tagger = headers.take(b"tagger ").map(<[u8]>::to_vec);
        let (more, message) = headers.finish()?;
        Ok(Self {
            target,
            target_kind,
            name,
            tagger,
            more: more.to_vec(),
            message: message.map(<[u8]>::to_vec),
        })
    }

    pub fn write(&self) -> Object {
        let kind = self.target_kind.keyword();
        let mut content = format!("object {}\ntype {kind}\n", self.target).into_bytes();
        push_line(&mut content, b"tag ", &self.name);
        if let Some(tagger) = &self.tagger {
            push_line(&mut content, b"tagger ", tagger);
        }
        content.extend(&self.more);
        push_message(&mut content, self.message.as_deref());
        Object {
            kind: ObjectKind::Tag,
            content,
        }
    }
}

/// Parses the headers of a commit or a tag from the top.
struct HeaderParser<'a> {
    kind: ObjectKind,
    rest: &'a [u8],
}

impl<'a> HeaderParser<'a> {
    fn new(kind: ObjectKind, rest: &'a [u8]) -> Self {
        Self { kind, rest }
    }

    fn malformed(&self, reason: &'static str) -> GitError {
        GitError::Malformed {
            kind: self.kind,
            reason,
        }
    }

    /// The value of the next line, if it has this keyword.
    fn take(&mut self, keyword: &[u8]) -> Option<&'a [u8]> {
        let (line, after) = split_at(self.rest.strip_prefix(keyword)?, b'\n')?;
        self.rest = after;
        Some(line)
    }

    fn line(&mut self, keyword: &[u8], otherwise: &'static str) -> Result<&'a [u8], GitError> {
        self.take(keyword).ok_or_else(|| self.malformed(otherwise))
    }

    fn sha(&mut self, keyword: &[u8], otherwise: &'static str) -> Result<Sha, GitError> {
        let digits = self.line(keyword, otherwise)?;
        self.read_sha(digits)
    }

    fn read_sha(&self, digits: &[u8]) -> Result<Sha, GitError> {
        std::str::from_utf8(digits)
            .ok()
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| self.malformed("an object name must have 40 hexadecimal digits"))
    }

    /// The remaining headers, and the message after the empty line.
    fn finish(self) -> Result<(&'a [u8], Option<&'a [u8]>), GitError> {
        if let Some(message) = self.rest.strip_prefix(b"\n") {
            return Ok((b"", Some(message)));
        }
        if let Some(at) = self.rest.windows(2).position(|pair| pair == b"\n\n") {
            return Ok((&self.rest[..=at], Some(&self.rest[at + 2..])));
        }
        match self.rest.last() {
            None | Some(b'\n') => Ok((self.rest, None)),
            Some(_) => Err(self.malformed("its headers are not terminated")),
        }
    }
}

fn push_line(content: &mut Vec<u8>, keyword: &[u8], value: &[u8]) {
    content.extend(keyword);
    content.extend(value);
    content.push(b'\n');
}

fn push_message(content: &mut Vec<u8>, message: Option<&[u8]>) {
    if let Some(message) = message {
        content.push(b'\n');
        content.extend(message);
    }
}

/// Splits at the first `mark`.
pub(super) fn split_at(bytes: &[u8], mark: u8) -> Option<(&[u8], &[u8])> {
    let at = bytes.iter().position(|byte| *byte == mark)?;
    Some((&bytes[..at], &bytes[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &[u8] = b"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n\
        parent e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\n\
        author A \xff <a@b> 1 +0000\ncommitter C <c@d> 2 -0130\n\
        encoding latin-1\ngpgsig -----BEGIN\n \n -----END\n\nHi\n\nthere";

    #[test]
    fn a_commit_is_written_as_it_was_read() {
        let commit = Commit::parse(COMMIT).unwrap();
        assert_eq!(commit.tree, Sha::EMPTY_TREE);
        assert_eq!(commit.parents.len(), 1);
        assert_eq!(commit.author, b"A \xff <a@b> 1 +0000");
        assert_eq!(commit.message.as_deref(), Some(&b"Hi\n\nthere"[..]));
        assert_eq!(commit.write().content, COMMIT);
    }

    #[test]
    fn a_commit_may_end_with_its_headers() {
        let end = COMMIT
            .windows(8)
            .position(|part| part == b"encoding")
            .unwrap();
        let commit = Commit::parse(&COMMIT[..end]).unwrap();
        assert_eq!(commit.message, None);
        assert_eq!(commit.write().content, &COMMIT[..end]);
    }

    #[test]
    fn a_commit_cut_short_is_an_error_and_no_panic() {
        let headers = COMMIT
            .windows(8)
            .position(|part| part == b"encoding")
            .unwrap();
        for length in 0..headers {
            assert!(Commit::parse(&COMMIT[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn a_tag_is_written_as_it_was_read() {
        let with_tagger = b"object 4b825dc642cb6eb9a060e54bf8d69288fbee4904\ntype tree\n\
            tag v1\ntagger A <a@b> 1 +0000\n\nHi\n";
        let without = b"object 4b825dc642cb6eb9a060e54bf8d69288fbee4904\ntype tag\ntag v1\n\nHi";
        for content in [&with_tagger[..], &without[..]] {
            assert_eq!(Tag::parse(content).unwrap().write().content, content);
        }
        assert!(Tag::parse(&with_tagger[..60]).is_err());
    }
}
