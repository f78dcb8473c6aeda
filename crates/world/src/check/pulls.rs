//! Pull requests and their review comments.

use std::collections::BTreeSet;

use serde_json::Value;

use super::history::{History, KnownBranches};
use super::index::absent;
use super::names;
use super::unique::Unique;
use crate::file::{Comment, Pull, Repository};
use crate::findings::{Findings, quoted};
use crate::scalar::Positive;
use crate::yaml::At;
use contract::body;
use contract::review_comments::CreateReviewComment;
use storage::entities::pull::PullState;

/// Returns the numbers of the pull requests.
pub fn check(
    repository: &Repository,
    history: &History<'_>,
    findings: &mut Findings,
) -> Unique<Positive> {
    let mut numbers = Unique::new("issue or pull request");
    for pull in &repository.pulls {
        let number = &pull.number;
        let display = format!("#{}", number.value.0);
        numbers.claim(number.value, &display, number.location, findings);
        names::require([&pull.title], "title", names::title, findings);
        branch(&pull.base, &pull.base_sha, history, findings);
        branch(&pull.head, &pull.head_sha, history, findings);
        ending(pull, findings);
        if pull.base.value == pull.head.value {
            let message = "the head and the base are the same branch";
            let expected = format!("a branch other than {}", quoted(&pull.base.value));
            findings.report(pull.head.location, message, expected);
        }
        reviews(pull, history, findings);
        comments(pull, history, findings);
    }
    numbers
}

/// A branch whose commit is named may be one that no longer exists.
fn branch(
    name: &At<String>,
    sha: &Option<At<String>>,
    history: &History<'_>,
    findings: &mut Findings,
) {
    if let Some(sha) = sha {
        history.require(sha, findings);
        names::require([name], "branch name", names::branch, findings);
        return;
    }
    match &history.branches {
        KnownBranches::Elsewhere => names::require([name], "branch name", names::branch, findings),
        KnownBranches::Empty => {
            let expected = "a repository with commits";
            absent(name, "branch", expected, [], findings);
        }
        KnownBranches::Named(branches) if branches.contains(name.value.as_str()) => {}
        KnownBranches::Named(branches) => {
            let expected = "a branch that `refs` names";
            absent(name, "branch", expected, branches.iter().copied(), findings);
        }
    }
}

/// What only a pull request has that is closed or merged.
fn ending(pull: &Pull, findings: &mut Findings) {
    let merged = pull.state == Some(PullState::Merged);
    let open = matches!(pull.state, None | Some(PullState::Open));
    for (key, given, fits, state) in [
        (
            "closed_at",
            pull.closed_at.is_some(),
            !open,
            "closed or merged",
        ),
        ("merged_at", pull.merged_at.is_some(), merged, "merged"),
        ("merged_by", pull.merged_by.is_some(), merged, "merged"),
        (
            "merge_commit_sha",
            pull.merge_commit_sha.is_some(),
            merged,
            "merged",
        ),
    ] {
        if given && !fits {
            let message = format!("`{key}` of a pull request that is not {state}");
            findings.report(
                pull.location,
                message,
                format!("`state: merged`, or no `{key}`"),
            );
        }
    }
    let sha = pull.merge_commit_sha.iter();
    names::require(sha, "commit", names::sha, findings);
}

fn reviews(pull: &Pull, history: &History<'_>, findings: &mut Findings) {
    let mut keys = Unique::new("review key");
    for review in &pull.reviews {
        if let Some(key) = &review.key {
            keys.claim(key.value.as_str(), &key.value, key.location, findings);
        }
        if let Some(commit) = &review.commit_id {
            history.require(commit, findings);
        }
    }
}

fn comments(pull: &Pull, history: &History<'_>, findings: &mut Findings) {
    let mut keys = Unique::new("comment key");
    let mut above = BTreeSet::new();
    let reviews = pull.reviews.iter().filter_map(|review| review.key.as_ref());
    let reviews: BTreeSet<&str> = reviews.map(|key| key.value.as_str()).collect();
    for comment in &pull.comments {
        if let Some(key) = &comment.review
            && !reviews.contains(key.value.as_str())
        {
            let expected = "the key of a review of the same pull request";
            absent(key, "review", expected, reviews.iter().copied(), findings);
        }
        match &comment.in_reply_to {
            Some(key) => answer(comment, key, &above, findings),
            None => top_level(comment, history, findings),
        }
        if let Some(key) = &comment.key {
            keys.claim(key.value.as_str(), &key.value, key.location, findings);
            above.insert(key.value.as_str());
        }
    }
}

/// Spec, Pull request review comments: every parameter of a reply other than `body`
/// is ignored.
fn answer(comment: &Comment, key: &At<String>, above: &BTreeSet<&str>, findings: &mut Findings) {
    if comment.request.text("body").is_none() {
        let expected = "text";
        findings.report(comment.location, "missing key `body` in a reply", expected);
    }
    if !above.contains(key.value.as_str()) {
        let expected = "the key of a comment above in the same pull request";
        absent(key, "comment", expected, above.iter().copied(), findings);
    }
}

/// In the file, a comment names its commit by an id of the file or by a SHA-1; without one, it
/// is on the head. The request's validator only accepts a SHA-1.
fn top_level(comment: &Comment, history: &History<'_>, findings: &mut Findings) {
    let mut body = comment.request.json.clone();
    let commit_id = comment.request.text("commit_id");
    if commit_id.is_some() || body.get("commit_id").is_none() {
        body["commit_id"] = Value::from("0".repeat(40));
    }
    let outcome = body::read::<CreateReviewComment>(body);
    comment.request.check(outcome, findings);
    if let Some(At { location, value }) = commit_id {
        let value = value.to_owned();
        history.require(&At { location, value }, findings);
    }
}
