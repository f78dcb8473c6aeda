//! Git over HTTP: who may fetch and push. The protocol is Git's own
//! (<https://git-scm.com/docs/http-protocol>), so the documents describe none of it.

use super::operation::{Operation, Rule, Writer, read, write};

/// Where GitHub documents it.
const DOCUMENTATION: &str =
    "https://docs.github.com/get-started/git-basics/about-remote-repositories";

/// Clones and fetches.
pub static FETCH: Operation = Operation {
    id: "git_fetch",
    // It changes nothing, whatever the method of HTTP.
    method: "get",
    path: "/{owner}/{repo}.git/git-upload-pack",
    documentation: DOCUMENTATION,
    cached: false,
    forms: &[],
    rule: Some(Rule {
        permission: read("contents"),
        scopes: &["repo"],
        ..Rule::OPEN
    }),
};

/// Pushes.
pub static PUSH: Operation = Operation {
    id: "git_push",
    method: "post",
    path: "/{owner}/{repo}.git/git-receive-pack",
    documentation: DOCUMENTATION,
    cached: false,
    forms: &[],
    rule: Some(Rule {
        permission: write("contents"),
        scopes: &["repo"],
        standing: Writer,
        ..Rule::TOKEN
    }),
};
