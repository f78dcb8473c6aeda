//! Views of commits for lists, comparisons, branches and pull requests.

use super::git_object::GitObjectView;
use super::people::People;
use crate::contract::git_objects::GitParent;
use crate::contract::reply::Outcome;
use crate::contract::shared::commit::{CommitDetails, RepositoryCommit};
use crate::database::Database;
use crate::git::objects::{Commit, Object};
use crate::git::store::load_many;
use crate::git::{GitError, Sha};

/// The views of some commits, and whether a new account could change them.
#[derive(Debug, Default)]
pub struct CommitViews {
    pub commits: Vec<RepositoryCommit>,
    /// The creation of such an account changes no version.
    pub uncacheable: bool,
}

impl GitObjectView {
    /// Shows commits in the given order. Reads them and their authors in one query for
    /// every hundred.
    pub async fn commits(&self, db: &Database, shas: &[Sha]) -> Outcome<CommitViews> {
        let mut objects = load_many(db.reads(), self.repository_id, shas).await?;
        let mut loaded = Vec::with_capacity(shas.len());
        for sha in shas {
            let object = match objects.remove(sha) {
                Some(object) => object,
                // Requested twice.
                None => find_loaded(&loaded, *sha)?,
            };
            let parsed = Commit::parse(&object.content)?;
            loaded.push((*sha, object, parsed));
        }
        let lines = loaded
            .iter()
            .flat_map(|(_, _, commit)| [&commit.author[..], &commit.committer[..]]);
        let people = People::of(db, lines).await?;
        let commits = loaded
            .iter()
            .map(|(sha, object, parsed)| self.listed(*sha, object, parsed, &people));
        Ok(CommitViews {
            commits: commits.collect::<Result<_, _>>()?,
            uncacheable: people.unknown,
        })
    }

    fn listed(
        &self,
        sha: Sha,
        object: &Object,
        parsed: &Commit,
        people: &People,
    ) -> Result<RepositoryCommit, GitError> {
        let git = self.commit(sha, object)?;
        let url = self.urls.below(&self.full_name, "commits", &git.sha);
        let parents = git.parents.into_iter().map(|parent| GitParent {
            url: self
                .urls
                .below(&self.full_name, "commits", &parent.sha)
                .into(),
            ..parent
        });
        Ok(RepositoryCommit {
            node_id: git.node_id,
            commit: CommitDetails {
                author: git.author,
                committer: git.committer,
                message: git.message,
                tree: git.tree,
                url: git.url,
                comment_count: 0,
                verification: git.verification,
            },
            comments_url: format!("{url}/comments").into(),
            url: url.into(),
            html_url: git.html_url,
            author: people.user(&self.urls, &parsed.author).into(),
            committer: people.user(&self.urls, &parsed.committer).into(),
            parents: parents.collect(),
            stats: None,
            files: None,
            sha: git.sha,
        })
    }
}

fn find_loaded(loaded: &[(Sha, Object, Commit)], sha: Sha) -> Result<Object, GitError> {
    let duplicate = loaded.iter().find(|(other, ..)| *other == sha);
    duplicate
        .map(|(_, object, _)| object.clone())
        .ok_or(GitError::Missing(sha))
}
