//! The world for the measurements: a private repository with references and a pull request
//! with 30 comments (about 50 kB), a project with 30 fields, and an app installed on 30
//! selected repositories.

use std::fmt::Write;

pub const CLASSIC: &str = "ghp_bench_classic";
pub const INSTALLATION: &str = "ghs_bench_installation";
pub const REPOSITORY: &str = "/repos/acme/gadgets";

/// Lines of the commented file; the diff hunk of each comment contains some of them.
const LINES: usize = 40;

pub fn yaml() -> String {
    let mut text = String::from(
        "users: [{login: alice}]
organizations: [{login: acme, members: [{login: alice, role: member}]}]
repositories:
",
    );
    for number in 0..30 {
        repository(&mut text, number);
    }
    text.push_str("projects:\n  - {owner: acme, number: 1, title: Bench, fields: [");
    for number in 0..30 {
        let _ = write!(text, "{{name: Field {number}, data_type: text}}, ");
    }
    let _ = write!(
        text,
        "]}}
apps: [{{slug: ci, name: CI, owner: acme, permissions: {{contents: write, metadata: read}}}}]
installations:
  - {{app: ci, account: acme, repository_selection: selected, repositories: [{}]}}
tokens:
  - {{kind: classic, user: alice, scopes: [repo, project, \"read:org\", workflow], value: {CLASSIC}}}
  - {{kind: installation, app: ci, account: acme, expires_in: 864000, value: {INSTALLATION}}}
",
        (0..30).map(name).collect::<Vec<_>>().join(", ")
    );
    text
}

fn name(number: usize) -> String {
    match number {
        0 => "gadgets".to_owned(),
        _ => format!("widgets-{number}"),
    }
}

fn repository(text: &mut String, number: usize) {
    let _ = write!(
        text,
        "  - full_name: acme/{}
    visibility: private
    collaborators: [{{login: alice, permission: write}}]
    description: Something to measure
    git:
      commits:
        - {{id: c1, message: One, files: {{README.md: \"one\\n\"}}}}
        - {{id: c2, message: Two, files: {{src/lib.rs: \"{}\"}}}}
      refs: {{refs/heads/main: c1, refs/heads/topic: c2}}
",
        name(number),
        (0..LINES).map(line).collect::<String>()
    );
    if number == 0 {
        pulls(text);
    }
}

fn line(number: usize) -> String {
    format!("    let line_{number} = compute(&previous, {number}, Options::default());\\n")
}

/// Pull request 1 is for reads, pull request 2 for writes.
fn pulls(text: &mut String) {
    text.push_str(
        "    pulls:
      - {number: 2, title: Written, author: alice, base: main, head: topic}
      - number: 1
        title: Read
        author: alice
        base: main
        head: topic
        comments:
",
    );
    for number in 0..30 {
        let _ = writeln!(
            text,
            "          - {{author: alice, path: src/lib.rs, line: 8, side: RIGHT, body: \"Comment \
             {number}: should this not be computed **once**, before the loop? See `compute`.\"}}"
        );
    }
}
