//! A type name means one thing in the whole crate, so that a reader who knows it from one
//! module can rely on it in another.

use std::collections::BTreeMap;

use super::architecture::sources;

/// Names that several modules of a layer may declare. Code uses them with the module:
/// `issue::Model`, `issues::Operations`.
const CONVENTIONS: [(&str, &str); 3] = [
    ("entities", "Model"),
    ("contract", "Operations"),
    ("contract", "Parameters"),
];

/// The name of the type that a line at the left margin declares.
fn declared(line: &str) -> Option<&str> {
    let rest = match line.strip_prefix("pub") {
        Some(rest) => match rest.strip_prefix('(') {
            Some(scope) => scope.split_once(')')?.1,
            None => rest,
        }
        .strip_prefix(' ')?,
        None => line,
    };
    let (keyword, rest) = rest.split_once(' ')?;
    let name = rest
        .split(|character: char| !character.is_alphanumeric())
        .next()?;
    ["struct", "enum", "trait", "type", "union"]
        .contains(&keyword)
        .then_some(name)
}

/// The layer of a file: its crate, or `entities`.
fn layer(file: &str) -> &str {
    let file = file.strip_prefix("storage/").unwrap_or(file);
    file.split(['/', '.']).next().unwrap_or_default()
}

/// Whether all of these files may declare this name.
fn is_exempt(name: &str, files: &[String]) -> bool {
    let mut layers: Vec<_> = files.iter().map(|file| layer(file)).collect();
    layers.sort_unstable();
    // The API form and the stored form of one concept.
    layers == ["contract", "entities"]
        || CONVENTIONS
            .iter()
            .any(|(of, known)| *known == name && layers.iter().all(|layer| layer == of))
}

#[test]
fn each_type_name_means_one_thing() {
    let mut declarations: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, text) in sources() {
        for name in text.lines().filter_map(declared) {
            let places = declarations.entry(name.to_owned()).or_default();
            places.push(file.clone());
        }
    }
    assert!(declarations.len() > 1000, "the sources were not read");
    let found: Vec<_> = declarations
        .iter()
        .filter(|(name, files)| files.len() > 1 && !is_exempt(name, files))
        .map(|(name, files)| format!("{name}: {}", files.join(", ")))
        .collect();
    assert!(
        found.is_empty(),
        "These type names have more than one meaning; give all but the best-known one a name \
         that says what it is:\n{}",
        found.join("\n")
    );
}

#[test]
fn declarations_are_recognized() {
    let cases = [
        ("struct Sha([u8; 20]);", Some("Sha")),
        ("pub enum Kind {", Some("Kind")),
        ("pub(in crate::git) type Map<K> = Vec<K>;", Some("Map")),
        ("    type Item = u8;", None),
        ("pub fn type_of() {}", None),
    ];
    for (line, name) in cases {
        assert_eq!(declared(line), name, "{line}");
    }
}
