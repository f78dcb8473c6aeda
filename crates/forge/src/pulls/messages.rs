//! The messages of merge and squash commits, in GitHub's format.

use std::collections::BTreeSet;

use git::ident::{Addressee, name_and_email};
use git::objects::Commit;

/// A message: its first line, and the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitMessage {
    pub title: String,
    pub body: String,
}

impl CommitMessage {
    /// The whole text.
    pub fn text(&self) -> String {
        match self.body.is_empty() {
            true => self.title.clone(),
            false => format!("{}\n\n{}", self.title, self.body),
        }
    }

    /// The message of a merge commit.
    pub fn of_merge(owner: &str, head: &str, number: i64, title: &str) -> Self {
        Self {
            title: format!("Merge pull request #{number} from {owner}/{head}"),
            body: title.to_owned(),
        }
    }

    /// The message of a commit that merges the base into a branch.
    pub fn of_update(base: &str, head: &str) -> Self {
        Self {
            title: format!("Merge branch '{base}' into {head}"),
            body: String::new(),
        }
    }

    /// The message of a squash commit: that of a single commit, or a list of several. `author` is
    /// its author line; the other authors are listed as co-authors.
    pub fn of_squash(number: i64, title: &str, commits: &[Commit], author: &[u8]) -> Self {
        let messages: Vec<Self> = commits.iter().map(Self::of_commit).collect();
        let (title, mut body) = match messages.as_slice() {
            [only] => (only.title.as_str(), only.body.clone()),
            several => {
                let items = several
                    .iter()
                    .map(|message| format!("* {}", message.text()));
                (title, items.collect::<Vec<_>>().join("\n\n"))
            }
        };
        let others = co_authors(commits, author);
        if !others.is_empty() {
            if !body.is_empty() {
                body.push_str(if messages.len() > 1 {
                    "\n\n---------\n\n"
                } else {
                    "\n\n"
                });
            }
            body.push_str(&others.join("\n"));
        }
        Self {
            title: format!("{title} (#{number})"),
            body,
        }
    }

    fn of_commit(commit: &Commit) -> Self {
        let text = String::from_utf8_lossy(commit.message.as_deref().unwrap_or_default());
        let (title, body) = text.trim().split_once('\n').unwrap_or((text.trim(), ""));
        Self {
            title: title.trim_end().to_owned(),
            body: body.trim().to_owned(),
        }
    }
}

fn co_authors(commits: &[Commit], author: &[u8]) -> Vec<String> {
    let mut known_authors = BTreeSet::from([author_key(name_and_email(author).1)]);
    let authors = commits.iter().map(|commit| name_and_email(&commit.author));
    let new = authors.filter(|(_, email)| known_authors.insert(author_key(email)));
    new.map(|(name, email)| {
        let (name, email) = (
            String::from_utf8_lossy(name),
            String::from_utf8_lossy(email),
        );
        format!("Co-authored-by: {name} <{email}>")
    })
    .collect()
}

/// The login that an address names, or the address itself: the same account may have two
/// addresses.
fn author_key(email: &[u8]) -> String {
    let email = String::from_utf8_lossy(email).to_lowercase();
    let login = Addressee::of(&email).map(|addressee| addressee.login.to_owned());
    login.unwrap_or(email)
}

#[cfg(test)]
mod tests {
    use super::*;
    use git::Sha;

    fn commit(author: &str, message: &str) -> Commit {
        Commit {
            tree: Sha::EMPTY_TREE,
            parents: Vec::new(),
            author: format!("{author} <{author}@x> 1 +0000").into_bytes(),
            committer: Vec::new(),
            more: Vec::new(),
            message: Some(message.as_bytes().to_vec()),
        }
    }

    const BOB: &[u8] = b"bob <bob@x> 2 +0000";

    #[test]
    fn a_merge_names_the_branch_and_the_pull_request() {
        let message = CommitMessage::of_merge("acme", "topic", 7, "Words");
        let expected = "Merge pull request #7 from acme/topic\n\nWords";
        assert_eq!(message.text(), expected);
        let message = CommitMessage::of_update("main", "topic");
        assert_eq!(message.text(), "Merge branch 'main' into topic");
    }

    #[test]
    fn one_commit_speaks_for_itself_and_several_are_listed() {
        let one = [commit("bob", "One\n\nBecause.\n")];
        let message = CommitMessage::of_squash(7, "Words", &one, BOB);
        assert_eq!(message.text(), "One (#7)\n\nBecause.");
        let two = [commit("bob", "One\n"), commit("bob", "Two\n\nAlso.")];
        let message = CommitMessage::of_squash(7, "Words", &two, BOB);
        assert_eq!(message.text(), "Words (#7)\n\n* One\n\n* Two\n\nAlso.");
    }

    #[test]
    fn an_author_with_two_addresses_is_no_other() {
        let mut one = commit("bob", "One");
        one.author = b"bob <bob@users.noreply.invalid> 1 +0000".to_vec();
        let author = b"bob <7+Bob@users.noreply.invalid> 2 +0000";
        assert_eq!(
            CommitMessage::of_squash(7, "Words", &[one], author).body,
            ""
        );
    }

    #[test]
    fn other_authors_are_named_once() {
        let one = [commit("eve", "One")];
        let message = CommitMessage::of_squash(7, "Words", &one, BOB);
        assert_eq!(message.body, "Co-authored-by: eve <eve@x>");
        let more = [
            commit("eve", "One"),
            commit("bob", "Two"),
            commit("eve", "3"),
        ];
        let message = CommitMessage::of_squash(7, "Words", &more, BOB);
        let expected = "* One\n\n* Two\n\n* 3\n\n---------\n\nCo-authored-by: eve <eve@x>";
        assert_eq!(message.body, expected);
    }
}
