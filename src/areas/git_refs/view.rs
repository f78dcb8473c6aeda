//! References as clients see them.

use crate::access::RepositoryGrant;
use crate::contract::call::Call;
use crate::contract::git_refs::{GitRef, GitTarget, ObjectType};
use crate::entities::git_object::Kind;
use crate::node_id;
use crate::urls::Urls;

/// Shows what one repository holds to one caller.
pub struct View {
    pub(super) urls: Urls,
    pub(super) full_name: String,
    pub(super) repository_id: i64,
}

impl View {
    pub fn new(call: &Call, grant: &RepositoryGrant) -> Self {
        Self {
            urls: Urls::of(call),
            full_name: grant.full_name(),
            repository_id: grant.repository.id,
        }
    }

    pub fn git_ref(&self, name: String, sha: String, kind: Kind) -> GitRef {
        GitRef {
            node_id: node_id::git_ref(self.repository_id, &name),
            url: self.urls.git_ref(&self.full_name, &name).into(),
            object: self.target(sha, kind),
            name,
        }
    }

    pub(super) fn target(&self, sha: String, kind: Kind) -> GitTarget {
        let (kind, folder) = match kind {
            Kind::Commit => (ObjectType::Commit, "commits"),
            Kind::Tree => (ObjectType::Tree, "trees"),
            Kind::Blob => (ObjectType::Blob, "blobs"),
            Kind::Tag => (ObjectType::Tag, "tags"),
        };
        GitTarget {
            kind,
            url: self.urls.git_object(&self.full_name, folder, &sha).into(),
            sha,
        }
    }
}
