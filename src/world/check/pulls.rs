//! Pull requests and their review comments.

use std::collections::BTreeSet;

use serde_json::Value;

use super::history::{Branches, History};
use super::index::{Index, absent};
use super::unique::Unique;
use super::{BodyRules, names};
use crate::world::file::{Comment, Pull, Repository};
use crate::world::findings::{Finding, Findings, quoted};
use crate::world::node::At;

pub fn check(
    repository: &Repository,
    history: &History<'_>,
    index: &Index<'_>,
    rules: &BodyRules,
    findings: &mut Findings,
) {
    let mut numbers = Unique::new("pull request");
    for pull in &repository.pulls {
        let number = &pull.number;
        let shown = format!("#{}", number.value.0);
        numbers.claim(number.value, &shown, number.place, findings);
        names::require(&pull.title, "title", names::title, findings);
        index.user(&pull.author, findings);
        branch(&pull.base, &history.branches, findings);
        branch(&pull.head, &history.branches, findings);
        if pull.base.value == pull.head.value {
            findings.push(
                Finding::at(pull.head.place, "a pull request of a branch into itself")
                    .expected(format!("a branch other than {}", quoted(&pull.base.value))),
            );
        }
        comments(pull, history, index, rules, findings);
    }
}

fn branch(name: &At<String>, branches: &Branches<'_>, findings: &mut Findings) {
    match branches {
        Branches::Elsewhere => names::require(name, "branch name", names::branch, findings),
        Branches::Empty => {
            let expected = "a repository with commits";
            absent(name, "branch", expected, [], findings);
        }
        Branches::Named(branches) if branches.contains(name.value.as_str()) => {}
        Branches::Named(branches) => {
            let expected = "a branch that `refs` names";
            absent(name, "branch", expected, branches.iter().copied(), findings);
        }
    }
}

fn comments(
    pull: &Pull,
    history: &History<'_>,
    index: &Index<'_>,
    rules: &BodyRules,
    findings: &mut Findings,
) {
    let mut taken = Unique::new("comment key");
    let mut above = BTreeSet::new();
    for comment in &pull.comments {
        index.user(&comment.author, findings);
        match &comment.in_reply_to {
            Some(key) => answer(comment, key, &above, findings),
            None => top_level(comment, history, rules, findings),
        }
        if let Some(key) = &comment.key {
            taken.claim(key.value.as_str(), &key.value, key.place, findings);
            above.insert(key.value.as_str());
        }
    }
}

/// Spec, Pull request review comments: every parameter of a reply other than `body`
/// is ignored.
fn answer(comment: &Comment, key: &At<String>, above: &BTreeSet<&str>, findings: &mut Findings) {
    if comment.body.text("body").is_none() {
        findings.push(
            Finding::at(comment.place, "a reply without `body`")
                .expected("the key `body` with text"),
        );
    }
    if !above.contains(key.value.as_str()) {
        let expected = "the key of a comment above in the same pull request";
        absent(key, "comment", expected, above.iter().copied(), findings);
    }
}

/// In the file a comment names its commit by an id of the file or by a SHA-1, and an
/// absent commit is the head. The request's validator knows SHA-1 alone.
fn top_level(comment: &Comment, history: &History<'_>, rules: &BodyRules, findings: &mut Findings) {
    let mut body = comment.body.value.clone();
    let named = comment.body.text("commit_id");
    if named.is_some() || body.get("commit_id").is_none() {
        body["commit_id"] = Value::from("0".repeat(40));
    }
    for complaint in (rules.review_comment)(&body) {
        comment.body.complain(&complaint, findings);
    }
    let Some(named) = named.filter(|named| !is_sha(named.value)) else {
        return;
    };
    let named = At {
        place: named.place,
        value: named.value.to_owned(),
    };
    if !history.commits.contains_key(named.value.as_str()) {
        let ids = history.commits.keys().copied();
        let expected = "the id of a commit above or a SHA-1";
        absent(&named, "commit", expected, ids, findings);
    }
}

fn is_sha(name: &str) -> bool {
    name.len() == 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}
