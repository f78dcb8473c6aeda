//! What a row of the table tells callers, in the words that GitHub has been recorded to
//! use.

use super::policy::{Operation, Rule};

impl Rule {
    /// The value of `X-Accepted-GitHub-Permissions`: alternatives between
    /// semicolons, each a list of what is needed together.
    pub fn accepted_permissions(&self) -> String {
        match (self.operation, self.permission) {
            (Operation::CreateRef | Operation::UpdateRef, _) => {
                "contents=write; contents=write,workflows=write".to_owned()
            }
            (Operation::GetPull, _) => "pull_requests=read; contents=read".to_owned(),
            (_, Some((name, level))) => format!("{name}={}", level.word()),
            (_, None) => "allows_permissionless_access=true".to_owned(),
        }
    }

    /// The value of `X-Accepted-OAuth-Scopes`, as recorded from GitHub: it names no
    /// scope for pull requests, their comments, and objects, whatever they take.
    pub fn accepted_scopes(&self) -> String {
        use Operation as Op;
        match self.operation {
            Op::ListRepoReviewComments
            | Op::GetReviewComment
            | Op::UpdateReviewComment
            | Op::DeleteReviewComment
            | Op::ListPullReviewComments
            | Op::CreateReviewComment
            | Op::ReplyToReviewComment
            | Op::GetPull
            | Op::GetCommit
            | Op::GetTag => String::new(),
            Op::GetOrganization => "admin:org, read:org, repo, user, write:org".to_owned(),
            _ => self.scopes.join(", "),
        }
    }
}
