//! The request body that creates or updates a comment.

use contract_macros::schema;
use poem_openapi::types::Example;

use super::super::body::Readable;

/// The body of `create_issue_comment` and `update_issue_comment`.
#[schema(example)]
pub struct WriteIssueComment {
    /// The text of the comment, in Markdown.
    pub body: String,
}

impl Readable for WriteIssueComment {}

impl Example for WriteIssueComment {
    fn example() -> Self {
        Self {
            body: "Does it still squeak when it is **warm**?".to_owned(),
        }
    }
}
