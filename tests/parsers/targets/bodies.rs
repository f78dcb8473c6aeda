//! Request bodies: parses any JSON as every kind of body, and applies the area's rules if they
//! are pure.

use contract::apps::CreateInstallationToken;
use contract::body::{Readable, read};
use contract::git_refs::{CreateRef, UpdateRef};
use contract::issue_fields::{CreateIssueField, UpdateIssueField};
use contract::problem::Problem;
use contract::project_fields::{AddOrgProjectField, AddUserProjectField};
use contract::review_comments::{CreateReviewComment, ReplyToReviewComment, UpdateReviewComment};
use forge::{issue_fields, project_fields};
use serde_json::Value;

/// A rejected body has between 1 and 100 error messages, none of them empty.
pub fn bodies(data: &[u8]) {
    let Ok(value @ Value::Object(_)) = serde_json::from_slice::<Value>(data) else {
        return;
    };
    if let Some(body) = fitting::<CreateIssueField>(&value) {
        let _ = issue_fields::rules::draft(body);
    }
    if let Some(body) = fitting::<AddOrgProjectField>(&value) {
        let _ = project_fields::rules::draft(body);
    }
    if let Some(body) = fitting::<AddUserProjectField>(&value) {
        let _ = project_fields::rules::draft(body.into());
    }
    fitting::<UpdateIssueField>(&value);
    fitting::<CreateReviewComment>(&value);
    fitting::<ReplyToReviewComment>(&value);
    fitting::<UpdateReviewComment>(&value);
    fitting::<CreateRef>(&value);
    fitting::<UpdateRef>(&value);
    fitting::<CreateInstallationToken>(&value);
}

fn fitting<T: Readable>(value: &Value) -> Option<T> {
    match read::<T>(value.clone()) {
        Ok(body) => Some(body),
        Err(Problem::Malformed(sentences)) => {
            assert!((1..=100).contains(&sentences.len()));
            assert!(sentences.iter().all(|sentence| !sentence.is_empty()));
            None
        }
        Err(other) => panic!("{other}"),
    }
}
