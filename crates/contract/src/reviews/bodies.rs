//! The request bodies.

use contract_macros::schema;
use poem_openapi::types::Example;
use serde_json::Value;

use super::super::body::Readable;
use super::super::git_refs::EXAMPLE_SHA;
use super::super::review_comments::{Side, StartSide};

/// The body of `create_review`.
#[schema(example)]
pub struct CreateReview {
    /// The SHA of the commit to review. If omitted, the latest commit of the pull request. A
    /// comment on any other commit may be outdated immediately.
    pub commit_id: Option<String>,
    /// The text of the review, in Markdown. Required for `REQUEST_CHANGES` and `COMMENT` unless
    /// there are comments.
    pub body: Option<String>,
    /// The review action. Omit it to create a pending review.
    pub event: Option<ReviewEvent>,
    /// Comments on the diff, at most 100.
    pub comments: Option<Vec<DraftReviewComment>>,
}

/// A comment of a new review. Either `line` or `position` is required.
#[schema]
pub struct DraftReviewComment {
    /// The file to comment on, relative to the root of the repository.
    pub path: String,
    /// The text of the comment, in Markdown.
    pub body: String,
    /// The position in the diff: the number of lines below the first `@@` header of the file.
    /// Use `line` instead.
    pub position: Option<i64>,
    /// The line of the file in the diff. For a comment on several lines, the last line.
    pub line: Option<i64>,
    /// The side of the diff that `line` is on. If omitted, `RIGHT`.
    pub side: Option<Side>,
    /// The first line of a comment on several lines.
    pub start_line: Option<i64>,
    /// The side of the diff that `start_line` is on. If omitted, that of `line`.
    pub start_side: Option<StartSide>,
}

/// The action of a review.
#[schema(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReviewEvent {
    Approve,
    RequestChanges,
    Comment,
}

impl Readable for CreateReview {
    const REQUIRED: bool = false;

    /// An empty event counts as absent.
    fn prepare(body: &mut Value) {
        let Some(body) = body.as_object_mut() else {
            return;
        };
        if body.get("event").is_some_and(|event| event == "") {
            body.remove("event");
        }
    }
}

impl Example for CreateReview {
    fn example() -> Self {
        Self {
            commit_id: Some(EXAMPLE_SHA.to_owned()),
            body: Some("Nearly there.".to_owned()),
            event: Some(ReviewEvent::RequestChanges),
            comments: Some(vec![DraftReviewComment {
                path: "README.md".to_owned(),
                body: "Why **2**?".to_owned(),
                position: None,
                line: Some(2),
                side: Some(Side::Right),
                start_line: None,
                start_side: None,
            }]),
        }
    }
}

/// The body of `submit_review`.
#[schema(example)]
pub struct SubmitReview {
    /// The text of the review, in Markdown. It replaces the text of the pending review.
    pub body: Option<String>,
    /// The review action.
    pub event: ReviewEvent,
}

impl Readable for SubmitReview {}

impl Example for SubmitReview {
    fn example() -> Self {
        Self {
            body: Some("Ship it.".to_owned()),
            event: ReviewEvent::Approve,
        }
    }
}

/// The body of `update_review`.
#[schema(example)]
pub struct UpdateReview {
    /// The new text of the review, in Markdown.
    pub body: String,
}

impl Readable for UpdateReview {}

impl Example for UpdateReview {
    fn example() -> Self {
        Self {
            body: "Nearly there, **really**.".to_owned(),
        }
    }
}

/// The body of `dismiss_review`.
#[schema(example)]
pub struct DismissReview {
    /// The reason for dismissing the review.
    pub message: String,
    pub event: Option<DismissEvent>,
}

/// The action of `dismiss_review`. Accepted for clients that send it.
#[schema(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DismissEvent {
    Dismiss,
}

impl Readable for DismissReview {}

impl Example for DismissReview {
    fn example() -> Self {
        Self {
            message: "Settled in person.".to_owned(),
            event: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::super::body::read;
    use super::*;

    #[test]
    fn an_empty_event_is_none_and_a_side_has_one_spelling() {
        let body = |side: &str| {
            json!({"event": "", "comments": [
                {"path": "a", "body": "x", "line": 2, "side": side, "start_line": 1},
            ]})
        };
        let review: CreateReview = read(body("LEFT")).unwrap();
        assert_eq!(review.event, None);
        assert_eq!(review.comments.unwrap()[0].side, Some(Side::Left));
        assert!(read::<CreateReview>(body("left")).is_err());
        assert!(read::<SubmitReview>(json!({"event": ""})).is_err());
        assert!(read::<CreateReview>(json!({"event": "PENDING"})).is_err());
    }
}
