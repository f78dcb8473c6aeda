//! What is allowed: which verdicts, by whom, and what may become of a review.

use crate::comments::rules::not_too_long;
use crate::contract::problem::Problem;
use crate::contract::reply::Outcome;
use crate::contract::reviews::ReviewEvent;
use crate::entities::collaborator::Permission;
use crate::entities::review::ReviewState;
use crate::explain;

/// Comments of one review. Each is located, rendered and told of in one transaction.
const MOST_COMMENTS: usize = 100;

/// The state of a review with this verdict.
pub fn state(event: Option<ReviewEvent>) -> ReviewState {
    match event {
        None => ReviewState::Pending,
        Some(ReviewEvent::Approve) => ReviewState::Approved,
        Some(ReviewEvent::RequestChanges) => ReviewState::ChangesRequested,
        Some(ReviewEvent::Comment) => ReviewState::Commented,
    }
}

/// A pending review is there for its author alone.
pub fn is_visible(state: ReviewState, author: Option<i64>, caller: Option<i64>) -> bool {
    state != ReviewState::Pending || (author.is_some() && author == caller)
}

/// Nobody judges their own pull request.
pub fn may_judge(event: Option<ReviewEvent>, author: i64, pull_author: i64) -> Outcome<()> {
    let refusal = match event {
        Some(ReviewEvent::Approve) => "Can not approve your own pull request",
        Some(ReviewEvent::RequestChanges) => "Can not request changes on your own pull request",
        Some(ReviewEvent::Comment) | None => return Ok(()),
    };
    if author == pull_author {
        return Err(Problem::Refused(refusal.into()));
    }
    Ok(())
}

/// Only an approval needs no words.
pub fn says_something(event: Option<ReviewEvent>, body: &str, comments: usize) -> Outcome<()> {
    if comments > 0 || !body.trim().is_empty() {
        return Ok(());
    }
    let refusal = match event {
        Some(ReviewEvent::RequestChanges) => {
            "You need to leave a comment indicating the requested changes."
        }
        Some(ReviewEvent::Comment) => "Body can't be blank",
        Some(ReviewEvent::Approve) | None => return Ok(()),
    };
    Err(Problem::Refused(refusal.into()))
}

/// The text of a review may be empty, but not too long.
pub fn text(body: &str) -> Outcome<()> {
    not_too_long(body).map_err(|reason| Problem::Refused(reason.into()))
}

/// A review that is there already does not lose its text.
pub fn new_text(body: &str) -> Outcome<()> {
    if body.trim().is_empty() {
        return Err(Problem::Refused("Body can't be blank".into()));
    }
    text(body)
}

/// One request brings only so many comments.
pub fn few_enough(comments: usize) -> Outcome<()> {
    if comments > MOST_COMMENTS {
        let refusal = format!("A review can have at most {MOST_COMMENTS} comments");
        return Err(Problem::Refused(refusal.into()));
    }
    Ok(())
}

/// The author has another review that was not submitted.
pub fn one_pending() -> Problem {
    Problem::Refused("User can only have one pending review per pull request".into())
}

/// The commit to review is none that the pull request brings in.
pub fn foreign_commit() -> Problem {
    Problem::Refused("The commitOID is not part of the pull request".into())
}

/// Only the author submits, and only once.
pub fn may_submit(state: ReviewState) -> Outcome<()> {
    match state {
        ReviewState::Pending => Ok(()),
        _ => Err(Problem::Refused(
            "Can not submit a non-pending pull request review".into(),
        )),
    }
}

pub fn may_delete(state: ReviewState) -> Outcome<()> {
    match state {
        ReviewState::Pending => Ok(()),
        _ => Err(Problem::Refused(
            "Can not delete a non-pending pull request review".into(),
        )),
    }
}

/// Whoever may write to the repository decides which reviews count.
pub fn may_dismiss(role: Permission) -> Outcome<()> {
    if role >= Permission::Write {
        return Ok(());
    }
    explain::note(|| explain::lacks_role(Permission::Write, role));
    Err(Problem::Forbidden(
        "Must have push access to repository".into(),
    ))
}

/// Only a verdict can be dismissed.
pub fn is_dismissable(state: ReviewState) -> Outcome<()> {
    let word = match state {
        ReviewState::Approved | ReviewState::ChangesRequested => return Ok(()),
        ReviewState::Commented => "commented",
        ReviewState::Dismissed => "dismissed",
        ReviewState::Pending => "pending",
    };
    let refusal = format!("Can not dismiss a {word} pull request review");
    Err(Problem::Refused(refusal.into()))
}

/// A dismissal has a reason.
pub fn reason(message: &str) -> Outcome<()> {
    if message.trim().is_empty() {
        return Err(Problem::Refused("Message can't be blank".into()));
    }
    text(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: [Option<ReviewEvent>; 4] = [
        None,
        Some(ReviewEvent::Approve),
        Some(ReviewEvent::RequestChanges),
        Some(ReviewEvent::Comment),
    ];

    #[test]
    fn authors_may_only_comment_on_their_own_pull_request() {
        let own = EVENTS.map(|event| may_judge(event, 1, 1).is_ok());
        assert_eq!(own, [true, false, false, true]);
        assert!(EVENTS.iter().all(|event| may_judge(*event, 1, 2).is_ok()));
    }

    #[test]
    fn only_an_approval_needs_no_words() {
        let wordless = EVENTS.map(|event| says_something(event, " \n", 0).is_ok());
        assert_eq!(wordless, [true, true, false, false]);
        for event in EVENTS {
            assert!(says_something(event, "x", 0).is_ok());
            assert!(says_something(event, "", 1).is_ok());
        }
    }

    #[test]
    fn a_pending_review_is_there_for_its_author_alone() {
        assert!(is_visible(ReviewState::Pending, Some(1), Some(1)));
        assert!(!is_visible(ReviewState::Pending, Some(1), Some(2)));
        assert!(!is_visible(ReviewState::Pending, Some(1), None));
        assert!(!is_visible(ReviewState::Pending, None, None));
        assert!(is_visible(ReviewState::Approved, Some(1), None));
    }

    #[test]
    fn only_verdicts_are_dismissed_and_only_pending_reviews_submitted_or_deleted() {
        let states = [
            ReviewState::Approved,
            ReviewState::ChangesRequested,
            ReviewState::Commented,
            ReviewState::Dismissed,
            ReviewState::Pending,
        ];
        let dismissable = states.map(|state| is_dismissable(state).is_ok());
        assert_eq!(dismissable, [true, true, false, false, false]);
        for state in states {
            let pending = state == ReviewState::Pending;
            assert_eq!(may_submit(state).is_ok(), pending);
            assert_eq!(may_delete(state).is_ok(), pending);
        }
    }

    #[test]
    fn a_review_has_so_many_comments_and_no_more() {
        assert!(few_enough(MOST_COMMENTS).is_ok());
        assert!(few_enough(MOST_COMMENTS + 1).is_err());
    }
}
