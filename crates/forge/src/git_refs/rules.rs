//! Pure decisions about references: names, allowed targets, and the errors.

use super::pull_heads;
use contract::problem::Problem;
use contract::reply::Outcome;
use git::Sha;
use git::refs::{BadRefName, NameRange, RefName, branch_of};
use storage::entities::git_object::ObjectKind;

/// The prefix of every name, which paths of the API omit.
const ROOT: &str = "refs/";

/// The outcome of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefUpdateOutcome {
    Done,
    /// The name of the new reference is taken.
    Taken,
    /// An existing name conflicts with the new one.
    Blocked,
    /// The reference has changed since it was read.
    Overtaken,
}

/// 422 for a change of a missing reference.
pub fn missing() -> Problem {
    unprocessable("Reference does not exist")
}

/// 422 for a name that cannot be used, such as one that conflicts with another.
pub fn failed() -> Problem {
    unprocessable("Reference update failed")
}

/// 422 for a second reference of the same name.
fn already_exists() -> Problem {
    unprocessable("Reference already exists")
}

/// 422 for a SHA that is not an object of the repository.
pub fn no_object() -> Problem {
    unprocessable("Object does not exist")
}

/// Checks the target of a PATCH: 40 hexadecimal digits.
pub fn check_sha(text: &str) -> Outcome<()> {
    match text.parse::<Sha>() {
        Ok(_) => Ok(()),
        Err(_) => Err(unprocessable(
            "The sha parameter must be exactly 40 characters and contain only [0-9a-f].",
        )),
    }
}

/// 422 for a move that would lose commits (Spec, Git references, rule 4).
pub fn not_forward() -> Problem {
    unprocessable("Update is not a fast forward")
}

/// 409 for a change that another one preceded.
fn overtaken() -> Problem {
    Problem::Conflict("The reference was changed by somebody else.".into())
}

/// The error for a change that was not applied.
pub fn applied(applied: RefUpdateOutcome) -> Outcome<()> {
    match applied {
        RefUpdateOutcome::Done => Ok(()),
        RefUpdateOutcome::Taken => Err(already_exists()),
        RefUpdateOutcome::Blocked => Err(failed()),
        RefUpdateOutcome::Overtaken => Err(overtaken()),
    }
}

fn unprocessable(message: &'static str) -> Problem {
    Problem::Refused(message.into())
}

/// The full name of the reference that a path calls `heads/main`.
pub fn full_name(name: &str) -> String {
    format!("{ROOT}{name}")
}

/// A name that may be given to a new reference (Spec, Git references, rule 3).
pub fn new_name(text: &str) -> Outcome<RefName> {
    if !text.starts_with(ROOT) {
        return Err(unprocessable("Reference name must start with 'refs/'."));
    }
    if text.matches('/').count() < 2 {
        return Err(unprocessable(
            "Reference name must contain at least three slash-separated components.",
        ));
    }
    let name = RefName::parse(text).map_err(|reason| match reason {
        BadRefName::TooLong => failed(),
        _ => Problem::Refused(format!("{text} is not a valid ref name.").into()),
    })?;
    may_be_changed(name.as_str())?;
    // A branch that looks like a SHA-1 would be mistaken for a commit.
    if name
        .branch()
        .is_some_and(|branch| branch.parse::<Sha>().is_ok())
    {
        return Err(failed());
    }
    Ok(name)
}

/// The references of pull requests are read-only.
pub fn may_be_changed(name: &str) -> Outcome<()> {
    match pull_heads::is_reserved(name) {
        true => Err(failed()),
        false => Ok(()),
    }
}

/// The names that match a prefix.
#[derive(Debug, Clone)]
pub struct MatchingNames {
    /// Full names, which a path gives as `heads/feat`.
    pub full: NameRange,
    /// Branches, which a path may also give as `feat` (Spec, Git references, rule 1). They are
    /// listed after the full names, and never overlap with them.
    pub branches: Option<NameRange>,
}

impl MatchingNames {
    /// The names of references whose full name has the prefix.
    pub fn full(prefix: &str) -> Self {
        Self {
            full: NameRange::beginning_with(&full_name(prefix)),
            branches: None,
        }
    }
}

/// The names that match a prefix in a path. One below `heads/` or `tags/` is that of a full name.
pub fn matching(prefix: &str) -> MatchingNames {
    let is_full = ["heads/", "tags/"]
        .iter()
        .any(|folder| prefix.starts_with(folder));
    let has_branches = "heads/".starts_with(prefix);
    let branches = format!("heads/{prefix}");
    MatchingNames {
        branches: (!is_full && !has_branches)
            .then(|| NameRange::beginning_with(&full_name(&branches))),
        ..MatchingNames::full(prefix)
    }
}

/// A new branch must name a commit.
pub fn may_be_created_for(name: &RefName, kind: ObjectKind) -> Outcome<()> {
    match name.branch() {
        Some(_) if kind != ObjectKind::Commit => Err(failed()),
        _ => Ok(()),
    }
}

/// A branch must name a commit, even if the move is forced.
pub fn may_be_moved_to(name: &str, kind: ObjectKind) -> Outcome<()> {
    if branch_of(name).is_some() && kind != ObjectKind::Commit {
        return Err(unprocessable("Object is not a commit"));
    }
    Ok(())
}

/// The default branch cannot be deleted (Spec, Git references, rule 5).
pub fn may_be_deleted(name: &str, default_branch: &str) -> Outcome<()> {
    if branch_of(name) == Some(default_branch) {
        return Err(unprocessable("Cannot delete the default branch"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal<T: std::fmt::Debug>(outcome: Outcome<T>) -> String {
        outcome.unwrap_err().message().into_owned()
    }

    #[test]
    fn each_bad_name_is_refused_in_its_own_words() {
        let root = "Reference name must start with 'refs/'.";
        let parts = "Reference name must contain at least three slash-separated components.";
        let other = "Reference update failed";
        for (name, message) in [
            ("", root),
            ("heads/main", root),
            ("Refs/heads/main", root),
            ("refs", root),
            ("refs/", parts),
            ("refs/heads", parts),
            ("refs/heads/0123456789abcdef0123456789abcdef01234567", other),
            ("refs/pull/1/head", other),
            (&format!("refs/heads/{}", "a".repeat(1100)), other),
        ] {
            assert_eq!(refusal(new_name(name)), message, "{name}");
        }
        for malformed in [
            "refs/heads/",
            "refs//main",
            "refs/heads/a..b",
            "refs/heads/a b",
            "refs/heads/a.lock",
            "refs/heads/.a",
            "refs/heads/a\u{0}",
        ] {
            let message = format!("{malformed} is not a valid ref name.");
            assert_eq!(refusal(new_name(malformed)), message);
        }
        for valid in [
            "refs/heads/main",
            "refs/heads/feature/b",
            "refs/notes/commits",
            "refs/heads/0123",
            "refs/tags/0123456789abcdef0123456789abcdef01234567",
            "refs/heads/naïve#1",
        ] {
            assert_eq!(new_name(valid).unwrap().as_str(), valid);
        }
    }

    #[test]
    fn a_range_holds_exactly_what_begins_alike() {
        for prefix in [
            "heads/a",
            "heads/ü",
            "tags/\u{D7FF}",
            "heads/",
            "x\u{10FFFF}",
        ] {
            let range = matching(prefix).full;
            for name in [
                format!("refs/{prefix}"),
                format!("refs/{prefix}\u{10FFFF}"),
                format!("refs/{prefix}/b"),
                "refs/heads".to_owned(),
                "refs/heads0".to_owned(),
                "refs/heads/b".to_owned(),
                "refs/y".to_owned(),
            ] {
                let inside = range.contains(&name);
                assert_eq!(inside, name.starts_with(&range.from), "{prefix} {name}");
            }
        }
        assert_eq!(matching("").full.until, "refs0");
    }

    #[test]
    fn a_prefix_matches_branches_too_unless_it_names_them_in_full() {
        let branches = |prefix: &str| matching(prefix).branches.map(|range| range.from);
        assert_eq!(branches("feature").as_deref(), Some("refs/heads/feature"));
        assert_eq!(branches("t").as_deref(), Some("refs/heads/t"));
        assert_eq!(branches("tags").as_deref(), Some("refs/heads/tags"));
        assert_eq!(branches("heady").as_deref(), Some("refs/heads/heady"));
        for full in [
            "",
            "h",
            "heads",
            "heads/",
            "heads/feature",
            "tags/",
            "tags/v1",
        ] {
            assert_eq!(branches(full), None, "{full}");
        }
    }

    #[test]
    fn only_branches_insist_on_commits() {
        let branch = RefName::parse("refs/heads/a").unwrap();
        let other = RefName::parse("refs/others/a").unwrap();
        assert!(may_be_created_for(&branch, ObjectKind::Commit).is_ok());
        assert!(may_be_created_for(&other, ObjectKind::Blob).is_ok());
        assert_eq!(
            refusal(may_be_created_for(&branch, ObjectKind::Tag)),
            "Reference update failed"
        );
        assert_eq!(
            refusal(may_be_moved_to("refs/heads/a", ObjectKind::Tree)),
            "Object is not a commit"
        );
        assert!(may_be_moved_to("refs/tags/a", ObjectKind::Tag).is_ok());
    }

    #[test]
    fn only_the_default_branch_itself_stays() {
        assert!(may_be_deleted("refs/heads/main", "main").is_err());
        assert!(may_be_deleted("refs/tags/main", "main").is_ok());
        assert!(may_be_deleted("refs/heads/main2", "main").is_ok());
        assert!(may_be_deleted("refs/heads/Main", "main").is_ok());
    }
}
