//! Git over HTTP: the access rules of fetches and pushes. The protocol is Git's own
//! (<https://git-scm.com/docs/http-protocol>), so the OpenAPI documents do not describe it.

use super::operation::{Documented, Operation, Rule};

/// GitHub's documentation of remote repositories.
const DOCUMENTATION: &str =
    "https://docs.github.com/get-started/git-basics/about-remote-repositories";

/// Clones and fetches.
pub static FETCH: Operation = Operation {
    id: "git_fetch",
    // A fetch only reads, whatever its HTTP method.
    method: "get",
    path: "/{owner}/{repo}.git/git-upload-pack",
    documentation: DOCUMENTATION,
    cached: false,
    unlimited: false,
    forms: &[],
    documented: Documented::NOWHERE,
    rule: Some(Rule::READ_REFS),
};

/// Pushes.
pub static PUSH: Operation = Operation {
    id: "git_push",
    method: "post",
    path: "/{owner}/{repo}.git/git-receive-pack",
    documentation: DOCUMENTATION,
    cached: false,
    unlimited: false,
    forms: &[],
    documented: Documented::NOWHERE,
    rule: Some(Rule::WRITE_GIT),
};
