//! The operations of GitHub's REST API by name, to distinguish a path that this server lacks from
//! one that does not exist.
//!
//! `github-operations.txt` is written by `tests/github/list-operations` from the OpenAPI
//! description that GitHub publishes under the MIT licence (@octokit/openapi).

use std::sync::LazyLock;

use crate::nearest::did_you_mean;
use contract::git_transport::{FETCH, PUSH};
use contract::operation::Operation;

const LIST: &str = include_str!("github-operations.txt");

/// Parameters that may contain slashes, and therefore match the rest of a path.
const LONG: [&str; 5] = ["{ref}", "{path}", "{dir}", "{branch}", "{basehead}"];

/// No template has more segments, and none of them is longer.
const MOST_SEGMENTS: usize = 16;
const LONGEST_SEGMENT: usize = 64;

/// The least similarity of two segments for one to be a typo of the other.
const LEAST_SIMILARITY: f64 = 0.6;

/// An operation of GitHub.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GithubOperation {
    pub method: &'static str,
    pub path: &'static str,
    /// GitHub's operation id: `issues/create-milestone`.
    pub id: &'static str,
}

/// The diagnosis of a path that no operation of this server matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RouteDiagnosis {
    /// This server has the operation at this path without the slash at its end.
    Slash(GithubOperation),
    /// This server has an operation here, but does not accept a value in the path.
    BadValue(GithubOperation),
    /// GitHub has this operation; this server does not.
    Missing(GithubOperation),
    /// GitHub has operations here with other methods.
    OtherMethod(Vec<GithubOperation>),
    /// GitHub has nothing here, but a similar operation elsewhere.
    Near(GithubOperation),
    Unknown,
}

static OPERATIONS: LazyLock<Vec<GithubOperation>> = LazyLock::new(|| {
    let lines = LIST.lines().filter(|line| !line.starts_with('#'));
    let operation = lines.filter_map(|line| {
        let mut words = line.split(' ');
        Some(GithubOperation {
            method: words.next()?,
            path: words.next()?,
            id: words.next()?,
        })
    });
    operation.collect()
});

/// Diagnoses a request by its method and its path, without prefix and query.
pub fn diagnose(method: &str, path: &str) -> RouteDiagnosis {
    let without_slash = path.strip_suffix('/').filter(|path| !path.is_empty());
    let (path, ends_in_slash) = (without_slash.unwrap_or(path), without_slash.is_some());
    let mut matching: Vec<_> = OPERATIONS
        .iter()
        .filter_map(|operation| Some((literal_segments(operation.path, path)?, *operation)))
        .collect();
    let closest = matching.iter().map(|(literal, _)| *literal).max();
    matching.retain(|(literal, _)| Some(*literal) == closest);
    let matching: Vec<_> = matching
        .into_iter()
        .map(|(_, operation)| operation)
        .collect();
    match matching.iter().find(|operation| operation.method == method) {
        Some(operation) if is_served(operation) && ends_in_slash => {
            RouteDiagnosis::Slash(*operation)
        }
        Some(operation) if is_served(operation) => RouteDiagnosis::BadValue(*operation),
        Some(operation) => RouteDiagnosis::Missing(*operation),
        None if !matching.is_empty() => RouteDiagnosis::OtherMethod(matching),
        None => near(method, path).map_or(RouteDiagnosis::Unknown, RouteDiagnosis::Near),
    }
}

/// Whether paths of GitHub's API begin with this segment.
pub fn begins_an_operation(segment: &str) -> bool {
    let mut paths = OPERATIONS.iter().map(|operation| operation.path);
    paths.any(|path| path.split('/').nth(1) == Some(segment))
}

/// The number of segments that match literally; `None` if the path does not match.
fn literal_segments(template: &str, path: &str) -> Option<usize> {
    let mut segments = path.split('/');
    let mut literal = 0;
    for expected in template.split('/') {
        let segment = segments.next()?;
        if LONG.contains(&expected) && !segment.is_empty() && template.ends_with(expected) {
            return Some(literal);
        }
        if expected == segment {
            literal += 1;
        } else if !expected.starts_with('{') || segment.is_empty() {
            return None;
        }
    }
    segments.next().is_none().then_some(literal)
}

/// Whether one of our documents has the operation, regardless of parameter names.
fn is_served(operation: &GithubOperation) -> bool {
    let method = operation.method.to_ascii_lowercase();
    let documents = [contract::service(), contract::companion()];
    let mut paths = documents
        .into_iter()
        .flat_map(|document| document["paths"].as_object().into_iter().flatten());
    paths.any(|(path, item)| item.get(&method).is_some() && same_shape(path, operation.path))
}

/// An operation of this server by its id, or by GitHub's: `create_ref`, `createRef`,
/// `git/create-ref`. The error names the nearest id.
pub fn operation_named(name: &str) -> Result<&'static Operation, String> {
    let git = [&FETCH, &PUSH];
    let ids = || git.into_iter().chain(contract::every_operation());
    let by_id = |id: &str| ids().find(|operation| operation.id == id);
    let folded = snake_case(name.rsplit_once('/').map_or(name, |(_, id)| id));
    let found = by_id(name)
        .or_else(|| of_github(name))
        .or_else(|| by_id(&folded));
    found.ok_or_else(|| {
        let nearest = did_you_mean(&folded, ids().map(|operation| operation.id));
        let beginning: String = name.chars().take(LONGEST_SEGMENT).collect();
        let name = beginning.escape_debug();
        match nearest.as_str() {
            "" => format!("There is no operation '{name}'; /docs/ lists them"),
            nearest => format!("There is no operation '{name}'{nearest}"),
        }
    })
}

/// The operation with an id of GitHub's.
fn of_github(id: &str) -> Option<&'static Operation> {
    let theirs = OPERATIONS.iter().find(|operation| operation.id == id)?;
    contract::every_operation().find(|ours| {
        ours.method.eq_ignore_ascii_case(theirs.method) && same_shape(ours.path, theirs.path)
    })
}

/// `createRef` and `create-ref` as `create_ref`.
fn snake_case(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    for letter in name.chars() {
        match letter {
            '-' => folded.push('_'),
            'A'..='Z' => {
                folded.push('_');
                folded.push(letter.to_ascii_lowercase());
            }
            _ => folded.push(letter),
        }
    }
    folded
}

fn same_shape(one: &str, other: &str) -> bool {
    let shape = |path: &str| -> Vec<String> {
        let segments = path.split('/');
        let normalized = segments.map(|segment| match segment.starts_with('{') {
            true => "{}".to_owned(),
            false => segment.to_owned(),
        });
        normalized.collect()
    };
    shape(one) == shape(other)
}

/// The operation whose template differs in one literal segment, with the most similar one.
fn near(method: &str, path: &str) -> Option<GithubOperation> {
    let segments: Vec<&str> = path.split('/').take(MOST_SEGMENTS + 1).collect();
    if segments.len() > MOST_SEGMENTS {
        return None;
    }
    let candidates = OPERATIONS.iter().filter_map(|operation| {
        let similarity = similarity(operation.path, &segments)?;
        (similarity >= LEAST_SIMILARITY).then_some((
            similarity,
            operation.method == method,
            *operation,
        ))
    });
    let best = candidates.max_by(|one, other| {
        (one.0, one.1)
            .partial_cmp(&(other.0, other.1))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    best.map(|(_, _, operation)| operation)
}

/// The similarity of the only literal segment that differs.
fn similarity(template: &str, segments: &[&str]) -> Option<f64> {
    if template.split('/').count() != segments.len() {
        return None;
    }
    let mut differing = template
        .split('/')
        .zip(segments)
        .filter(|(expected, actual)| !expected.starts_with('{') && expected != *actual);
    let (expected, actual) = differing.next()?;
    match differing.next() {
        None if actual.len() <= LONGEST_SEGMENT => Some(strsim::jaro_winkler(expected, actual)),
        _ => None,
    }
}

impl RouteDiagnosis {
    /// Describes the diagnosis.
    pub fn sentence(&self, method: &str) -> String {
        let at = |operation: &GithubOperation| format!("{} {}", operation.method, operation.path);
        match self {
            Self::Slash(operation) => format!(
                "this server has {} ({}), but not with a slash at the end of the path",
                at(operation),
                operation.id
            ),
            Self::BadValue(operation) => format!(
                "this server has {} ({}), but a value in the path is not valid",
                at(operation),
                operation.id
            ),
            Self::Missing(operation) => format!(
                "GitHub has this operation ({}), but this server does not",
                operation.id
            ),
            Self::OtherMethod(operations) => {
                let methods: Vec<_> = operations.iter().map(|known| known.method).collect();
                format!(
                    "GitHub supports {} on this path, not {method}",
                    methods.join(", ")
                )
            }
            Self::Near(operation) => format!(
                "GitHub has no such operation; the nearest is {} ({})",
                at(operation),
                operation.id
            ),
            Self::Unknown => "GitHub has no such operation".to_owned(),
        }
    }

    /// What to change.
    pub fn advice(&self, path: &str) -> String {
        match self {
            Self::Slash(_) => "Leave out the slash at the end of the path.".to_owned(),
            Self::BadValue(operation) => match not_a_number(operation.path, path) {
                Some(name) => format!("Send a number for `{name}`."),
                None => "Correct the value in the path.".to_owned(),
            },
            Self::OtherMethod(operations) => {
                let methods: Vec<_> = operations.iter().map(|known| known.method).collect();
                format!("Send {}.", methods.join(" or "))
            }
            Self::Near(operation) => format!("Send {} {}.", operation.method, operation.path),
            Self::Missing(_) | Self::Unknown => {
                "Use an operation that this server has; /docs/ lists them.".to_owned()
            }
        }
    }
}

/// The parameter of a path that should be a number, and is none.
pub fn not_a_number<'a>(template: &'a str, path: &str) -> Option<&'a str> {
    let mut segments = template.split('/').zip(path.split('/'));
    segments.find_map(|(expected, actual)| {
        let name = expected.strip_prefix('{')?.strip_suffix('}')?;
        let is_number = name.ends_with("_number") || name.ends_with("_id");
        (is_number && actual.parse::<i64>().is_err()).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(method: &str, path: &str) -> String {
        diagnose(method, path).sentence(method)
    }

    #[test]
    fn an_operation_that_only_github_has_is_named() {
        assert_eq!(
            describe("POST", "/repos/acme/gadgets/milestones"),
            "GitHub has this operation (issues/create-milestone), but this server does not"
        );
        let diagnosis = diagnose("GET", "/repos/acme/gadgets/milestones/");
        assert!(
            matches!(diagnosis, RouteDiagnosis::Missing(operation) if operation.id == "issues/list-milestones")
        );
    }

    #[test]
    fn the_advice_names_what_to_change() {
        let advice = |method: &str, path: &str| diagnose(method, path).advice(path);
        for (method, path, words) in [
            ("GET", "/repos/acme/gadgets/pulls/1/", "slash"),
            ("GET", "/repos/acme/gadgets/pulls/one", "`pull_number`"),
            ("PUT", "/repos/acme/gadgets/milestones", "GET or POST"),
            ("GET", "/repos/acme/gadgets/milestone", "/milestones"),
            ("GET", "/qqqqqqqq/zzzzzz/x", "/docs/"),
        ] {
            let advice = advice(method, path);
            assert!(advice.contains(words), "{method} {path}: {advice}");
        }
    }

    #[test]
    fn an_operation_has_its_id_here_and_at_github() {
        let named = |name: &str| operation_named(name).map(|operation| operation.id);
        for name in ["create_ref", "createRef", "git/create-ref", "create-ref"] {
            assert_eq!(named(name), Ok("create_ref"), "{name}");
        }
        assert_eq!(named("git_push"), Ok("git_push"));
        let listing = named("apps/list-repos-accessible-to-installation");
        assert_eq!(listing, named("list_installation_repositories"));
        for (name, words) in [
            ("create_reff", "did you mean `create_ref`?"),
            ("git/create-reff", "did you mean `create_ref`?"),
            ("create_world", "There is no operation 'create_world'"),
            ("", "There is no operation"),
            (&*"A".repeat(100_000), "There is no operation"),
        ] {
            let error = named(name).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn a_literal_segment_wins_over_a_parameter() {
        let diagnosis = diagnose("GET", "/repos/acme/gadgets/releases/latest");
        assert!(
            matches!(diagnosis, RouteDiagnosis::Missing(operation) if operation.id == "repos/get-latest-release")
        );
    }

    #[test]
    fn another_method_is_told() {
        let sentence = describe("PUT", "/repos/acme/gadgets/milestones");
        assert_eq!(sentence, "GitHub supports GET, POST on this path, not PUT");
    }

    #[test]
    fn a_slip_in_one_segment_is_found() {
        let diagnosis = diagnose("GET", "/repos/acme/gadgets/milestone");
        assert!(
            matches!(diagnosis, RouteDiagnosis::Near(operation) if operation.id == "issues/list-milestones")
        );
        let diagnosis = diagnose("POST", "/repos/acme/gadgets/milestone");
        assert!(
            matches!(diagnosis, RouteDiagnosis::Near(operation) if operation.id == "issues/create-milestone")
        );
    }

    #[test]
    fn what_nobody_has_is_unknown() {
        for path in ["/a/b/c/d/e/f/g/h/i/j", "", "/repos//"] {
            let diagnosis = diagnose("GET", path);
            let expected = matches!(diagnosis, RouteDiagnosis::Unknown | RouteDiagnosis::Near(_));
            assert!(expected, "{path}: {diagnosis:?}");
        }
        // Nothing is compared with a path that is too long.
        for path in [
            "/qqqqqqqq/zzzzzz/x",
            "/repos/acme/gadgets/milestone/a/b/c/d/e/f/g/h/i/j/k/l/m",
        ] {
            assert_eq!(diagnose("GET", path), RouteDiagnosis::Unknown, "{path}");
        }
        let to_config = |name: &str| similarity("/app/hook/config", &["", "app", "hook", name]);
        assert!(to_config("confg").is_some());
        assert_eq!(to_config(&"config".repeat(11)), None);
    }

    #[test]
    fn a_value_that_an_operation_of_ours_does_not_take_is_told_from_a_missing_one() {
        let diagnosis = diagnose("GET", "/repos/acme/gadgets/pulls/one");
        assert!(
            matches!(diagnosis, RouteDiagnosis::BadValue(operation) if operation.id == "pulls/get")
        );
        let long = diagnose("GET", "/repos/acme/gadgets/git/ref/heads/a/b");
        assert!(
            matches!(long, RouteDiagnosis::BadValue(operation) if operation.id == "git/get-ref")
        );
    }

    #[test]
    fn the_list_is_whole() {
        assert!(OPERATIONS.len() > 1000);
        assert!(
            OPERATIONS
                .iter()
                .all(|operation| operation.path.starts_with('/'))
        );
    }
}
