//! The rules for texts, and for who may comment or change a comment.

use crate::explain;
use contract::problem::{FieldProblem, Problem};
use contract::reply::Outcome;
use storage::entities::collaborator::Permission;

/// The most bytes of a comment. GitHub's message counts characters, of four bytes each.
const LONGEST: usize = 262_144;

/// A text must be neither empty nor too long. `resource` is its name in validation errors.
pub fn text(resource: &'static str, body: &str) -> Outcome<()> {
    let invalid = |reason: String| FieldProblem::unprocessable(resource, "data", reason).into();
    if body.trim().is_empty() {
        return Err(invalid("Body cannot be blank".to_owned()));
    }
    not_too_long(body).map_err(invalid)
}

/// Returns an error message for a text that is too long.
pub fn not_too_long(body: &str) -> Result<(), String> {
    if body.len() > LONGEST {
        return Err("Body is too long (maximum is 65536 characters)".to_owned());
    }
    Ok(())
}

/// Repeating the same text in the same place is spam (Spec, Errors, 422).
pub fn not_spam(resource: &'static str, repetitions: u64, most: u64) -> Outcome<()> {
    if repetitions < most {
        return Ok(());
    }
    Err(FieldProblem::unprocessable(resource, "body", "was submitted too quickly").into())
}

/// Only people with write access may comment in a locked conversation.
pub fn may_comment(locked: bool, role: Permission) -> Outcome<()> {
    if locked && role < Permission::Write {
        explain::note(|| explain::lacks_role(Permission::Write, role));
        return Err(Problem::Forbidden(
            "Unable to create comment because issue is locked.".into(),
        ));
    }
    Ok(())
}

/// Only the author and people with write access may change a comment.
pub fn may_change(author: Option<i64>, caller: Option<i64>, role: Permission) -> Outcome<()> {
    let own = author.is_some() && author == caller;
    if own || role >= Permission::Write {
        return Ok(());
    }
    explain::note(|| explain::lacks_role(Permission::Write, role));
    Err(Problem::Forbidden(
        "Must have push access to repository".into(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_has_between_one_and_262144_bytes() {
        let text = |body: &str| text("IssueComment", body);
        assert!(text("x").is_ok());
        assert!(text(&"x".repeat(LONGEST)).is_ok());
        let widest = "😀".repeat(65_536);
        assert!(text(&widest).is_ok());
        for body in ["", " \n\t", "\u{a0}", &(widest + "x")] {
            assert!(text(body).is_err(), "{} bytes", body.len());
        }
    }

    #[test]
    fn the_author_and_writers_may_change_a_comment() {
        let read = Permission::Read;
        assert!(may_change(Some(1), Some(1), read).is_ok());
        assert!(may_change(Some(1), Some(2), Permission::Write).is_ok());
        assert!(may_change(Some(1), Some(2), Permission::Triage).is_err());
        assert!(
            may_change(None, None, read).is_err(),
            "anonymous callers are not the author"
        );
    }

    #[test]
    fn a_locked_conversation_is_for_writers() {
        assert!(may_comment(false, Permission::Read).is_ok());
        assert!(may_comment(true, Permission::Triage).is_err());
        assert!(may_comment(true, Permission::Write).is_ok());
    }
}
