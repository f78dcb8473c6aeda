//! Views of branches, tags and comparisons. Commits are in `views/commit.rs`.

use contract::commits::{Branch, TagName};
use contract::commits::{CommitDetails, RepositoryCommit};
use contract::git_objects::{GitCommit, GitParent};
use contract::json;
use contract::reply::Outcome;
use git::objects::{Commit, Object};
use git::{Sha, store};
use storage::database::Database;
use storage::heavy;

use crate::accounts::people::People;
use crate::git_objects::view::GitObjectView;
use crate::node_id;

impl GitObjectView {
    pub fn branch(&self, name: &str, commit: RepositoryCommit) -> Branch {
        let url = self.urls.below(&self.full_name, "branches", name);
        let html = self.urls.page(&self.full_name, "tree", name);
        Branch::new(name.to_owned(), commit, url, html)
    }

    pub fn tag_name(&self, name: &str, sha: String) -> TagName {
        let full = format!("refs/tags/{name}");
        let archive = |folder: &str| self.urls.below(&self.full_name, folder, &full).into();
        TagName {
            name: name.to_owned(),
            zipball_url: archive("zipball"),
            tarball_url: archive("tarball"),
            commit: self.commit_link(sha),
            node_id: node_id::git_ref(self.repository_id, &full),
        }
    }
}

/// The abbreviated SHA-1 of web URLs.
pub fn short(sha: Sha) -> String {
    sha.to_string()[..7].to_owned()
}

/// Bytes of the commits that are shown whole. Of further ones, long texts are omitted.
const SHOWN_WHOLE: usize = 2 * 1024 * 1024;

/// Texts of up to this many bytes are never omitted.
const SHORT: usize = 1024;

/// More bytes of commits are read under a permit, and their memory is counted.
const LARGE: usize = 1024 * 1024;

/// The views of some commits, and whether a new account could change them.
#[derive(Debug, Default)]
pub struct CommitViews {
    pub commits: Vec<RepositoryCommit>,
    /// Bytes of the texts.
    pub bytes: usize,
    /// The creation of such an account changes no version.
    pub uncacheable: bool,
}

/// A commit without the accounts of its people.
struct LoadedCommit {
    git: GitCommit,
    author: Vec<u8>,
    committer: Vec<u8>,
}

impl GitObjectView {
    /// Shows commits in the given order. Reads them in a few queries for every hundred, and their
    /// authors in one.
    pub async fn commits(&self, db: &Database, shas: &[Sha]) -> Outcome<CommitViews> {
        let sizes = store::sizes(db.reads(), self.repository_id, shas).await?;
        let bytes: i64 = sizes.iter().map(|(_, size)| size).sum();
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        if bytes <= LARGE {
            return self.sized(db, &sizes).await;
        }
        heavy::with_permit(async {
            let _held = heavy::hold(2 * SHOWN_WHOLE.min(bytes)).await?;
            self.sized(db, &sizes).await
        })
        .await
    }

    async fn sized(&self, db: &Database, sizes: &[(Sha, i64)]) -> Outcome<CommitViews> {
        let mut loaded = Vec::with_capacity(sizes.len());
        let mut bytes = 0;
        let keep = |sha, object: Object| {
            let Commit {
                author, committer, ..
            } = Commit::parse(&object.content)?;
            let mut git = self.commit(sha, &object)?;
            bytes += object.content.len();
            if bytes > SHOWN_WHOLE {
                omit_long(&mut git);
            }
            loaded.push(LoadedCommit {
                git,
                author,
                committer,
            });
            Ok(())
        };
        store::read_sized(db.reads(), self.repository_id, sizes, keep).await?;
        let lines = loaded
            .iter()
            .flat_map(|commit| [&commit.author[..], &commit.committer[..]]);
        let people = People::of(db, lines).await?;
        let commits = loaded
            .into_iter()
            .map(|commit| self.listed(commit, &people));
        Ok(CommitViews {
            commits: commits.collect(),
            bytes: bytes.min(SHOWN_WHOLE),
            uncacheable: people.unknown,
        })
    }

    fn listed(&self, commit: LoadedCommit, people: &People) -> RepositoryCommit {
        let LoadedCommit {
            git,
            author,
            committer,
        } = commit;
        let url = self.urls.below(&self.full_name, "commits", &git.sha);
        let parents = git.parents.into_iter().map(|parent| GitParent {
            url: self
                .urls
                .below(&self.full_name, "commits", &parent.sha)
                .into(),
            ..parent
        });
        RepositoryCommit {
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
            author: people.user(&self.urls, &author).into(),
            committer: people.user(&self.urls, &committer).into(),
            parents: parents.collect(),
            stats: None,
            files: None,
            sha: git.sha,
        }
    }
}

/// Replaces the long texts of a commit. A client gets them by requesting the commit alone.
fn omit_long(git: &mut GitCommit) {
    let verification = &mut git.verification;
    let signed = [&mut verification.payload.0, &mut verification.signature.0];
    let signed = signed.into_iter().flatten();
    for text in signed.chain([&mut git.message]) {
        if text.len() > SHORT {
            json::OMITTED.clone_into(text);
        }
    }
}
