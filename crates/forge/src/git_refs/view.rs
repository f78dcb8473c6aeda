//! Views of references.

use crate::git_objects::view::GitObjectView;
use crate::node_id;
use contract::git_refs::GitRef;
use storage::entities::git_object::ObjectKind;

impl GitObjectView {
    pub fn git_ref(&self, name: String, sha: String, kind: ObjectKind) -> GitRef {
        GitRef {
            node_id: node_id::git_ref(self.repository_id, &name),
            url: self.urls.git_ref(&self.full_name, &name).into(),
            object: self.target(sha, kind),
            name,
        }
    }
}
