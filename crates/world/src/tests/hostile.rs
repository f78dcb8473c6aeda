//! Texts that try to break the parser: bombs, deep nesting, giants and noise. Each must be
//! rejected or read, quickly, and every finding must be one line.

use std::fmt::Write as _;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cpu_time::ThreadTime;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use super::{EXAMPLE, checked, lines};

/// A generous limit for the processor time of a debug build.
const LIMIT: Duration = Duration::from_secs(60);

fn said_in_good_time(text: &str) -> Vec<String> {
    let start = ThreadTime::now();
    let lines = lines(checked(text));
    assert!(start.elapsed() < LIMIT, "took {:?}", start.elapsed());
    lines
}

#[test]
fn aliases_cannot_multiply_without_end() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let below = format!("*a{}", level - 1);
        let ten = [below.as_str(); 10].join(", ");
        writeln!(bomb, "a{level}: &a{level} [{ten}]").unwrap();
    }
    assert_eq!(
        said_in_good_time(&bomb),
        [
            "world.yaml:6:10: aliases expand to too many values; expected at most 200000 values through aliases"
        ]
    );
    assert_eq!(
        said_in_good_time("users: &a [*a]"),
        [
            "world.yaml:1:12: an alias inside its own anchor; expected an alias after the end of its anchor"
        ]
    );
}

#[test]
fn towers_of_brackets_and_of_lists_are_cut_off() {
    assert_eq!(
        said_in_good_time(&"- ".repeat(100_000)),
        [
            "world.yaml:1:65: the file is too deep or too long (Depth { depth: 33 }); expected at most 32 levels and 1000000 values"
        ]
    );
    for tower in [
        "[", "{a: ", "{? ", "- - [", "? ", "&a [", "!!seq [", "{<<: ",
    ] {
        let lines = said_in_good_time(&tower.repeat(50_000));
        assert_eq!(lines.len(), 1, "{tower} {lines:?}");
    }
}

#[test]
fn a_key_of_nested_sequences_does_not_overflow_the_stack() {
    let mut der: Vec<u8> = Vec::new();
    while der.len() < 3_000 {
        let mut outer = vec![0x30, 0x82, (der.len() >> 8) as u8, (der.len() & 0xff) as u8];
        outer.append(&mut der);
        der = outer;
    }
    let pem = STANDARD.encode(der);
    let text = format!(
        "users: [{{login: a}}]\napps: [{{slug: b, owner: a, public_key: \"-----BEGIN PUBLIC KEY-----\\n{pem}\\n-----END PUBLIC KEY-----\\n\"}}]"
    );
    let lines = said_in_good_time(&text);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(
        lines[0].starts_with("world.yaml:2:40: malformed `public_key`"),
        "{lines:?}"
    );
}

#[test]
fn a_long_history_costs_its_changes_and_not_its_square() {
    let mut text = String::from(
        "users: [{login: a}]\nrepositories:\n  - full_name: a/b\n    git:\n      commits:\n",
    );
    for commit in 0..20_000 {
        writeln!(
            text,
            "        - {{id: c{commit}, message: m, files: {{d/f{commit}: x}}}}"
        )
        .unwrap();
    }
    assert_eq!(said_in_good_time(&text), Vec::<String>::new());
}

#[test]
fn a_flood_of_problems_is_counted_and_not_kept() {
    let mut text = String::from("users:\n");
    for user in 0..20_000 {
        writeln!(text, "  - {{login: user{user}, nmae: x}}").unwrap();
    }
    let lines = said_in_good_time(&text);
    assert_eq!(lines.len(), 1_001);
    assert_eq!(lines.last().unwrap(), "world.yaml: 19000 more problems");
}

#[test]
fn long_and_strange_values_stay_on_one_short_line() {
    let name = format!("a\\n\\u2028\\e[31m{}", "é".repeat(500));
    let lines = said_in_good_time(&format!("users: [{{login: \"{name}\"}}]"));
    assert_eq!(lines.len(), 1);
    assert!(lines[0].chars().count() < 200, "{lines:?}");
    assert!(
        lines[0].contains("`a\\n\\u{2028}\\u{1b}[31méé"),
        "{lines:?}"
    );
}

#[test]
fn random_changes_of_the_example_are_read_or_refused_in_lines() {
    const PIECES: &[&str] = &[
        "\n", " ", "  ", "\t", ":", ": ", "-", "- ", "{", "}", "[", "]", ",", "\"", "'", "#",
        "&a ", "*a", "!!str ", "!x ", "|", ">", "?", "? ", "%", "---\n", "...\n", "<<: ", "~",
        "null", "true", "1", "-1", "1e999", ".nan", "0x", "é", "\u{feff}", "\0", "\u{2028}", "\\",
        "alice", "login: ", "id: 1", "c1", "refs/", "..", "/",
    ];
    let mut random = StdRng::seed_from_u64(20_260_102);
    let mut rejected = 0;
    for _ in 0..2_000 {
        let mut characters: Vec<char> = EXAMPLE.chars().collect();
        for _ in 0..random.random_range(1..6) {
            let at = random.random_range(0..characters.len());
            let end = (at + random.random_range(0..12)).min(characters.len());
            let piece = PIECES.choose(&mut random).unwrap();
            match random.random_range(0..4) {
                0 => drop(characters.splice(at..end, [])),
                1 => drop(characters.splice(at..end, piece.chars())),
                2 => drop(characters.splice(at..at, piece.chars())),
                _ => {
                    let copy: Vec<char> = characters[at..end].to_vec();
                    let to = random.random_range(0..characters.len());
                    drop(characters.splice(to..to, copy));
                }
            }
        }
        let text: String = characters.into_iter().collect();
        let lines = lines(checked(&text));
        rejected += usize::from(!lines.is_empty());
        for line in &lines {
            let location = line.strip_prefix("world.yaml:").unwrap();
            let mut parts = location.splitn(3, ':');
            let row: usize = parts.next().unwrap().parse().unwrap();
            let column: usize = parts.next().unwrap().parse().unwrap();
            assert!(row >= 1 && row <= text.split('\n').count() + 1, "{line}");
            assert!(column >= 1, "{line}");
            assert!(!line.chars().any(char::is_control), "{line:?}");
        }
    }
    assert!(rejected > 1_000, "only {rejected} of 2000 changes mattered");
}

#[test]
fn the_parents_and_the_people_of_a_commit_are_limited() {
    let ids: Vec<String> = (0..257).map(|number| format!("c{number}")).collect();
    let mut text = String::from("users: [{login: a}]\nrepositories:\n");
    text += "  - full_name: a/b\n    git:\n      commits:\n";
    for id in &ids {
        writeln!(text, "        - {{id: {id}, message: m}}").unwrap();
    }
    let (parents, name) = (ids.join(", "), "n".repeat(1025));
    writeln!(
        text,
        "        - {{id: last, message: m, parents: [{parents}], author: {{name: {name}, email: e}}}}"
    )
    .unwrap();
    text += "      refs: {refs/heads/main: last}\n";
    let lines = said_in_good_time(&text);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(
        lines
            .iter()
            .any(|line| line.contains("too many parents; expected at most 256"))
    );
    assert!(
        lines
            .iter()
            .any(|line| line.contains("malformed name; expected text on one line"))
    );
}
