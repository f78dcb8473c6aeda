//! The rules for verdicts and for changes of reviews.

use crate::comments::rules::not_too_long;
use crate::explain;
use contract::problem::Problem;
use contract::reply::Outcome;
use contract::reviews::ReviewEvent;
use storage::entities::collaborator::Permission;
use storage::entities::review::ReviewState;

/// Comments of one review. One transaction locates and renders them and queues their events.
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

/// Only its author sees a pending review.
pub fn is_visible(state: ReviewState, author: Option<i64>, caller: Option<i64>) -> bool {
    state != ReviewState::Pending || (author.is_some() && author == caller)
}

/// Authors cannot approve their own pull request, nor request changes.
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

/// Every review except an approval or a pending one needs a text or a comment.
pub fn has_content(event: Option<ReviewEvent>, body: &str, comments: usize) -> Outcome<()> {
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

/// The text of an existing review cannot become empty.
pub fn new_text(body: &str) -> Outcome<()> {
    if body.trim().is_empty() {
        return Err(Problem::Refused("Body can't be blank".into()));
    }
    text(body)
}

/// Limits the comments of one request.
pub fn few_enough(comments: usize) -> Outcome<()> {
    if comments > MOST_COMMENTS {
        let refusal = format!("A review can have at most {MOST_COMMENTS} comments");
        return Err(Problem::Refused(refusal.into()));
    }
    Ok(())
}

/// The author already has a pending review.
pub fn one_pending() -> Problem {
    Problem::Refused("User can only have one pending review per pull request".into())
}

/// The commit is not one of the pull request.
pub fn foreign_commit() -> Problem {
    Problem::Refused("The commitOID is not part of the pull request".into())
}

/// Only a pending review can be submitted.
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

/// Only people with write access dismiss reviews.
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

/// A dismissal needs a message.
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
    fn only_an_approval_needs_no_text() {
        let without_text = EVENTS.map(|event| has_content(event, " \n", 0).is_ok());
        assert_eq!(without_text, [true, true, false, false]);
        for event in EVENTS {
            assert!(has_content(event, "x", 0).is_ok());
            assert!(has_content(event, "", 1).is_ok());
        }
    }

    #[test]
    fn only_the_author_sees_a_pending_review() {
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
    fn the_number_of_comments_is_limited() {
        assert!(few_enough(MOST_COMMENTS).is_ok());
        assert!(few_enough(MOST_COMMENTS + 1).is_err());
    }
}
