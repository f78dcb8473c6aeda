//! Object names: 20 bytes, written as 40 hexadecimal digits.

use std::fmt;
use std::str::FromStr;

use sea_orm::DbErr;
use sha1::{Digest, Sha1};

use storage::entities::git_object::ObjectKind;

/// A SHA-1 object name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha([u8; Sha::BYTES]);

/// Not 40 hexadecimal digits.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("an object name has 40 hexadecimal digits")]
pub struct NotASha;

impl Sha {
    pub const BYTES: usize = 20;

    /// The name of the empty tree.
    pub const EMPTY_TREE: Self = Self([
        0x4b, 0x82, 0x5d, 0xc6, 0x42, 0xcb, 0x6e, 0xb9, 0xa0, 0x60, 0xe5, 0x4b, 0xf8, 0xd6, 0x92,
        0x88, 0xfb, 0xee, 0x49, 0x04,
    ]);

    /// The SHA-1 of an object.
    pub fn of(kind: ObjectKind, content: &[u8]) -> Self {
        let mut hasher = Sha1::new();
        hasher.update(format!("{} {}\0", kind.keyword(), content.len()));
        hasher.update(content);
        Self(hasher.finalize().into())
    }

    pub const fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    pub fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }

    /// Parses a database column.
    pub fn stored(text: &str) -> Result<Self, DbErr> {
        text.parse()
            .map_err(|error: NotASha| DbErr::Type(format!("`{text}`: {error}")))
    }
}

impl FromStr for Sha {
    type Err = NotASha;

    fn from_str(text: &str) -> Result<Self, NotASha> {
        let mut bytes = [0; Self::BYTES];
        hex::decode_to_slice(text, &mut bytes).map_err(|_| NotASha)?;
        Ok(Self(bytes))
    }
}

impl fmt::Display for Sha {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for Sha {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_tree_and_the_empty_blob_have_their_known_names() {
        assert_eq!(Sha::of(ObjectKind::Tree, b""), Sha::EMPTY_TREE);
        assert_eq!(
            Sha::of(ObjectKind::Blob, b"").to_string(),
            "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
        );
    }

    #[test]
    fn only_forty_hexadecimal_digits_are_a_name() {
        let text = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        assert_eq!(text.parse(), Ok(Sha::EMPTY_TREE));
        assert_eq!(text.to_uppercase().parse(), Ok(Sha::EMPTY_TREE));
        for invalid in [
            "",
            "4b82",
            &text[1..],
            &format!("{text}0"),
            &text.replace('4', "g"),
        ] {
            assert_eq!(invalid.parse::<Sha>(), Err(NotASha), "{invalid}");
        }
    }
}
