//! The request bodies. The same body creates a comment on a line, on several lines or on a
//! file, or a reply; `forge::review_comments` decides which.

use contract_macros::schema;
use poem_openapi::types::Example;
use serde_json::Value;

use super::super::body::Readable;
use super::super::git_refs::EXAMPLE_SHA;
use super::view::{Side, SubjectType};

/// The body of `create_review_comment`.
///
/// If `in_reply_to` is given, all other properties except `body` are ignored. Otherwise,
/// `commit_id` and `path` are required, and so is `line` unless `subject_type` is `file` or
/// `position` is given.
#[schema(closed, example)]
pub struct CreateReviewComment {
    /// The text of the comment, in Markdown.
    pub body: String,
    /// The SHA of the commit to comment on. A comment on a commit other than the latest may
    /// be outdated immediately, if a later commit changes the line. Required unless
    /// `in_reply_to` is given.
    pub commit_id: Option<String>,
    /// The path of the file to comment on, relative to the root of the repository. Required
    /// unless `in_reply_to` is given.
    pub path: Option<String>,
    /// Deprecated: use `line`. The position in the diff: the number of lines below the
    /// first `@@` header of the file. The line just below the header is 1, and the count
    /// continues through blank lines and further hunks. If `position` is given, `line`,
    /// `side`, `start_line` and `start_side` are not required.
    #[schema(deprecated)]
    pub position: Option<i64>,
    /// The side of the diff: `LEFT` for deletions, `RIGHT` for additions and unchanged
    /// lines. For a multi-line comment, the side of the last line. If omitted, `RIGHT`.
    pub side: Option<Side>,
    /// The line of the file in the diff to comment on. For a multi-line comment, the last
    /// line. Required unless `subject_type` is `file`, or `in_reply_to` or `position` is
    /// given.
    pub line: Option<i64>,
    /// The first line of a multi-line comment. Required for multi-line comments unless
    /// `in_reply_to` is given.
    pub start_line: Option<i64>,
    /// The side of the diff that the first line of a multi-line comment is on. Required for
    /// multi-line comments unless `in_reply_to` is given.
    pub start_side: Option<StartSide>,
    /// The identifier of the review comment to reply to. If that comment is itself a reply,
    /// the new comment joins its thread. All other properties except `body` are ignored.
    pub in_reply_to: Option<i64>,
    /// Whether the comment is on a line or on the whole file.
    pub subject_type: Option<SubjectType>,
}

/// A side of the diff. `side` stands for the side of the last line.
#[schema]
pub enum StartSide {
    #[schema(rename = "LEFT")]
    Left,
    #[schema(rename = "RIGHT")]
    Right,
    #[schema(rename = "side")]
    Side,
}

impl Readable for CreateReviewComment {
    /// With `in_reply_to`, every key but `body` is ignored, even with an invalid value (Spec,
    /// Pull request review comments, create body).
    fn prepare(body: &mut Value) {
        let Some(body) = body.as_object_mut() else {
            return;
        };
        if body.contains_key("in_reply_to") {
            body.retain(|name, _| matches!(name.as_str(), "body" | "in_reply_to"));
        }
    }
}

impl Example for CreateReviewComment {
    fn example() -> Self {
        Self {
            body: "Why **2**?".to_owned(),
            commit_id: Some(EXAMPLE_SHA.to_owned()),
            path: Some("README.md".to_owned()),
            position: None,
            side: Some(Side::Right),
            line: Some(2),
            start_line: None,
            start_side: None,
            in_reply_to: None,
            subject_type: None,
        }
    }
}

/// The body of `update_review_comment`.
#[schema(example)]
pub struct UpdateReviewComment {
    /// The new text of the comment, in Markdown.
    pub body: String,
}

impl Readable for UpdateReviewComment {}

impl Example for UpdateReviewComment {
    fn example() -> Self {
        Self {
            body: "Why **2** and not `two`?".to_owned(),
        }
    }
}

/// The body of `reply_to_review_comment`.
#[schema(example)]
pub struct ReplyToReviewComment {
    /// The text of the reply, in Markdown.
    pub body: String,
}

impl Readable for ReplyToReviewComment {}

impl Example for ReplyToReviewComment {
    fn example() -> Self {
        Self {
            body: "Shorter.".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::super::body::read;
    use super::super::super::problem::Problem;
    use super::*;

    fn created(body: Value) -> CreateReviewComment {
        read(body).unwrap()
    }

    fn sentences(body: Value) -> Vec<String> {
        match read::<CreateReviewComment>(body) {
            Err(Problem::Malformed(sentences)) => sentences,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_reply_ignores_everything_else_even_nonsense() {
        let reply = created(json!({
            "body": "Shorter.", "in_reply_to": 9001, "commit_id": 7, "path": null, "line": "two",
            "side": "UP", "start_side": [], "subject_type": {}, "position": -1.5, "unheard_of": 1,
        }));
        assert_eq!(reply.in_reply_to, Some(9001));
        assert_eq!(
            serde_json::to_value(reply).unwrap(),
            json!({"body": "Shorter.", "in_reply_to": 9001})
        );
    }

    #[test]
    fn a_reply_still_needs_a_body_and_a_number() {
        assert_eq!(
            sentences(json!({"in_reply_to": "first", "line": 2})),
            [
                r#""body" wasn't supplied."#,
                r#"For 'properties/in_reply_to', "first" is not an integer."#,
            ]
        );
    }

    #[test]
    fn a_side_has_the_spelling_of_the_specification() {
        let comment = created(json!({"body": "x", "side": "LEFT", "start_side": "side"}));
        assert_eq!(comment.side, Some(Side::Left));
        assert_eq!(comment.start_side, Some(StartSide::Side));
        assert_eq!(
            sentences(json!({
                "body": "x", "line": 3, "side": "right", "start_line": 2, "start_side": "SIDE",
            })),
            [
                r#"For 'properties/side', right is not a member of ["LEFT", "RIGHT"]."#,
                r#"For 'properties/start_side', SIDE is not a member of ["LEFT", "RIGHT", "side"]."#,
            ]
        );
    }

    #[test]
    fn without_in_reply_to_every_parameter_is_validated() {
        assert_eq!(
            sentences(json!({"body": "x", "side": "up", "line": "two", "subject_type": "word"})),
            [
                r#"For 'properties/side', up is not a member of ["LEFT", "RIGHT"]."#,
                r#"For 'properties/line', "two" is not an integer."#,
                r#"For 'properties/subject_type', word is not a member of ["line", "file"]."#,
            ]
        );
    }

    #[test]
    fn in_reply_to_id_is_a_key_of_answers_only() {
        assert_eq!(
            sentences(json!({"body": "x", "in_reply_to_id": 9001})),
            [r#""in_reply_to_id" is not a permitted key."#]
        );
    }

    #[test]
    fn every_body_must_have_a_text() {
        let missing = [r#""body" wasn't supplied."#];
        assert_eq!(sentences(json!({"line": 2})), missing);
        let update = read::<UpdateReviewComment>(json!({}));
        assert!(matches!(update, Err(Problem::Malformed(found)) if found == missing));
        let reply = read::<ReplyToReviewComment>(json!({}));
        assert!(matches!(reply, Err(Problem::Malformed(found)) if found == missing));
    }
}
