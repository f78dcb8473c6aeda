//! One change to the example, and exactly what is said about it. Line numbers are
//! those of `example.yaml`.

use super::broken;

#[test]
fn text_that_is_not_yaml_is_refused_where_it_stops_being_yaml() {
    broken(
        "members:\n      - {login: alice, role: admin}",
        "members:\n      - {login: alice, role: admin",
        &["world.yaml:13:7: not valid YAML: \"-\" is only valid inside a block"],
    );
    broken(
        "  - login: bob\n",
        "  - login: bob\n     name: Bob\n",
        &["world.yaml:6:10: not valid YAML: mapping values are not allowed in this context"],
    );
    broken(
        "name: Alice Liddell",
        "name: \"Alice Liddell",
        &["world.yaml:4:5: not valid YAML: invalid indentation in multiline quoted scalar"],
    );
    broken(
        "    site_admin: false",
        "    site_admin: false\n    site_admin: true",
        &["world.yaml:5:5: duplicate key `site_admin`; expected each key once in a mapping"],
    );
    broken(
        "author: bob\n        base",
        "author: *bob\n        base",
        &["world.yaml:54:17: not valid YAML: alias references unknown anchor"],
    );
    broken(
        "site_admin: false",
        "site_admin: !secret false",
        &["world.yaml:4:25: not valid YAML: unsupported tag `!secret`"],
    );
    broken(
        "projects:\n",
        "---\nprojects:\n",
        &["world.yaml:63:1: a second document; expected one YAML document in a file"],
    );
}

#[test]
fn unknown_keys_are_refused_in_every_record() {
    broken(
        "users:\n",
        "user:\n",
        &[
            "world.yaml:1:1: unknown key `user` in a world; expected `version`, `users`, `organizations`, `repositories`, `projects`, `apps`, `installations` or `tokens`; did you mean `users`?",
        ],
    );
    broken(
        "site_admin: false",
        "siteadmin: false",
        &[
            "world.yaml:4:5: unknown key `siteadmin` in a user; expected `id`, `login`, `name`, `site_admin` or `created_at`; did you mean `site_admin`?",
        ],
    );
    broken(
        "{login: bob, role: member}",
        "{login: bob, rôle: member}",
        &[
            "world.yaml:13:22: unknown key `rôle` in a member; expected `login` or `role`; did you mean `role`?",
        ],
    );
    broken(
        "{name: Low, color: gray, priority: 2}",
        "{name: Low, colour: gray, priority: 2}",
        &[
            "world.yaml:19:25: unknown key `colour` in an option of an issue field; expected `name`, `description`, `color` or `priority`; did you mean `color`?",
        ],
    );
    broken(
        "description: Widgets",
        "descripton: Widgets",
        &[
            "world.yaml:25:5: unknown key `descripton` in a repository; expected one of its 33 keys; did you mean `description`?",
        ],
    );
    broken(
        "message: First",
        "message: First\n          mesage: Again",
        &[
            "world.yaml:37:11: unknown key `mesage` in a commit; expected `id`, `parents`, `message`, `author`, `date`, `files` or `delete`; did you mean `message`?",
        ],
    );
    broken(
        "line: 2, side",
        "lin: 2, side",
        &[
            "world.yaml:59:58: unknown key `lin` in a review comment; expected `id`, `key`, `author`, `created_at`, `in_reply_to`, `body`, `commit_id`, `path`, `position`, `side`, `line`, `start_line`, `start_side` or `subject_type`; did you mean `line`?",
        ],
    );
    broken(
        "duration: 14}",
        "duration: 14, iterations: [{tittle: One, start_date: 2026-01-05, duration: 7}]}",
        &[
            "world.yaml:71:87: unknown key `tittle` in an iteration; expected `title`, `start_date` or `duration`; did you mean `title`?",
        ],
    );
    broken(
        "user: alice, scopes: [repo",
        "user: alice, permissions: {}, scopes: [repo",
        &[
            "world.yaml:98:34: unknown key `permissions` in a classic token; expected `id`, `kind`, `user`, `scopes`, `description`, `value`, `expires_at` or `created_at`",
        ],
    );
    broken(
        "app: ci-bot, account: acme, expires_in",
        "app: ci-bot, user: bob, account: acme, expires_in",
        &[
            "world.yaml:102:39: unknown key `user` in an installation token; expected `id`, `kind`, `app`, `account`, `description`, `value`, `expires_in`, `expires_at` or `created_at`",
        ],
    );
    broken(
        "kind: app_user, user: bob",
        "kind: appuser, user: bob",
        &[
            "world.yaml:101:12: wrong value for `kind`; expected `classic`, `fine_grained`, `oauth`, `app_user` or `installation`, found `appuser`; did you mean `app_user`?",
        ],
    );
    broken(
        "{kind: app_user, user: bob, app: ci-bot}",
        "{user: bob, app: ci-bot}",
        &[
            "world.yaml:101:5: a token without `kind`; expected the key `kind`, found only `user`, `app`",
        ],
    );
}

#[test]
fn values_of_the_wrong_type_are_refused_at_the_value() {
    broken(
        "site_admin: false",
        "site_admin: yes",
        &[
            "world.yaml:4:17: wrong value for `site_admin`; expected `true` or `false`, found `yes`; did you mean `true`?",
        ],
    );
    broken(
        "title: Roadmap",
        "title: 2026",
        &[
            "world.yaml:65:12: wrong value for `title`; expected text, found the number `2026`; did you mean `\"2026\"`?",
        ],
    );
    broken(
        "    number: 1\n    title",
        "    number: one\n    title",
        &[
            "world.yaml:64:13: wrong value for `number`; expected a whole number of at least 1, found `one`",
        ],
    );
    broken(
        "      - number: 1\n",
        "      - number: 0\n",
        &[
            "world.yaml:52:17: wrong value for `number`; expected a whole number of at least 1, found the number `0`",
        ],
    );
    broken(
        "date: 2026-01-02T03:04:05Z",
        "date: 2026-02-30T03:04:05Z",
        &[
            "world.yaml:38:17: wrong value for `date`; expected a time since 1970 such as `2026-01-02T03:04:05Z`, found `2026-02-30T03:04:05Z`",
        ],
    );
    broken(
        "date: 2026-01-02T03:04:05Z",
        "date: 1969-12-31T23:59:59Z",
        &[
            "world.yaml:38:17: wrong value for `date`; expected a time since 1970 such as `2026-01-02T03:04:05Z`, found `1969-12-31T23:59:59Z`",
        ],
    );
    broken(
        "events: [push, pull_request]",
        "events: push",
        &["world.yaml:88:13: wrong value for `events`; expected a list, found `push`"],
    );
    broken(
        "users:\n  - login: alice ",
        "users:\n  - alice\n  - login: alice ",
        &["world.yaml:2:5: wrong value for `users`; expected a user: a mapping, found `alice`"],
    );
    broken(
        "    visibility: public\n    git",
        "    visibility: internal\n    git",
        &[
            "world.yaml:32:17: wrong value for `visibility`; expected `public` or `private`, found `internal`",
        ],
    );
    broken(
        "base_permission: read ",
        "base_permission: reed ",
        &[
            "world.yaml:10:22: wrong value for `base_permission`; expected `none`, `read`, `write` or `admin`, found `reed`; did you mean `read`?",
        ],
    );
    broken(
        "state: open ",
        "state: Open ",
        &[
            "world.yaml:57:16: wrong value for `state`; expected `open`, `closed` or `merged`, found `Open`; did you mean `open`?",
        ],
    );
    broken(
        "permission: write}",
        "permission: push}",
        &[
            "world.yaml:28:36: wrong value for `permission`; expected `read`, `triage`, `write`, `maintain` or `admin`, found `push`",
        ],
    );
    broken(
        "files: {README.md: \"one\\n2\\nthree\\n\"}",
        "files: [README.md]",
        &["world.yaml:43:18: wrong value for `files`; expected a mapping, found a list"],
    );
    broken(
        "repositories: [widgets], permissions",
        "repositories: some, permissions",
        &[
            "world.yaml:99:64: wrong value for `repositories`; expected `all`, `public` or a list of names, found `some`",
        ],
    );
    broken(
        "    title: Roadmap\n",
        "",
        &[
            "world.yaml:63:5: a project without `title`; expected the key `title`, found only `owner`, `number`, `visibility`, `fields`",
        ],
    );
    broken(
        "  - {kind: app_user, user: bob, app: ci-bot}",
        "  - {}",
        &["world.yaml:101:5: a token without `kind`; expected the key `kind`, found no keys"],
    );
    broken(
        "        - id: c1                  # a name for use in this file\n          message",
        "        - message",
        &[
            "world.yaml:35:11: a commit without `id`; expected the key `id`, found only `message`, `author`, `date`, `files`",
        ],
    );
    broken(
        "    owner: acme\n    client",
        "    client",
        &[
            "world.yaml:74:5: an app without `owner`; expected the key `owner`, found only `slug`, `client_id`, `public_key`, `permissions`, `events`",
        ],
    );
    broken(
        "  - login: bob\n",
        "  - login:\n",
        &[
            "world.yaml:5:5: a user without `login`; expected the key `login`, found it without a value",
        ],
    );
    broken(
        "description: Widgets",
        "id: 9223372036854775808",
        &[
            "world.yaml:25:9: wrong value for `id`; expected a whole number of at least 1, found the number `9223372036854775808`",
        ],
    );
    broken(
        "description: Widgets",
        "stargazers_count: -1",
        &[
            "world.yaml:25:23: wrong value for `stargazers_count`; expected a whole number of at least 0, found the number `-1`",
        ],
    );
}

#[test]
fn references_to_nothing_name_the_nearest_word() {
    broken(
        "{login: bob, role: member}",
        "{login: bbo, role: member}",
        &["world.yaml:13:17: no user `bbo`; expected the login of a user; did you mean `bob`?"],
    );
    broken(
        "{login: bob, role: member}",
        "{login: acme, role: member}",
        &["world.yaml:13:17: `acme` is an organization; expected the login of a user"],
    );
    broken(
        "{login: carol, permission",
        "{login: Acme, permission",
        &["world.yaml:28:17: `Acme` is an organization; expected the login of a user"],
    );
    broken(
        "full_name: acme/gadgets",
        "full_name: acne/gadgets",
        &[
            "world.yaml:31:16: no account `acne`; expected the login of a user or of an organization; did you mean `acme`?",
        ],
    );
    broken(
        "parents: [c1]",
        "parents: [c0]",
        &[
            "world.yaml:41:21: no commit `c0`; expected the id of a commit above; did you mean `c1`?",
        ],
    );
    broken(
        "parents: [c1]",
        "parents: [c2]",
        &["world.yaml:41:21: the commit `c2` is not above; expected the id of a commit above"],
    );
    broken(
        "author: alice           #",
        "author: alicia #",
        &[
            "world.yaml:37:19: no user `alicia`; expected the login of a user; did you mean `alice`?",
        ],
    );
    broken(
        "target: c1",
        "target: c3",
        &[
            "world.yaml:46:30: no commit or tag `c3`; expected the id of a commit or the name of a tag above; did you mean `c1`?",
        ],
    );
    broken(
        "refs/heads/topic: c2",
        "refs/heads/topic: c22",
        &[
            "world.yaml:49:27: no commit or tag `c22`; expected the id of a commit or the name of a tag; did you mean `c2`?",
        ],
    );
    broken(
        "refs/heads/topic: c2",
        "refs/heads/topic: v1",
        &["world.yaml:49:27: the branch `refs/heads/topic` at a tag; expected the id of a commit"],
    );
    broken(
        "head: topic",
        "head: tpoic",
        &[
            "world.yaml:56:15: no branch `tpoic`; expected a branch that `refs` names; did you mean `topic`?",
        ],
    );
    broken(
        "author: bob\n        base",
        "author: acme\n        base",
        &["world.yaml:54:17: `acme` is an organization; expected the login of a user"],
    );
    broken(
        "in_reply_to: first",
        "in_reply_to: frist",
        &[
            "world.yaml:60:27: no comment `frist`; expected the key of a comment above in the same pull request; did you mean `first`?",
        ],
    );
    broken(
        "path: README.md, line",
        "commit_id: c9, path: README.md, line",
        &[
            "world.yaml:59:52: no commit `c9`; expected the id of a commit above or a SHA-1; did you mean `c1`?",
        ],
    );
    broken(
        "description: Widgets",
        "template: acme/gadgts",
        &[
            "world.yaml:25:15: no repository `acme/gadgts`; expected the full name of a repository; did you mean `acme/gadgets`?",
        ],
    );
    broken(
        "owner: acme                   # a user",
        "owner: acmee                   # a user",
        &[
            "world.yaml:63:12: no account `acmee`; expected the login of a user or of an organization; did you mean `acme`?",
        ],
    );
    broken(
        "  - app: ci-bot\n",
        "  - app: ci-bto\n",
        &[
            "world.yaml:91:10: no app `ci-bto`; expected the slug of an app; did you mean `ci-bot`?",
            "world.yaml:102:48: the app `ci-bot` is not installed on `acme`; expected an account with an installation of `ci-bot`",
        ],
    );
    broken(
        "    account: acme\n",
        "    account: nobody-at-all\n",
        &[
            "world.yaml:92:14: no account `nobody-at-all`; expected the login of a user or of an organization",
            "world.yaml:94:20: no repository `widgets`; expected the name of a repository of `nobody-at-all`",
            "world.yaml:102:48: the app `ci-bot` is not installed on `acme`; expected an account with an installation of `ci-bot`",
        ],
    );
    broken(
        "repositories: [widgets]            #",
        "repositories: [wigdets]            #",
        &[
            "world.yaml:94:20: no repository `wigdets`; expected the name of a repository of `acme`; did you mean `widgets`?",
        ],
    );
    broken(
        "repositories: [widgets]            #",
        "repositories: [carol/widgets]            #",
        &[
            "world.yaml:94:20: `carol/widgets` belongs to `carol`; expected the name of a repository of `acme`",
        ],
    );
    broken(
        "suspended_by: alice",
        "suspended_by: acme",
        &["world.yaml:95:19: `acme` is an organization; expected the login of a user"],
    );
    broken(
        "user: alice, scopes",
        "user: ailce, scopes",
        &["world.yaml:98:27: no user `ailce`; expected the login of a user; did you mean `alice`?"],
    );
    broken(
        "owner: acme, repositories: [widgets]",
        "owner: acme, repositories: [gizmos]",
        &["world.yaml:99:65: no repository `gizmos`; expected the name of a repository of `acme`"],
    );
    broken(
        "user: bob, app: ci-bot",
        "user: bob, app: cibot",
        &["world.yaml:101:38: no app `cibot`; expected the slug of an app; did you mean `ci-bot`?"],
    );
    broken(
        "app: ci-bot, account: acme, expires_in",
        "app: ci-bot, account: alice, expires_in",
        &[
            "world.yaml:102:48: the app `ci-bot` is not installed on `alice`; expected an account with an installation of `ci-bot`",
        ],
    );
    broken(
        "    default_branch: main\n    description: Widgets",
        "    default_branch: ../main\n    description: Widgets",
        &[
            "world.yaml:24:21: malformed branch name; expected a branch name that Git accepts, such as `main`, found `../main`",
        ],
    );
    broken(
        "    visibility: public\n    git",
        "    default_branch: mian\n    git",
        &[
            "world.yaml:32:21: no branch `mian`; expected a branch that `refs` names; did you mean `main`?",
        ],
    );
}

#[test]
fn what_must_be_unique_is_refused_the_second_time() {
    broken(
        "  - login: carol\n",
        "  - login: ALICE\n  - login: carol\n",
        &["world.yaml:6:12: duplicate login `ALICE`; expected it once, found it on line 2 already"],
    );
    broken(
        "  - login: acme\n",
        "  - login: Bob\n  - login: acme\n",
        &["world.yaml:9:12: duplicate login `Bob`; expected it once, found it on line 5 already"],
    );
    broken(
        "{login: bob, role: member}",
        "{login: Alice, role: member}",
        &[
            "world.yaml:13:17: duplicate member `Alice`; expected it once, found it on line 12 already",
        ],
    );
    broken(
        "full_name: acme/gadgets",
        "full_name: Acme/Widgets",
        &[
            "world.yaml:31:16: duplicate repository `Acme/Widgets`; expected it once, found it on line 22 already",
        ],
    );
    broken(
        "        - id: c2\n",
        "        - id: c1\n",
        &[
            "world.yaml:40:15: duplicate commit `c1`; expected it once, found it on line 35 already",
            "world.yaml:49:27: no commit or tag `c2`; expected the id of a commit or the name of a tag; did you mean `c1`?",
        ],
    );
    broken(
        "projects:\n",
        "projects:\n  - {owner: Acme, number: 1, title: Again}\n",
        &[
            "world.yaml:65:13: duplicate project `acme#1`; expected it once, found it on line 63 already",
        ],
    );
    broken(
        "apps:\n",
        "apps:\n  - {slug: ci-bot, owner: acme, client_id: Iv23demo}\n",
        &[
            "world.yaml:75:11: duplicate app `ci-bot`; expected it once, found it on line 74 already",
            "world.yaml:77:16: duplicate client id `Iv23demo`; expected it once, found it on line 74 already",
        ],
    );
    broken(
        "user: alice, scopes",
        "user: alice, value: ghp_same}\n  - {kind: classic, value: ghp_same, user: alice, scopes",
        &[
            "world.yaml:99:28: duplicate token value `ghp_…`; expected it once, found it on line 98 already",
        ],
    );
    broken(
        "  - login: bob\n",
        "  - {login: bob, id: 7}\n  - {login: dave, id: 7}\n",
        &[
            "world.yaml:6:23: duplicate account id `7`; expected it once, found it on line 5 already",
        ],
    );
    broken(
        "{in_reply_to: first, author",
        "{key: first, path: a, line: 1, author",
        &[
            "world.yaml:60:19: duplicate comment key `first`; expected it once, found it on line 59 already",
        ],
    );
    broken(
        "{name: Notes, data_type: text}",
        "{name: sprint, data_type: text}",
        &[
            "world.yaml:69:15: duplicate field `Sprint`; expected it once, found it on line 68 already",
        ],
    );
    broken(
        "    pulls:\n",
        "    pulls:\n      - {number: 1, title: Early, author: bob, base: main, head: topic}\n",
        &[
            "world.yaml:53:17: duplicate pull request `#1`; expected it once, found it on line 52 already",
        ],
    );
    broken(
        "installations:\n",
        "installations:\n  - {app: ci-bot, account: ACME}\n",
        &[
            "world.yaml:92:10: duplicate installation `ci-bot on acme`; expected it once, found it on line 91 already",
        ],
    );
}

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
            "world.yaml:87:68: wrong level for `metadata`; expected `read` or `write`, found `wirte`; did you mean `write`?",
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
