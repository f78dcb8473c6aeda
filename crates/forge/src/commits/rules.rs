//! Pure decisions about commits: parses comparisons and pages, and defines the errors.

use contract::commits::ComparisonStatus;
use contract::problem::Problem;

/// Two commits to compare, as a request names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComparisonRange<'a> {
    pub base: &'a str,
    pub head: &'a str,
    /// Whether the files are compared from the merge base.
    pub from_merge_base: bool,
}

/// Parses `base...head` or `base..head`. A name may have an owner prefix, which must be that of
/// the repository.
pub fn comparison<'a>(basehead: &'a str, owner: &str) -> Option<ComparisonRange<'a>> {
    let three = basehead.split_once("...");
    let from_merge_base = three.is_some();
    let (base, head) = three.or_else(|| basehead.split_once(".."))?;
    let range = ComparisonRange {
        base: without_owner(base, owner)?,
        head: without_owner(head, owner)?,
        from_merge_base,
    };
    (!range.base.is_empty() && !range.head.is_empty()).then_some(range)
}

fn without_owner<'a>(name: &'a str, owner: &str) -> Option<&'a str> {
    match name.split_once(':') {
        Some((before, name)) => before.eq_ignore_ascii_case(owner).then_some(name),
        None => Some(name),
    }
}

/// The position of the head relative to the base.
pub fn status(ahead: usize, behind: usize) -> ComparisonStatus {
    match (ahead, behind) {
        (0, 0) => ComparisonStatus::Identical,
        (_, 0) => ComparisonStatus::Ahead,
        (0, _) => ComparisonStatus::Behind,
        _ => ComparisonStatus::Diverged,
    }
}

/// Whether a query has this parameter.
pub fn has_parameter(query: &str, name: &str) -> bool {
    let pairs = query.split('&');
    let mut names = pairs.map(|pair| pair.split('=').next().unwrap_or_default());
    names.any(|other| other == name)
}

/// 422 for a name that is not a commit.
pub fn no_commit(name: &str) -> Problem {
    Problem::Refused(format!("No commit found for SHA: {name}").into())
}

/// 404 for two commits without a common ancestor.
pub fn unrelated(range: ComparisonRange<'_>) -> Problem {
    let ComparisonRange { base, head, .. } = range;
    Problem::Absent(format!("No common ancestor between {base} and {head}.").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_names_two_commits_of_this_repository() {
        let three = comparison("main...feature/a", "acme").unwrap();
        assert_eq!((three.base, three.head), ("main", "feature/a"));
        assert!(three.from_merge_base);
        let two = comparison("Acme:main..acme:x", "acme").unwrap();
        assert_eq!((two.base, two.head), ("main", "x"));
        assert!(!two.from_merge_base);
        for invalid in ["main", "main...", "...x", "eve:main...x", "", ".."] {
            assert_eq!(comparison(invalid, "acme"), None, "{invalid}");
        }
    }

    #[test]
    fn a_parameter_is_found_by_its_whole_name() {
        assert!(has_parameter("a=1&page=2", "page"));
        assert!(!has_parameter("per_page=2", "page"));
        assert!(!has_parameter("", "page"));
    }

    #[test]
    fn the_status_tells_who_has_more() {
        assert_eq!(status(0, 0), ComparisonStatus::Identical);
        assert_eq!(status(1, 0), ComparisonStatus::Ahead);
        assert_eq!(status(0, 1), ComparisonStatus::Behind);
        assert_eq!(status(1, 1), ComparisonStatus::Diverged);
    }
}
