//! Git's wire protocol without the wire: packet lines, requests, negotiation, and the
//! enumeration of the objects that a client lacks
//! (<https://git-scm.com/docs/protocol-v2>, <https://git-scm.com/docs/pack-protocol>).
//! `areas/git_transport` decides who may, and `web/git.rs` speaks HTTP.

/// What this side can do.
pub mod capabilities;
/// What whole clones get.
pub mod closures;
/// Requests for objects, of every version of the protocol.
pub mod fetch;
/// What a partial clone leaves out.
pub mod filter;
/// Lists of references.
pub mod listing;
/// Which commits both sides have.
pub mod negotiation;
/// The objects that a client lacks.
pub mod objects;
/// Long responses that are written first.
pub mod outgoing;
/// Packet lines.
pub mod packet;
/// Commands that change references, and the report on them.
pub mod push;
/// Commits that a client lacks.
pub mod revisions;
/// Packs on their way out.
pub mod sending;
/// Histories that are cut off.
pub mod shallow;
/// Packs in bands.
pub mod sideband;
/// What a request wants.
pub mod wanted;

/// A request that cannot be understood or granted, in words for the user of the client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadRequest(pub String);

impl BadRequest {
    pub fn new(words: impl Into<String>) -> Self {
        Self(words.into())
    }
}

/// The versions of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    V0,
    V1,
    V2,
}

impl Version {
    /// The highest version in a `Git-Protocol` header that is spoken here.
    pub fn of(header: Option<&str>) -> Self {
        let keys = header.unwrap_or_default().split(':');
        let versions = keys.filter_map(|key| match key.trim() {
            "version=1" => Some(Self::V1),
            "version=2" => Some(Self::V2),
            _ => None,
        });
        versions.max().unwrap_or(Self::V0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_known_version_is_spoken() {
        assert_eq!(Version::of(None), Version::V0);
        assert_eq!(Version::of(Some("version=2")), Version::V2);
        assert_eq!(Version::of(Some("x=y:version=1")), Version::V1);
        assert_eq!(Version::of(Some("version=1:version=2")), Version::V2);
        assert_eq!(Version::of(Some("version=3")), Version::V0);
    }
}
