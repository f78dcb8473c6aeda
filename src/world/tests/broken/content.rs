//! Histories, names and grants that the service could not hold.

use super::super::broken;

#[test]
fn histories_that_git_could_not_hold_are_refused() {
    broken(
        "src/lib.rs: \"fn",
        "/src/lib.rs: \"fn",
        &[
            "world.yaml:39:51: malformed path; expected a relative path with `/` between its parts, none of them empty, `.`, `..` or `.git`, found `/src/lib.rs`",
            "world.yaml:44:20: no file `src/lib.rs` to delete; expected a file of the first parent",
        ],
    );
    broken(
        "src/lib.rs: \"fn main() {}\\n\"}",
        "src/lib.rs: a, src: b, .git/config: c}",
        &[
            "world.yaml:39:66: `src` is both a file and a folder; expected one of the two",
            "world.yaml:39:74: malformed path; expected a relative path with `/` between its parts, none of them empty, `.`, `..` or `.git`, found `.git/config`",
        ],
    );
    broken(
        "delete: [src/lib.rs]",
        "delete: [src/lib.sr]",
        &[
            "world.yaml:44:20: no file `src/lib.sr` to delete; expected a file of the first parent; did you mean `src/lib.rs`?",
        ],
    );
    broken(
        "delete: [src/lib.rs]",
        "delete: [src]",
        &["world.yaml:44:20: `src` is a folder; expected the path of a file"],
    );
    broken(
        "parents: [c1]           #",
        "parents: []           #",
        &["world.yaml:44:20: no file `src/lib.rs` to delete; expected a file of the first parent"],
    );
    broken(
        "refs/heads/topic: c2",
        "refs/heads/to..pic: c2",
        &[
            "world.yaml:49:9: malformed reference; expected a full name that Git accepts, such as `refs/heads/main`, found `refs/heads/to..pic`",
            "world.yaml:56:15: no branch `topic`; expected a branch that `refs` names",
        ],
    );
    broken(
        "refs/heads/topic: c2",
        "refs/topic: c2\n        refs/heads/topic: c2",
        &[
            "world.yaml:49:9: malformed reference; expected a full name that Git accepts, such as `refs/heads/main`, found `refs/topic`",
        ],
    );
    broken(
        "refs/heads/topic: c2",
        "refs/heads/topic: c2\n        refs/heads/topic/a: c2",
        &[
            "world.yaml:50:9: `refs/heads/topic/a` lies below another reference; expected no reference inside another, found `refs/heads/topic` on line 49",
        ],
    );
    broken(
        "{name: v1,",
        "{name: c2,",
        &[
            "world.yaml:46:18: `c2` is a commit too; expected a tag name that is not the id of a commit",
            "world.yaml:50:23: no commit or tag `v1`; expected the id of a commit or the name of a tag; did you mean `c1`?",
        ],
    );
    broken(
        "      path: ../widgets.git ",
        "      path: ../widgets.git\n      commits: [] #",
        &[
            "world.yaml:31:16: both `path` and `commits`; expected exactly one of `path` and `commits`",
        ],
    );
    broken(
        "      path: ../widgets.git ",
        "      path: ../widgets.git\n      refs: {refs/heads/main: c1} #",
        &["world.yaml:31:14: `refs` beside `path`; expected them in the repository at `path`"],
    );
    broken(
        "author: alice           #",
        "author: {name: A <b>, email: a@example.org} #",
        &[
            "world.yaml:37:26: malformed name; expected text on one line without `<` and `>`, found `A <b>`",
        ],
    );
    broken(
        "head: topic",
        "head: main",
        &[
            "world.yaml:56:15: a pull request of a branch into itself; expected a branch other than `main`",
        ],
    );
    broken(
        "      path: ../widgets.git ",
        "      commits: []\n    pulls: [{number: 1, title: T, author: bob, base: a, head: b}] #",
        &[
            "world.yaml:31:54: no branch `a`; expected a repository with commits",
            "world.yaml:31:63: no branch `b`; expected a repository with commits",
        ],
    );
}

#[test]
fn names_of_a_form_that_cannot_be_are_refused() {
    broken(
        "  - login: bob\n",
        "  - login: bob\n  - login: a--b\n",
        &[
            "world.yaml:6:12: malformed login; expected letters, digits and single hyphens between them, at most 39 characters, found `a--b`",
        ],
    );
    broken(
        "full_name: acme/gadgets",
        "full_name: acme/gad gets",
        &[
            "world.yaml:31:16: malformed full name; expected `owner/name` with a name of letters, digits, `.`, `_` and `-`, at most 100 characters, not ending in `.git`, found `acme/gad gets`",
        ],
    );
    broken(
        "full_name: acme/gadgets",
        "full_name: gadgets",
        &[
            "world.yaml:31:16: malformed full name; expected `owner/name` with a name of letters, digits, `.`, `_` and `-`, at most 100 characters, not ending in `.git`, found `gadgets`",
        ],
    );
    broken(
        "description: Widgets",
        "topics: [Rust]",
        &[
            "world.yaml:25:14: malformed topic; expected lower-case letters, digits and hyphens, at most 50 characters, found `Rust`",
        ],
    );
    broken(
        "description: Widgets",
        "license: GNU v3",
        &[
            "world.yaml:25:14: malformed license; expected an SPDX id such as `MIT` or `Apache-2.0`, found `GNU v3`",
        ],
    );
    broken(
        "slug: ci-bot\n",
        "slug: CI Bot\n",
        &[
            "world.yaml:74:11: malformed slug; expected lower-case letters, digits and single hyphens between them, at most 34 characters, found `CI Bot`",
            "world.yaml:91:10: no app `ci-bot`; expected the slug of an app; did you mean `CI Bot`?",
            "world.yaml:101:38: no app `ci-bot`; expected the slug of an app; did you mean `CI Bot`?",
            "world.yaml:102:31: no app `ci-bot`; expected the slug of an app; did you mean `CI Bot`?",
        ],
    );
    broken(
        "user: alice, scopes",
        "user: alice, value: gh p, scopes",
        &[
            "world.yaml:98:41: malformed token value; expected 4 to 255 printable ASCII characters without spaces",
        ],
    );
    broken(
        "events: [push, pull_request]",
        "webhook: {url: example.org}",
        &[
            "world.yaml:88:20: malformed `url`; expected an address that starts with `https://` or `http://`, found `example.org`",
        ],
    );
    broken(
        "events: [push, pull_request]",
        "webhook: {url: 'http://[%=c]:8080'}",
        &[
            "world.yaml:88:20: malformed `url`; expected a host and perhaps a port and a path, as in `https://ci.example/hooks`, found `http://[%=c]:8080`",
        ],
    );
    broken(
        "title: Use a digit",
        "title: \" \"",
        &[
            "world.yaml:53:16: malformed title; expected text that is not blank, at most 1024 characters, found ` `",
        ],
    );
    broken(
        "users:\n",
        "version: 2\nusers:\n",
        &["world.yaml:1:10: unknown version of the format; expected `1`, found `2`"],
    );
}

#[test]
fn permissions_scopes_and_selections_are_those_of_the_service() {
    broken(
        "{pull_requests: write, contents: read}",
        "{pull_request: write, contents: read}",
        &[
            "world.yaml:99:89: unknown permission `pull_request`; expected `organization_projects`, `issue_fields`, `pull_requests`, `contents`, `workflows` or `metadata`; did you mean `pull_requests`?",
        ],
    );
    broken(
        "{pull_requests: write, contents: read}",
        "{pull_requests: admin, workflows: read}",
        &[
            "world.yaml:99:104: wrong level for `pull_requests`; expected `read` or `write`, found `admin`",
            "world.yaml:99:122: wrong level for `workflows`; expected `write`, found `read`",
        ],
    );
    broken(
        "{contents: write, pull",
        "{content: write, pull",
        &[
            "world.yaml:87:19: unknown permission `content`; expected a permission of an app; did you mean `contents`?",
        ],
    );
    broken(
        "metadata: read}",
        "metadata: wirte, organization_projects: admin}",
        &[
            "world.yaml:87:68: wrong level for `metadata`; expected `none`, `read` or `write`, found `wirte`; did you mean `write`?",
        ],
    );
    broken(
        "\"admin:org\"",
        "\"admin:orgs\"",
        &[
            "world.yaml:98:49: unknown scope `admin:orgs`; expected a scope of a classic token such as `repo`; did you mean `admin:org`?",
        ],
    );
    broken(
        "repository_selection: selected     #",
        "repository_selection: all     #",
        &[
            "world.yaml:94:19: `repositories` with `repository_selection: all`; expected `repository_selection: selected`, or no `repositories`",
        ],
    );
    broken(
        "    repositories: [widgets]            # with selected\n",
        "",
        &[
            "world.yaml:91:5: a selection without `repositories`; expected the names of one repository or more",
        ],
    );
    broken(
        "repositories: [widgets]            #",
        "repositories: []            #",
        &["world.yaml:94:19: an empty selection; expected the names of one repository or more"],
    );
    broken(
        "expires_in: 3600",
        "expires_in: 3600, expires_at: 2026-01-01T00:00:00Z",
        &["world.yaml:102:84: both `expires_in` and `expires_at`; expected at most one of them"],
    );
    broken(
        "events: [push, pull_request]",
        "generate_key: key.pem",
        &["world.yaml:88:19: both `public_key` and `generate_key`; expected at most one of them"],
    );
}

#[test]
fn what_nobody_could_use_is_refused() {
    broken(
        "full_name: acme/gadgets\n    visibility: public",
        "full_name: bob/gadgets\n    visibility: internal",
        &[
            "world.yaml:32:17: an internal repository of a user; expected `public` or `private`, or an organization as its owner",
        ],
    );
    broken(
        "  - login: bob\n",
        "  - {login: bob, mannequin: true}\n",
        &[
            "world.yaml:99:32: `bob` is a mannequin; expected a user who can sign in",
            "world.yaml:100:25: `bob` is a mannequin; expected a user who can sign in",
            "world.yaml:101:28: `bob` is a mannequin; expected a user who can sign in",
        ],
    );
    broken(
        "    suspended_by: alice ",
        "    single_file_paths: [../x] # ",
        &[
            "world.yaml:95:25: malformed path; expected a relative path with `/` between its parts, none of them empty, `.`, `..` or `.git`, found `../x`",
        ],
    );
}
