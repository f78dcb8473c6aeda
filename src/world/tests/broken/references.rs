//! References to nothing, and names that are taken.

use super::super::broken;

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
