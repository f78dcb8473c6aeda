//! Git references (Spec, Git references): the operations are in `reading.rs`, `creating.rs`,
//! `moving.rs` and `deleting.rs`, the older paths in `companion.rs`, trees in `trees.rs`,
//! workflow files in `workflows.rs`, pull requests in `pulls.rs`, prefixes in `matching.rs`,
//! long lists in `long_lists.rs`, query plans in `plans.rs`, the examples of the documents in
//! `examples.rs`, and the comparison with the program `git` in `real.rs`.

mod companion;
mod creating;
mod deleting;
mod examples;
mod long_lists;
mod matching;
mod moving;
mod plans;
mod pulls;
mod reading;
mod real;
pub mod seed;
mod trees;
mod workflows;

use crate::harness::{Answer, Service};

const REFS: &str = "/repos/acme/gadgets/git/refs";
const REF: &str = "/repos/acme/gadgets/git/ref";
const MATCHING: &str = "/repos/acme/gadgets/git/matching-refs";

/// The names in a list of references.
fn names(answer: &Answer) -> Vec<String> {
    let list = answer.json();
    let names = list.as_array().unwrap().iter();
    names
        .map(|item| item["ref"].as_str().unwrap().to_owned())
        .collect()
}

/// The SHA that a reference points at, or `None` if there is no such reference.
async fn sha_of(service: &Service, name: &str) -> Option<String> {
    let answer = service
        .as_("alice-classic")
        .get(&format!("{REF}/{name}"))
        .await;
    match answer.status.as_u16() {
        200 => Some(answer.json()["object"]["sha"].as_str().unwrap().to_owned()),
        _ => None,
    }
}
