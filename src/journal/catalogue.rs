//! The operations of GitHub's REST API by name, to tell a path that this server lacks from
//! one that does not exist anywhere.
//!
//! `github-operations.txt` is written by `tests/github/list-operations` from the OpenAPI
//! description that GitHub publishes under the MIT licence (@octokit/openapi).

use std::sync::LazyLock;

use crate::contract;

const LIST: &str = include_str!("github-operations.txt");

/// Parameters that may hold slashes, and so take the rest of a path.
const LONG: [&str; 5] = ["{ref}", "{path}", "{dir}", "{branch}", "{basehead}"];

/// How alike two segments must be for one to be a slip of the other.
const ALIKE: f64 = 0.6;

/// An operation of GitHub.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    pub method: &'static str,
    pub path: &'static str,
    /// As GitHub names it: `issues/create-milestone`.
    pub id: &'static str,
}

/// What is known of a path at which this server found no operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RouteDiagnosis {
    /// This server has an operation here, and a value in the path is none that it takes.
    BadValue(Known),
    /// GitHub has this operation, and this server does not.
    Missing(Known),
    /// GitHub has operations here by other methods.
    OtherMethod(Vec<Known>),
    /// GitHub has nothing here, and something like it there.
    Near(Known),
    Unknown,
}

static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let lines = LIST.lines().filter(|line| !line.starts_with('#'));
    let known = lines.filter_map(|line| {
        let mut words = line.split(' ');
        Some(Known {
            method: words.next()?,
            path: words.next()?,
            id: words.next()?,
        })
    });
    known.collect()
});

/// What is known of a request by its method and its path, without prefix and query.
pub fn judge(method: &str, path: &str) -> RouteDiagnosis {
    let path = path
        .strip_suffix('/')
        .filter(|path| !path.is_empty())
        .unwrap_or(path);
    let mut here: Vec<_> = KNOWN
        .iter()
        .filter_map(|known| Some((literal_segments(known.path, path)?, *known)))
        .collect();
    let closest = here.iter().map(|(literal, _)| *literal).max();
    here.retain(|(literal, _)| Some(*literal) == closest);
    let here: Vec<_> = here.into_iter().map(|(_, known)| known).collect();
    match here.iter().find(|known| known.method == method) {
        Some(known) if is_served(known) => RouteDiagnosis::BadValue(*known),
        Some(known) => RouteDiagnosis::Missing(*known),
        None if !here.is_empty() => RouteDiagnosis::OtherMethod(here),
        None => near(method, path).map_or(RouteDiagnosis::Unknown, RouteDiagnosis::Near),
    }
}

/// How many segments of a path are written in the template; `None` if it does not fit.
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

/// Whether one of our documents has the operation, whatever its parameters are called.
fn is_served(known: &Known) -> bool {
    let method = known.method.to_ascii_lowercase();
    let documents = [contract::service(), contract::companion()];
    let mut paths = documents
        .into_iter()
        .flat_map(|document| document["paths"].as_object().into_iter().flatten());
    paths.any(|(path, item)| item.get(&method).is_some() && same_shape(path, known.path))
}

fn same_shape(one: &str, other: &str) -> bool {
    let shape = |path: &str| -> Vec<String> {
        let segments = path.split('/');
        let named = segments.map(|segment| match segment.starts_with('{') {
            true => "{}".to_owned(),
            false => segment.to_owned(),
        });
        named.collect()
    };
    shape(one) == shape(other)
}

/// The operation whose template differs in one literal segment, and there the least.
fn near(method: &str, path: &str) -> Option<Known> {
    let candidates = KNOWN.iter().filter_map(|known| {
        let likeness = likeness(known.path, path)?;
        (likeness >= ALIKE).then_some((likeness, known.method == method, *known))
    });
    let best = candidates.max_by(|one, other| {
        (one.0, one.1)
            .partial_cmp(&(other.0, other.1))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    best.map(|(_, _, known)| known)
}

/// How alike the one literal segment is that differs.
fn likeness(template: &str, path: &str) -> Option<f64> {
    let (expected, found): (Vec<_>, Vec<_>) =
        (template.split('/').collect(), path.split('/').collect());
    if expected.len() != found.len() {
        return None;
    }
    let mut differing = expected
        .iter()
        .zip(&found)
        .filter(|(expected, found)| !expected.starts_with('{') && expected != found);
    let (expected, found) = differing.next()?;
    match differing.next() {
        None => Some(strsim::jaro_winkler(expected, found)),
        Some(_) => None,
    }
}

impl RouteDiagnosis {
    /// The verdict in words.
    pub fn sentence(&self, method: &str) -> String {
        let at = |known: &Known| format!("{} {}", known.method, known.path);
        match self {
            Self::BadValue(known) => format!(
                "this server has {} ({}), and a value in the path is none that it takes",
                at(known),
                known.id
            ),
            Self::Missing(known) => format!(
                "GitHub has this operation ({}), this server does not",
                known.id
            ),
            Self::OtherMethod(known) => {
                let methods: Vec<_> = known.iter().map(|known| known.method).collect();
                format!("GitHub has {} here, not {method}", methods.join(", "))
            }
            Self::Near(known) => format!(
                "GitHub has no such operation; the nearest is {} ({})",
                at(known),
                known.id
            ),
            Self::Unknown => "GitHub has no such operation".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(method: &str, path: &str) -> String {
        judge(method, path).sentence(method)
    }

    #[test]
    fn an_operation_that_only_github_has_is_named() {
        assert_eq!(
            words("POST", "/repos/acme/gadgets/milestones"),
            "GitHub has this operation (issues/create-milestone), this server does not"
        );
        let verdict = judge("GET", "/repos/acme/gadgets/milestones/");
        assert!(
            matches!(verdict, RouteDiagnosis::Missing(known) if known.id == "issues/list-milestones")
        );
    }

    #[test]
    fn a_literal_segment_wins_over_a_parameter() {
        let verdict = judge("GET", "/repos/acme/gadgets/releases/latest");
        assert!(
            matches!(verdict, RouteDiagnosis::Missing(known) if known.id == "repos/get-latest-release")
        );
    }

    #[test]
    fn another_method_is_told() {
        let words = words("PUT", "/repos/acme/gadgets/milestones");
        assert_eq!(words, "GitHub has GET, POST here, not PUT");
    }

    #[test]
    fn a_slip_in_one_segment_is_found() {
        let verdict = judge("GET", "/repos/acme/gadgets/milestone");
        assert!(
            matches!(verdict, RouteDiagnosis::Near(known) if known.id == "issues/list-milestones")
        );
        let verdict = judge("POST", "/repos/acme/gadgets/milestone");
        assert!(
            matches!(verdict, RouteDiagnosis::Near(known) if known.id == "issues/create-milestone")
        );
    }

    #[test]
    fn what_nobody_has_is_unknown() {
        for path in ["/a/b/c/d/e/f/g/h/i/j", "", "/repos//"] {
            let verdict = judge("GET", path);
            let found = matches!(verdict, RouteDiagnosis::Unknown | RouteDiagnosis::Near(_));
            assert!(found, "{path}: {verdict:?}");
        }
        assert_eq!(judge("GET", "/qqqqqqqq/zzzzzz/x"), RouteDiagnosis::Unknown);
    }

    #[test]
    fn a_value_that_an_operation_of_ours_does_not_take_is_told_from_a_missing_one() {
        let verdict = judge("GET", "/repos/acme/gadgets/pulls/one");
        assert!(matches!(verdict, RouteDiagnosis::BadValue(known) if known.id == "pulls/get"));
        let long = judge("GET", "/repos/acme/gadgets/git/ref/heads/a/b");
        assert!(matches!(long, RouteDiagnosis::BadValue(known) if known.id == "git/get-ref"));
    }

    #[test]
    fn the_list_is_whole() {
        assert!(KNOWN.len() > 1000);
        assert!(KNOWN.iter().all(|known| known.path.starts_with('/')));
    }
}
