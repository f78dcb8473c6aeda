//! Git objects. Writing a parsed object reproduces it byte for byte.

use git::ident::{Ident, name_and_email, seconds_of, tidy_message};
use git::objects::{Commit, Object, Tag};
use git::tree::Tree;

use super::{text, two};

/// Object names may be upper-case in the input and are written in lower case. Tree entries may
/// have any order and are written in Git's.
pub fn git_objects(data: &[u8]) {
    if let Ok(commit) = Commit::parse(data) {
        let written = commit.write();
        assert!(written.content.eq_ignore_ascii_case(data));
        assert_eq!(Commit::parse(&written.content).unwrap(), commit);
        assert_eq!(named_by_git(&written), written.sha().to_string());
    }
    if let Ok(tag) = Tag::parse(data) {
        let written = tag.write();
        assert!(written.content.eq_ignore_ascii_case(data));
        assert_eq!(Tag::parse(&written.content).unwrap(), tag);
    }
    if let Ok(tree) = Tree::parse(data) {
        let written = tree.write();
        let again = Tree::parse(&written.content).unwrap();
        assert_eq!(again.entries.len(), tree.entries.len());
        assert!(
            tree.entries
                .iter()
                .all(|entry| again.entries.contains(entry))
        );
        assert_eq!(again.write(), written);
        assert_eq!(named_by_git(&written), written.sha().to_string());
    }
}

fn named_by_git(object: &Object) -> String {
    let kind = git2::ObjectType::from_str(object.kind.keyword()).unwrap();
    let oid = git2::Oid::hash_object(kind, &object.content).unwrap();
    oid.to_string()
}

/// Whatever the name, the line of an identity is one line with the right time. Tidying a message
/// is idempotent.
pub fn idents(data: &[u8]) {
    let (name, email) = two(data);
    let (name, email) = (text(name), text(email));
    let seconds = i64::try_from(data.len()).unwrap() * 7919;
    let ident = Ident {
        name: &name,
        email: &email,
        seconds,
        offset_minutes: i32::from(data.first().copied().unwrap_or(0)) - 128,
    };
    let line = ident.line();
    assert!(!line.contains(&b'\n') && !line.contains(&0));
    assert_eq!(seconds_of(&line), seconds);
    let (name, email) = name_and_email(&line);
    assert!(!name.contains(&b'<') && !email.contains(&b'>'));
    seconds_of(data);
    name_and_email(data);
    let tidy = tidy_message(&text(data));
    assert_eq!(tidy_message(&tidy), tidy);
}
