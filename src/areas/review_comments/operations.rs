//! The operations of the area.

use async_trait::async_trait;

use super::ReviewComments;
use crate::contract::body::Body;
use crate::contract::call::Call;
use crate::contract::problem::Problem;
use crate::contract::reply::{Empty, Outcome, Reply};
use crate::contract::review_comments::*;
use crate::contract::shared::address::*;

#[async_trait]
impl Operations for ReviewComments {
    async fn list_repo_review_comments(
        &self,
        _call: Call,
        _at: RepoAddress,
        _list: CommentList,
    ) -> Outcome<Reply<200, Vec<ReviewComment>>> {
        Err(Problem::NotImplemented)
    }

    async fn get_review_comment(
        &self,
        _call: Call,
        _at: RepoAddress,
        _comment_id: i64,
    ) -> Outcome<Reply<200, ReviewComment>> {
        Err(Problem::NotImplemented)
    }

    async fn update_review_comment(
        &self,
        _call: Call,
        _at: RepoAddress,
        _comment_id: i64,
        _body: Body<UpdateReviewComment>,
    ) -> Outcome<Reply<200, ReviewComment>> {
        Err(Problem::NotImplemented)
    }

    async fn delete_review_comment(
        &self,
        _call: Call,
        _at: RepoAddress,
        _comment_id: i64,
    ) -> Outcome<Empty> {
        Err(Problem::NotImplemented)
    }

    async fn list_pull_review_comments(
        &self,
        _call: Call,
        _at: RepoAddress,
        _pull_number: i64,
        _list: CommentList,
    ) -> Outcome<Reply<200, Vec<ReviewComment>>> {
        Err(Problem::NotImplemented)
    }

    async fn create_review_comment(
        &self,
        _call: Call,
        _at: RepoAddress,
        _pull_number: i64,
        _body: Body<CreateReviewComment>,
    ) -> Outcome<Reply<201, ReviewComment>> {
        Err(Problem::NotImplemented)
    }

    async fn reply_to_review_comment(
        &self,
        _call: Call,
        _at: RepoAddress,
        _pull_number: i64,
        _comment_id: i64,
        _body: Body<ReplyToReviewComment>,
    ) -> Outcome<Reply<201, ReviewComment>> {
        Err(Problem::NotImplemented)
    }
}
