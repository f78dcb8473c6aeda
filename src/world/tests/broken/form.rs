//! Text that is no YAML, keys that nobody knows, values of the wrong type.

use super::super::broken;

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
            "world.yaml:4:5: unknown key `siteadmin` in a user; expected `id`, `login`, `name`, `site_admin`, `mannequin` or `created_at`; did you mean `site_admin`?",
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
        "    visibility: secret\n    git",
        &[
            "world.yaml:32:17: wrong value for `visibility`; expected `public`, `private` or `internal`, found `secret`",
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
