//! Property tests of rules, and of the fuzz targets with inputs composed of meaningful pieces:
//! random bytes seldom get past the first character. The cases are the same in every run; the
//! fuzzer finds new ones.

use std::collections::{BTreeMap, BTreeSet};

use contract::body::read;
use contract::issue_fields::UpdateIssueField;
use contract::paging::Page;
use forge::issue_fields::rules::revise;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};
use storage::entities::issue_field::{self, FieldVisibility, IssueFieldDataType};
use storage::entities::issue_field_option::{self, IssueFieldOptionColor};

use super::targets;

/// Fewer than `most` pieces, concatenated.
fn composed_of(
    pieces: &'static [&'static str],
    most: usize,
) -> impl Strategy<Value = String> + use<> {
    vec(select(pieces), 0..most).prop_map(|pieces| pieces.concat())
}

const NAMES: &[&str] = &[
    "refs/", "heads/", "tags/", "/", "a", "ü", ".", "..", ".lock", "@", "@{", "{", " ", "~", "^",
    ":", "?", "*", "[", "\\", "-", "\u{7f}", "\n", "HEAD",
];
const LINES: &[&str] = &[
    "a\n",
    "b\n",
    "a",
    "\n",
    "\r\n",
    "{\n",
    "}\n",
    "fn x() {\n",
    "\0",
];
const MARKDOWN: &[&str] = &[
    "@alice",
    "@bob",
    " ",
    "\n",
    "\n\n",
    "> ",
    "- ",
    "- [x] ",
    "1. ",
    "# ",
    "`",
    "```\n",
    "*",
    "**",
    "_",
    "~~",
    "[",
    "]",
    "](",
    ")",
    "!",
    "<b>",
    "</b>",
    "<script>",
    "</script>",
    "<svg>",
    "<style>",
    "<img src=x onerror=1>",
    "<a href=\"/x\">",
    "</a>",
    "javascript:1",
    "https://a.test/",
    "|",
    "|-|",
    "&lt;",
    "&#0;",
    "\"",
    "'",
    "<!--",
    "-->",
    "<math>",
    "<table>",
    "<p",
    ">",
    "a",
];
const RANGES: &[&str] = &[
    "application/",
    "json",
    "vnd.x",
    ".",
    "raw",
    "text",
    "html",
    "full",
    "+json",
    "*/*",
    "text/*",
    ",",
    ";",
    "q=",
    "Q=",
    "0",
    "0.5",
    "1",
    " ",
    "nan",
    "v3",
    "-commitcomment",
];
const TAGS: &[&str] = &["\"", "a", "W/", "*", ",", " ", ";"];
const QUERIES: &[&str] = &[
    "page=",
    "per_page=",
    "after=",
    "before=",
    "&",
    "1",
    "2",
    "99999999999999999999",
    "x=",
    "%0a",
    ",",
    ";",
    "\0",
    "-",
    "%22",
    "é",
];
const PATHS: &[&str] = &[
    "/repos/o/r/git/",
    "ref",
    "refs",
    "matching-refs",
    "/",
    "heads",
    "/api/v3",
    "%2F",
    "?",
    "a",
    "=",
    "\0",
    "host",
    ":",
    "\"",
    "..",
];
const WORLDS: &[&str] = &[
    "users:\n",
    "  - login: ",
    "alice\n",
    "  - {id: 1, login: bob}\n",
    "organizations:\n",
    "    members: [{login: alice, role: admin}]\n",
    "repositories:\n",
    "  - full_name: acme/a\n",
    "    visibility: private\n",
    "tokens:\n",
    "  - {kind: classic, user: alice, scopes: [repo]}\n",
    "&a ",
    "*a\n",
    "[",
    "]",
    "{",
    "}",
    ": ",
    "- ",
    "null\n",
    "!!binary ",
    "\t",
    "\u{0}",
    "|\n",
    "#\n",
    "---\n",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

    #[test]
    fn ref_names_of_pieces(text in composed_of(NAMES, 8)) {
        targets::run("ref_names", text.as_bytes());
        targets::run("ref_names", format!("refs/heads/{text}").as_bytes());
    }

    #[test]
    fn diffs_of_pieces(text in composed_of(LINES, 40)) {
        targets::run("diffs", text.as_bytes());
    }

    #[test]
    fn comments_of_pieces(text in composed_of(MARKDOWN, 25)) {
        targets::run("comments", text.as_bytes());
        targets::run("inline", text.as_bytes());
    }

    #[test]
    fn headers_of_pieces(accept in composed_of(RANGES, 12), tags in composed_of(TAGS, 8)) {
        targets::run("accept", accept.as_bytes());
        targets::run("if_none_match", tags.as_bytes());
    }

    #[test]
    fn addresses_of_pieces(query in composed_of(QUERIES, 10), path in composed_of(PATHS, 10)) {
        targets::run("links", query.as_bytes());
        targets::run("request_paths", path.as_bytes());
    }

    #[test]
    fn worlds_of_pieces(text in composed_of(WORLDS, 15)) {
        targets::run("world_files", text.as_bytes());
    }

    /// Consecutive pages cover a list without gaps or overlaps.
    #[test]
    fn pages_partition_a_list(total in 0_u64..1000, per_page in 1_u64..=100) {
        let mut next = 0;
        for number in 1..=total.div_ceil(per_page) {
            let page = Page { per_page, number };
            prop_assert_eq!(page.skipped(), next);
            next = total.min(next + per_page);
        }
        prop_assert_eq!(next, total);
    }

    /// Spec, Issue fields, rules for update `options`: the array replaces the set.
    #[test]
    fn an_update_keeps_exactly_the_listed_options(
        existing in 0_i64..6,
        wanted in vec((prop::option::of(0_i64..8), 0_usize..6), 0..6),
    ) {
        let before: Vec<_> = (0..existing).map(option).collect();
        let listed: Vec<Value> = wanted
            .iter()
            .map(|(id, name)| {
                let mut option = json!({"name": format!("n{name}"), "color": "red", "priority": 1});
                if let Some(id) = id {
                    option["id"] = json!(id);
                }
                option
            })
            .collect();
        let body: UpdateIssueField = read(json!({"options": listed})).unwrap();
        let ids: Vec<_> = wanted.iter().filter_map(|(id, _)| *id).collect();
        let names: BTreeSet<_> = wanted.iter().map(|(_, name)| *name).collect();
        let valid = !wanted.is_empty()
            && ids.iter().collect::<BTreeSet<_>>().len() == ids.len()
            && ids.iter().all(|id| *id < existing)
            && names.len() == wanted.len();
        let revision = revise(&field(), &before, body);
        prop_assert_eq!(revision.is_ok(), valid);
        let Ok(revision) = revision else { return Ok(()) };
        let mut after: BTreeMap<i64, String> =
            before.iter().map(|option| (option.id, option.name.clone())).collect();
        after.retain(|id, _| !revision.removed.contains(id));
        for (id, draft) in &revision.changed {
            prop_assert!(after.insert(*id, draft.name.clone()).is_some());
        }
        let mut actual: Vec<_> = after.values().cloned().collect();
        actual.extend(revision.added.iter().map(|draft| draft.name.clone()));
        actual.sort();
        let mut expected: Vec<_> = wanted.iter().map(|(_, name)| format!("n{name}")).collect();
        expected.sort();
        prop_assert_eq!(actual, expected);
    }
}

fn field() -> issue_field::Model {
    issue_field::Model {
        id: 1,
        organization_id: 1,
        name: "Size".to_owned(),
        name_key: "size".to_owned(),
        description: None,
        data_type: IssueFieldDataType::SingleSelect,
        visibility: FieldVisibility::All,
        created_at: 0,
        updated_at: 0,
    }
}

fn option(id: i64) -> issue_field_option::Model {
    issue_field_option::Model {
        id,
        field_id: 1,
        name: format!("old{id}"),
        name_key: format!("old{id}"),
        color: IssueFieldOptionColor::Gray,
        description: None,
        priority: id,
        created_at: 0,
        updated_at: 0,
    }
}
