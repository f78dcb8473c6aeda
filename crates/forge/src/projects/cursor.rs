//! Cursors: positions in a list of a project, as opaque strings. A cursor consists of the project,
//! an id and a signature, so that a client can neither forge one nor use it for another project or
//! list. It needs no row at its position: deleting the row does not break it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// A kind of list with cursors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    Fields,
    Items,
}

impl List {
    /// The prefix of the signed data.
    fn kind(self) -> &'static [u8] {
        match self {
            Self::Fields => b"project-fields:v1:",
            Self::Items => b"project-items:v1:",
        }
    }
}

/// Two numbers of eight bytes.
const POSITION: usize = 16;

/// Half of a SHA-256 signature is more than enough for a position in a list.
const SIGNATURE: usize = 16;

/// Signs and verifies the cursors of a list, with the secret of this database.
#[derive(Clone)]
pub struct Signer(Hmac<Sha256>);

impl Signer {
    /// Accepts a secret of any length; `None` if it cannot be a key.
    pub fn new(secret: &str, list: List) -> Option<Self> {
        let keyed = Hmac::new_from_slice(secret.as_bytes()).ok()?;
        Some(Self(keyed.chain_update(list.kind())))
    }

    /// The cursor at an id in the list of a project.
    pub fn write(&self, project: i64, at: i64) -> String {
        let mut bytes = [project.to_be_bytes(), at.to_be_bytes()].concat();
        let signature = self.mac(&bytes).finalize().into_bytes();
        bytes.extend_from_slice(&signature[..SIGNATURE]);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The id of a cursor, if it is valid for this project.
    pub fn read(&self, project: i64, cursor: &str) -> Option<i64> {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (position, signature) = bytes.split_at_checked(POSITION)?;
        if signature.len() != SIGNATURE {
            return None;
        }
        self.mac(position).verify_truncated_left(signature).ok()?;
        let (owner, at) = position.split_at_checked(POSITION / 2)?;
        (owner == project.to_be_bytes()).then_some(())?;
        at.try_into().ok().map(i64::from_be_bytes)
    }

    fn mac(&self, position: &[u8]) -> Hmac<Sha256> {
        self.0.clone().chain_update(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signer(secret: &str) -> Signer {
        Signer::new(secret, List::Fields).unwrap()
    }

    #[test]
    fn a_cursor_leads_back_to_its_place() {
        let signer = signer("secret");
        for at in [0, 1, 5001, i64::MAX, -1] {
            let cursor = signer.write(3001, at);
            assert_eq!(signer.read(3001, &cursor), Some(at));
        }
    }

    #[test]
    fn a_cursor_of_another_project_list_or_database_leads_nowhere() {
        let cursor = signer("secret").write(3001, 5001);
        let items = Signer::new("secret", List::Items).unwrap();
        assert_eq!(items.read(3001, &cursor), None);
        assert_eq!(signer("secret").read(3002, &cursor), None);
        assert_eq!(signer("other").read(3001, &cursor), None);
    }

    #[test]
    fn no_cursor_can_be_made_up() {
        let signer = signer("secret");
        let cursor = signer.write(3001, 5001);
        let bytes = URL_SAFE_NO_PAD.decode(&cursor).unwrap();
        for position in 0..bytes.len() {
            let mut forged = bytes.clone();
            forged[position] ^= 1;
            let forged = URL_SAFE_NO_PAD.encode(forged);
            assert_eq!(signer.read(3001, &forged), None, "byte {position}");
        }
        let short = URL_SAFE_NO_PAD.encode(&bytes[..POSITION + 1]);
        let bare = URL_SAFE_NO_PAD.encode(&bytes[..POSITION]);
        let long = format!("{cursor}AAAA");
        for made_up in ["", "5001", "!", short.as_str(), &bare, &long] {
            assert_eq!(signer.read(3001, made_up), None, "{made_up}");
        }
    }
}
