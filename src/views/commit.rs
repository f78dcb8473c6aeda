//! Commits as lists, comparisons, branches and pull requests show them.

use super::git_object::GitObjectView;
use super::people::People;
use crate::contract::git_objects::GitParent;
use crate::contract::reply::Outcome;
use crate::contract::shared::commit::{CommitDetails, RepositoryCommit};
use crate::database::Database;
use crate::git::objects::{Commit, Object};
use crate::git::store::load_many;
use crate::git::{GitError, Sha};

/// Some commits, and whether an account that may come to exist would be shown with them.
#[derive(Debug, Default)]
pub struct ShownCommits {
    pub commits: Vec<RepositoryCommit>,
    /// No version tells when such an account is made.
    pub fleeting: bool,
}

impl GitObjectView {
    /// Shows commits in the given order. Reads them and their authors in one query for
    /// every hundred.
    pub async fn commits(&self, db: &Database, shas: &[Sha]) -> Outcome<ShownCommits> {
        let mut objects = load_many(db.reads(), self.repository_id, shas).await?;
        let mut found = Vec::with_capacity(shas.len());
        for sha in shas {
            let object = match objects.remove(sha) {
                Some(object) => object,
                // Named twice.
                None => again(&found, *sha)?,
            };
            let parsed = Commit::parse(&object.content)?;
            found.push((*sha, object, parsed));
        }
        let lines = found
            .iter()
            .flat_map(|(_, _, commit)| [&commit.author[..], &commit.committer[..]]);
        let people = People::of(db, lines).await?;
        let commits = found
            .iter()
            .map(|(sha, object, parsed)| self.listed(*sha, object, parsed, &people));
        Ok(ShownCommits {
            commits: commits.collect::<Result<_, _>>()?,
            fleeting: people.unknown,
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

fn again(found: &[(Sha, Object, Commit)], sha: Sha) -> Result<Object, GitError> {
    let same = found.iter().find(|(other, ..)| *other == sha);
    same.map(|(_, object, _)| object.clone())
        .ok_or(GitError::Missing(sha))
}
