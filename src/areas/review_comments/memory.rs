//! What this area remembers between requests, so that comment after comment on
//! one diff does not compare its trees again (`crate::memory` says why nothing of
//! it goes stale).

use std::collections::BTreeSet;
use std::sync::Arc;

use super::draft::Standing;
use super::placement::Placement;
use super::{ReviewComments, store};
use crate::contract::reply::Outcome;
use crate::entities::{installation, pull, repository, review_comment};
use crate::memory::{Key, Memorable};
use crate::notify;
use crate::pulls::comparison::Branches;

impl ReviewComments {
    pub(super) async fn find_pull(
        &self,
        repository: i64,
        number: i64,
    ) -> Outcome<Arc<Option<pull::Model>>> {
        let key = Key::of("pull").number(repository).number(number);
        let find = || store::pull(self.app.db.reads(), repository, number);
        Ok(self.app.memory.recall(key, find).await?)
    }

    /// Where a comment would stand. Commits and files never change, so beside the
    /// tips of the branches only a reply has to be looked at again.
    pub(super) async fn find_standing(
        &self,
        pull: &pull::Model,
        placement: &Placement,
    ) -> Outcome<Arc<Standing>> {
        let reads = self.app.db.reads();
        if let Placement::Reply(root) = placement {
            return Standing::in_thread(reads, pull, *root).await.map(Arc::new);
        }
        let branches = *self.find_branches(pull).await?;
        let key = Key::of("standing")
            .number(branches.repository_id)
            .text(&branches.base.to_string())
            .text(&branches.head.to_string())
            .text(&format!("{placement:?}"));
        let find = || Standing::in_diff(reads, branches, placement);
        self.app.memory.recall(key, find).await
    }

    async fn find_branches(&self, pull: &pull::Model) -> Outcome<Arc<Branches>> {
        let key = Key::of("branches").number(pull.repository_id);
        let key = key.number(i64::from(pull.state == pull::State::Open));
        let key = key.text(&pull.base_ref).text(&pull.base_sha);
        let key = key.text(&pull.head_sha);
        let find = || Branches::of(self.app.db.reads(), pull);
        Ok(self.app.memory.recall(key, find).await?)
    }

    pub(super) async fn surroundings(
        &self,
        repository: &repository::Model,
        comments: &[review_comment::Model],
    ) -> Outcome<Arc<store::Surroundings>> {
        let authors: BTreeSet<i64> = comments.iter().filter_map(|row| row.author_id).collect();
        let pulls: BTreeSet<i64> = comments.iter().map(|row| row.pull_id).collect();
        let key = Key::of("surroundings").number(repository.id);
        // No id is negative, so it is clear where the authors end.
        let ids = authors.iter().copied().chain([-1]).chain(pulls);
        let key = ids.fold(key, Key::number);
        let find = || store::Surroundings::of(self.app.db.reads(), repository, comments);
        Ok(self.app.memory.recall(key, find).await?)
    }

    /// The installations that want to hear of comments in a repository.
    pub(super) async fn receivers(
        &self,
        repository: &repository::Model,
    ) -> Outcome<Arc<Vec<installation::Model>>> {
        let key = Key::of("receivers").number(repository.id);
        let find = || notify::receivers(self.app.db.reads(), repository);
        Ok(self.app.memory.recall(key, find).await?)
    }
}

impl Memorable for Option<pull::Model> {
    fn weight(&self) -> usize {
        self.as_ref().map_or(0, |pull| {
            pull.title.len() + pull.body.as_ref().map_or(0, String::len) + 512
        })
    }
}

impl Memorable for Branches {
    fn weight(&self) -> usize {
        0
    }
}

impl Memorable for Standing {
    fn weight(&self) -> usize {
        self.diff_hunk.len() + self.anchor.path.len()
    }
}

impl Memorable for store::Surroundings {
    fn weight(&self) -> usize {
        self.authors.len() * 1024 + self.numbers.len() * 32
    }
}

impl Memorable for Vec<installation::Model> {
    fn weight(&self) -> usize {
        let texts = |row: &installation::Model| row.events.len() + row.permissions.len() + 256;
        self.iter().map(texts).sum()
    }
}
