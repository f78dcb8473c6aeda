//! The validators of request bodies, for the items of a file that mean one.

use serde_json::Value;

use crate::contract::body::{self, Readable};
use crate::contract::issue_fields::CreateIssueField;
use crate::contract::problem::Problem;
use crate::contract::project_fields::AddOrgProjectField;
use crate::contract::review_comments::CreateReviewComment;
use crate::world::check::BodyRules;

pub const RULES: BodyRules = BodyRules {
    issue_field: complaints::<CreateIssueField>,
    project_field: complaints::<AddOrgProjectField>,
    review_comment: complaints::<CreateReviewComment>,
};

fn complaints<T: Readable>(body: &Value) -> Vec<String> {
    match body::read::<T>(body.clone()) {
        Ok(_) => Vec::new(),
        Err(Problem::Malformed(sentences)) => sentences,
        Err(other) => vec![other.to_string()],
    }
}
