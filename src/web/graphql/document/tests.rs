//! Valid and invalid documents.

use super::*;

fn read(text: &str) -> Vec<(&str, Option<&str>, Vec<String>)> {
    let described = |field: &Field<'_>| {
        let below: Vec<_> = field.fields.iter().map(Field::key).collect();
        format!("{}={}({})", field.key(), field.name, below.join(" "))
    };
    operations(text)
        .unwrap()
        .iter()
        .map(|operation| {
            let fields = operation.fields.iter().map(described).collect();
            (operation.kind, operation.name, fields)
        })
        .collect()
}

#[test]
fn the_fields_of_operations_are_read_and_the_rest_is_skipped() {
    let expected = |fields: &str| vec![("query", None, vec![fields.to_owned()])];
    assert_eq!(read("{viewer{login}}"), expected("viewer=viewer(login)"));
    assert_eq!(
        read(
            "\u{feff}# \"a\n{ me : viewer ( x : [\"}\\\"\", -1.5e3, \"\"\"a\\\"\"\"}\"\"\"] ) @skip(if: $b) { l: login, id } }"
        ),
        expected("me=viewer(l id)")
    );
    assert_eq!(
        read(
            "fragment p on P{a{b}} query L($o: S! = {a: 1}) @d { repository(owner: $o) { a { ...p } } } mutation { m }"
        ),
        vec![
            (
                "query",
                Some("L"),
                vec!["repository=repository(a)".to_owned()]
            ),
            ("mutation", None, vec!["m=m()".to_owned()]),
        ]
    );
    assert_eq!(read(" "), vec![]);
}

#[test]
fn what_cannot_be_read_says_where() {
    for (text, line, column) in [
        ("{", 1, 2),
        ("{}", 1, 2),
        ("{a", 1, 3),
        ("{a}}", 1, 4),
        ("{\n  a(b: \"x\n\") }", 2, 8),
        ("query Q", 1, 8),
        ("{a {b {c", 1, 9),
        ("{a @}", 1, 5),
        ("{a: }", 1, 5),
        ("{ä}", 1, 2),
        ("{viewer{\n...f}}", 2, 1),
        ("fragment f on T", 1, 16),
        ("schema {a}", 1, 1),
        ("..", 1, 1),
        ("\"\"\"", 1, 1),
    ] {
        let error = operations(text).unwrap_err();
        assert_eq!(
            error.at,
            DocumentLocation { line, column },
            "{text}: {error:?}"
        );
    }
}

#[test]
fn every_short_text_is_read_or_refused() {
    let pieces = [
        "{", "}", "(", "[", ":", "@", "...", "\"", "\\", "#", "\n", "a", "query", "é",
    ];
    let mut texts = vec![String::new()];
    for _ in 0..4 {
        texts = texts
            .iter()
            .flat_map(|text| pieces.map(|piece| format!("{text}{piece}")))
            .collect();
        for text in &texts {
            let _ = operations(text);
        }
    }
}

#[test]
fn nothing_nests_too_deep() {
    let deep = format!("{}{}", "{a".repeat(100_000), "}".repeat(100_000));
    assert_eq!(read(&deep).len(), 1);
    assert!(operations(&"{a(".repeat(100_000)).is_err());
}
