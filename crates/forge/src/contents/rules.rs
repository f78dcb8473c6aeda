//! Pure decisions about files: paths, links, README ranks, and the errors.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use contract::problem::Problem;
use contract::reply::Outcome;
use git::{GitError, Sha};

/// The directories that are searched for a README, in this order.
pub const README_DIRECTORIES: [&str; 3] = [".github", "", "docs"];

/// A path as it is stored: without slashes at its ends.
pub fn path(path: &str) -> &str {
    path.trim_matches('/')
}

/// 404 for a name that is not a commit.
pub fn no_commit(name: &str) -> Problem {
    Problem::Absent(format!("No commit found for the ref {name}").into())
}

/// 404 for reading from a repository without commits.
pub fn empty() -> Problem {
    Problem::Absent("This repository is empty.".into())
}

/// 404 for a change on a missing branch.
pub fn no_branch(name: &str) -> Problem {
    Problem::Absent(format!("Branch {name} not found").into())
}

/// The bytes of a file that is sent as Base64, with or without line breaks.
pub fn content(text: String) -> Outcome<Vec<u8>> {
    let mut text = text.into_bytes();
    text.retain(|byte| !byte.is_ascii_whitespace());
    let bytes = STANDARD.decode(text);
    bytes.map_err(|_| Problem::Refused("content is not valid Base64".into()))
}

/// Checks that a change names the content that it replaces.
pub fn may_replace(path: &str, current: Option<Sha>, expected: Option<&str>) -> Outcome<()> {
    match (current, expected) {
        (None, None) => Ok(()),
        (Some(_), None) => Err(Problem::Refused(
            "Invalid request.\n\n\"sha\" wasn't supplied.".into(),
        )),
        (Some(current), Some(expected)) if expected.parse() == Ok(current) => Ok(()),
        (_, Some(expected)) => Err(Problem::Conflict(
            format!("{path} does not match {expected}").into(),
        )),
    }
}

/// 422 for an invalid path, or one that conflicts with another entry.
pub fn path_problem(error: GitError) -> Problem {
    match error {
        GitError::Path { reason, .. } => Problem::Refused(format!("path {reason}").into()),
        other => other.into(),
    }
}

/// The target of a symbolic link within the repository; None if it leads outside.
pub fn link_target(path: &str, target: &str) -> Option<String> {
    if target.starts_with('/') {
        return None;
    }
    let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
    let mut names: Vec<&str> = directory
        .split('/')
        .filter(|name| !name.is_empty())
        .collect();
    for name in target.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop()?;
            }
            name => names.push(name),
        }
    }
    (!names.is_empty()).then(|| names.join("/"))
}

/// The rank of a file as README; the lowest is the best.
pub fn readme_rank(name: &[u8]) -> Option<(u8, Vec<u8>)> {
    let lower = name.to_ascii_lowercase();
    let rest = lower.strip_prefix(b"readme")?;
    let rank = match rest {
        b".md" | b".markdown" => 0,
        [b'.', ..] if rest != b".txt" => 1,
        b"" => 2,
        b".txt" => 3,
        _ => return None,
    };
    Some((rank, name.to_vec()))
}

/// The URL of a submodule, by its path, in the text of `.gitmodules`.
pub fn submodule_url(modules: &str, path: &str) -> Option<String> {
    let (mut is_it, mut url) = (false, None);
    for line in modules.lines().map(str::trim).chain(["["]) {
        if line.starts_with('[') {
            if is_it && url.is_some() {
                return url;
            }
            (is_it, url) = (false, None);
            continue;
        }
        match line
            .split_once('=')
            .map(|(key, value)| (key.trim(), value.trim()))
        {
            Some(("path", value)) => is_it = value == path,
            Some(("url", value)) => url = Some(value.to_owned()),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_names_what_it_replaces() {
        let current = Some(Sha::EMPTY_TREE);
        let name = Sha::EMPTY_TREE.to_string();
        assert!(may_replace("a", None, None).is_ok());
        assert!(may_replace("a", current, Some(&name)).is_ok());
        assert!(matches!(
            may_replace("a", current, None),
            Err(Problem::Refused(_))
        ));
        for (current, expected) in [(current, "123"), (None, &name)] {
            let outcome = may_replace("a", current, Some(expected));
            assert!(matches!(outcome, Err(Problem::Conflict(_))), "{expected}");
        }
    }

    #[test]
    fn a_link_is_followed_within_the_repository() {
        let lead = |path, target| link_target(path, target);
        assert_eq!(lead("a/b", "c").as_deref(), Some("a/c"));
        assert_eq!(lead("a/b", "../c/./d").as_deref(), Some("c/d"));
        for out in ["/etc/passwd", "../../c", "..", ""] {
            assert!(lead("b", out).is_none(), "{out}");
        }
    }

    #[test]
    fn markdown_introduces_better_than_text() {
        let mut names = [&b"readme.txt"[..], b"README", b"README.rst", b"readme.md"];
        names.sort_by_key(|name| readme_rank(name));
        assert_eq!(names[0], b"readme.md");
        assert_eq!(names[3], b"readme.txt");
        for other in [&b"readmes"[..], b"x", b""] {
            assert_eq!(readme_rank(other), None);
        }
    }

    #[test]
    fn a_submodule_is_found_by_its_path() {
        let text = "[submodule \"a\"]\n\tpath = lib/a\n\turl = https://x/a\n\
                    [submodule \"b\"]\n\turl = https://x/b\n\tpath = lib/b\n";
        assert_eq!(submodule_url(text, "lib/a").as_deref(), Some("https://x/a"));
        assert_eq!(submodule_url(text, "lib/b").as_deref(), Some("https://x/b"));
        assert_eq!(submodule_url(text, "lib/c"), None);
    }
}
