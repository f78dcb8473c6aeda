//! Git's wire protocol without the wire: packet lines, requests, negotiation, and the
//! enumeration of the objects that a client lacks
//! (<https://git-scm.com/docs/protocol-v2>, <https://git-scm.com/docs/pack-protocol>).
//! `forge::git_transport` has the access control, and `web/edge/git.rs` the HTTP part.

/// The capabilities of this server.
pub mod capabilities;
/// The objects of whole clones.
pub mod closures;
/// Requests for objects, of every version of the protocol.
pub mod fetch;
/// The filters of partial clones.
pub mod filter;
/// Lists of references.
pub mod listing;
/// Finds the commits that both sides have.
pub mod negotiation;
/// The objects that a client lacks.
pub mod objects;
/// Responses that are spooled before they are sent.
pub mod outgoing;
/// Packet lines.
pub mod packet;
/// Commands that change references, and the report on them.
pub mod push;
/// The parameters of a fetch.
pub mod request;
/// Commits that a client lacks.
pub mod revisions;
/// Streams packs to clients.
pub mod sending;
/// Shallow clones.
pub mod shallow;
/// Side bands.
pub mod sideband;

/// A malformed request, or one that is refused. The message is for the user of the client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadRequest(pub String);

impl BadRequest {
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
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
    /// The highest supported version in a `Git-Protocol` header.
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
