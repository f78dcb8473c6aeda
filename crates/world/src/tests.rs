//! The world file from outside: the published example, the findings about broken variants of it,
//! and hostile texts, which must only be rejected.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;

use super::check::{ParsedWorld, read_file};
use super::file::{Author, TokenRepositories};
use super::stored::StoredRows;
use super::{Findings, World};
use storage::entities::membership::Role;
use storage::entities::repository::Visibility;
use storage::entities::token;

mod hostile;
mod written;

const EXAMPLE: &str = include_str!("tests/example.yaml");

/// Checks a text against an empty database.
fn check(name: &str, text: &str) -> Result<World, Findings> {
    ParsedWorld::read(name, text)?.checked(&StoredRows::default())
}

fn checked(text: &str) -> Result<World, Findings> {
    check("world.yaml", text)
}

fn lines(outcome: Result<World, Findings>) -> Vec<String> {
    outcome.map_or_else(|findings| findings.lines(), |_| Vec::new())
}

fn changed(old: &str, new: &str) -> String {
    assert_eq!(
        EXAMPLE.matches(old).count(),
        1,
        "{old:?} stands once in the example"
    );
    EXAMPLE.replacen(old, new, 1)
}

/// A change to the example.
#[derive(Deserialize)]
struct Case {
    change: String,
    to: String,
    says: Vec<String>,
}

#[test]
fn each_broken_variant_of_the_example_has_its_findings() {
    let text = include_str!("tests/broken.yaml");
    let topics: BTreeMap<String, Vec<Case>> = serde_saphyr::from_str(text).unwrap();
    let mut mismatches = Vec::new();
    for (topic, case) in topics
        .iter()
        .flat_map(|(topic, cases)| cases.iter().map(move |case| (topic, case)))
    {
        let findings = lines(checked(&changed(&case.change, &case.to)));
        let expected: Vec<String> = case
            .says
            .iter()
            .map(|line| format!("world.yaml:{line}"))
            .collect();
        if findings != expected {
            let (old, new) = (&case.change, &case.to);
            mismatches.push(format!("{topic}: {old:?} -> {new:?}: {findings:#?}"));
        }
    }
    assert!(mismatches.is_empty(), "{}", mismatches.join("\n"));
}

#[test]
fn the_published_example_is_a_world() {
    let world = checked(EXAMPLE).unwrap();
    assert_eq!(world.users.len(), 3);
    assert_eq!(world.organizations[0].members[0].role, Some(Role::Admin));
    let gadgets = &world.repositories[1];
    let visibility = gadgets
        .visibility
        .as_ref()
        .map(|visibility| visibility.value);
    assert_eq!(
        visibility.map(|visibility| visibility.stored),
        Some(Visibility::Public)
    );
    let git = gadgets.git.as_ref().unwrap();
    let commits = &git.commits.as_ref().unwrap().value;
    assert!(matches!(&commits[0].author, Some(Author::Login(login)) if login.value == "alice"));
    assert_eq!(commits[0].files[0].1, "one\ntwo\nthree\n");
    assert_eq!(commits[1].delete[0].value, "src/lib.rs");
    assert_eq!(git.refs[2].0.value, "refs/tags/v1");
    assert_eq!(world.projects[0].number.value.0, 1);
    assert_eq!(world.apps[0].events.len(), 2);
    let token = &world.tokens[1];
    assert_eq!(token.kind, token::TokenKind::FineGrained);
    assert!(
        matches!(&token.repositories, Some(TokenRepositories::Only(names)) if names.len() == 1)
    );
    assert_eq!(token.permissions[0].1.value, "write");
}

#[test]
fn request_bodies_keep_their_keys_and_lose_those_of_the_file() {
    let world = checked(EXAMPLE).unwrap();
    let field = &world.organizations[0].issue_fields[0];
    assert_eq!(
        field.request.json["options"][1],
        json!({"name": "Low", "color": "gray", "priority": 2})
    );
    let comments = &world.repositories[1].pulls[0].comments;
    assert_eq!(
        comments[0].request.json,
        json!({"path": "README.md", "line": 2, "side": "RIGHT", "body": "Why **2**?"})
    );
    assert_eq!(comments[1].request.json, json!({"body": "Shorter."}));
    assert_eq!(comments[1].in_reply_to.as_ref().unwrap().value, "first");
    let sprint = &world.projects[0].fields[1].request.json["iteration_configuration"];
    assert_eq!(*sprint, json!({"start_date": "2026-01-05", "duration": 14}));
}

#[test]
fn a_repository_needs_no_key_but_its_name() {
    let text = "users: [{login: a}]\nrepositories: [{full_name: a/b}, {full_name: a/c, git: {}}]\n";
    let world = checked(text).unwrap();
    assert!(world.repositories[0].visibility.is_none());
    assert!(world.repositories[0].git.is_none());
}

#[test]
fn what_a_request_is_refused_for_is_put_at_the_field_that_it_names() {
    let text = changed("color: gray, priority: 2", "color: grey, priority: 2")
        .replace("line: 2, side: RIGHT", "line: two, side: RIGHT");
    let findings = lines(checked(&text));
    let locations: Vec<&str> = findings
        .iter()
        .filter_map(|line| line.strip_prefix("world.yaml:")?.split(": ").next())
        .collect();
    assert_eq!(locations, ["17:9", "59:58"], "{findings:#?}");
}

#[test]
fn every_problem_is_reported_at_once_and_in_the_order_of_the_file() {
    let text = changed("{login: bob, role: member}", "{login: dave, role: boss}")
        .replace("user: alice, scopes", "user: eve, scope")
        .replace("site_admin: false", "site_admin: 1");
    assert_eq!(
        lines(checked(&text)),
        [
            "world.yaml:4:17: wrong value for `site_admin`; expected `true` or `false`, found the number `1`",
            "world.yaml:13:17: no user `dave`; expected the login of a user",
            "world.yaml:13:29: wrong value for `role`; expected `admin` or `member`, found `boss`",
            "world.yaml:98:27: no user `eve`; expected the login of a user",
            "world.yaml:98:32: unknown key `scope` in a classic token; expected `id`, `kind`, `user`, `scopes`, `description`, `value`, `expires_at` or `created_at`; did you mean `scopes`?",
        ]
    );
}

#[test]
fn an_alias_is_reported_where_it_is_written() {
    let text = "users:\n  - &a {login: alice}\n  - *a\n  - &b {login: bob, nme: x}\n";
    assert_eq!(
        lines(checked(text)),
        [
            "world.yaml:3:5: duplicate login `alice`; found the first on line 2",
            "world.yaml:4:21: unknown key `nme` in a user; expected `id`, `login`, `name`, `site_admin`, `mannequin` or `created_at`; did you mean `name`?",
        ]
    );
}

#[test]
fn replies_answer_comments_and_replies_and_have_a_body() {
    let reply = "{in_reply_to: first, author: bob, body: \"Shorter.\"}";
    let text = changed(
        reply,
        "{key: second, in_reply_to: first, author: bob}\n          - {in_reply_to: second, author: bob, body: x}",
    );
    assert_eq!(
        lines(checked(&text)),
        ["world.yaml:60:13: missing key `body` in a reply; expected text",]
    );
}

#[test]
fn a_tag_may_point_at_a_tag_above_it_alone() {
    let tag = "{name: v1, target: c1, message: Release one}";
    let above = changed(
        tag,
        &format!("{tag}\n        - {{name: v2, target: v1, message: Two}}"),
    );
    assert!(checked(&above).is_ok());
    let below = changed(
        tag,
        &format!("{{name: v2, target: v1, message: Two}}\n        - {tag}"),
    );
    assert_eq!(
        lines(checked(&below)),
        [
            "world.yaml:46:30: no commit or tag `v1`; expected the id of a commit or the name of a tag above; did you mean `c1`?"
        ]
    );
}

#[test]
fn files_are_followed_along_first_parents_and_branches_do_not_mix() {
    let git = |commits: &str| {
        format!(
            "users: [{{login: a}}]\nrepositories:\n  - full_name: a/b\n    git:\n      commits:\n{commits}"
        )
    };
    let good = git("        - {id: r, message: m, files: {x: '1', d/e: '2'}}
        - {id: l, message: m, delete: [d/e], files: {d: '3'}}
        - {id: m, message: m, parents: [r, l], delete: [d/e]}
        - {id: n, message: m, parents: [l], delete: [d, x]}
");
    assert_eq!(lines(checked(&good)), Vec::<String>::new());
    let bad = git("        - {id: r, message: m, files: {x: '1', d/e: '2'}}
        - {id: l, message: m, delete: [x], files: {d/e/f: '3'}}
        - {id: m, message: m, delete: [x]}
        - {id: n, message: m, parents: [r], files: {d: '4'}}
");
    assert_eq!(
        lines(checked(&bad)),
        [
            "world.yaml:7:52: `d/e` is both a file and a folder; expected one of the two",
            "world.yaml:8:40: no file `x` to delete; expected a file of the first parent",
            "world.yaml:9:53: `d` is both a file and a folder; expected one of the two",
        ]
    );
}

#[test]
fn files_that_git_reads_are_checked() {
    let world = r#"users: [{login: a}]
repositories:
  - full_name: a/b
    git:
      commits:
        - {id: r, message: m, files: {.gitmodules: "[submodule \"x\"]\nurl = ../x\n"}}
        - {id: s, message: m, files: {lib/.gitmodules: "[submodule \"x\"]\nurl = -x\n"}}
        - {id: t, message: m, files: {.gitattributes/x: "1"}}
"#;
    assert_eq!(
        lines(checked(world)),
        [
            "world.yaml:7:39: `lib/.gitmodules` has a submodule with an unsafe address; expected what Git accepts",
            "world.yaml:8:39: malformed path; expected a relative path with `/` between its parts, none of them empty, `.`, `..` or `.git`, found `.gitattributes/x`",
        ]
    );
}

#[test]
fn files_that_cannot_be_read_as_text_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let findings = |name: &str, bytes: Option<&[u8]>| {
        let path = folder.path().join(name);
        if let Some(bytes) = bytes {
            std::fs::write(&path, bytes).unwrap();
        }
        let name = path.display().to_string();
        let outcome = read_file(&path).and_then(|text| check(&name, &text));
        lines(outcome)
            .concat()
            .replace(&path.display().to_string(), "F")
    };
    assert_eq!(
        findings("good", Some("\u{feff}users: [{login: a}]".as_bytes())),
        ""
    );
    let absent = findings("absent", None);
    assert!(
        absent.starts_with("F:1:1: cannot read the file: "),
        "{absent}"
    );
    assert_eq!(
        findings("latin", Some(b"users:\n  - {login: a, name: Ren\xe9}\n")),
        "F:2:25: invalid UTF-8; expected a file in UTF-8"
    );
    assert_eq!(
        findings("large", Some(&vec![b'#'; 64 * 1024 * 1024 + 1])),
        "F:1:1: the file is too large; expected at most 64 MiB"
    );
    let empty =
        "the file is empty; expected a mapping with keys such as `users` and `repositories`";
    assert_eq!(
        findings("empty", Some(b"# nothing\n")),
        format!("F:1:1: {empty}")
    );
}

#[test]
fn only_a_public_rsa_key_is_a_key_of_an_app() {
    let start = EXAMPLE.find("-----BEGIN").unwrap();
    let key = &EXAMPLE[start..EXAMPLE.find("    permissions: {contents").unwrap()];
    let with = |pem: &str| lines(checked(&EXAMPLE.replacen(key, pem, 1))).concat();
    let malformed = |found: &str| {
        format!(
            "world.yaml:78:7: malformed `public_key`; expected a public RSA key in PEM, which starts with `-----BEGIN PUBLIC KEY-----`, found `{found}`"
        )
    };
    let elliptic = "-----BEGIN PUBLIC KEY-----
      MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEmHtJ+pn3InIWpcs2SYp3RWuDKh0j
      ih9uFIIjn2sNeyEBnK/q/jTFhP27dUbY3TgG67bRqcfVUi7Ui+GDLRZjmA==
      -----END PUBLIC KEY-----\n";
    assert_eq!(with(elliptic), malformed("-----BEGIN PUBLIC KEY-----"));
    assert_eq!(with("ssh-rsa AAAA\n"), malformed("ssh-rsa AAAA"));
    assert_eq!(
        with("-----BEGIN PRIVATE KEY-----\n      AAAA\n      -----END PRIVATE KEY-----\n"),
        "world.yaml:78:7: a private key; expected the public half alone, which `openssl rsa -pubout` writes"
    );
}
