//! Reactions to comments on issues and on diffs.

use contract_macros::{operations, schema};
use poem_openapi::registry::MetaSchema;
use poem_openapi::types::{Example, ParseError, ParseFromParameter, ParseResult};
use serde::{Deserialize, Serialize};

use super::body::{Body, Readable};
use super::call::Call;
use super::paging::{Page, PageNumber, PerPage};
use super::reply::{CreatedOrExisting, Empty, Outcome, Reply};
use super::shared::address::RepoAddress;
use super::shared::user::User;
use super::values::{Nullable, Timestamp, described};

/// The operations; `forge::reactions` implements them.
#[operations(Reactions)]
pub trait Operations: Send + Sync {
    /// List reactions for an issue comment
    ///
    /// Returns the reactions to a comment on an issue or a pull request, oldest first.
    #[get(
        "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions",
        docs = "reactions/reactions#list-reactions-for-an-issue-comment"
    )]
    #[access(open, READ_ISSUES)]
    #[fails(403, 404, 422)]
    async fn list_issue_comment_reactions(
        &self,
        call: Call,
        at: RepoAddress,
        #[example("9501")] comment_id: i64,
        #[query(content: Option<ReactionContent>, per_page: PerPage, page: PageNumber)]
        list: ReactionList,
    ) -> Outcome<Reply<200, Vec<Reaction>>>;

    /// Create reaction for an issue comment
    ///
    /// Creates a reaction to a comment on an issue or a pull request. Returns 200 if the caller
    /// has already reacted with this content.
    #[post(
        "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions",
        docs = "reactions/reactions#create-reaction-for-an-issue-comment"
    )]
    #[access(token, WRITE_ISSUES)]
    #[fails(403, 404, 422)]
    async fn create_issue_comment_reaction(
        &self,
        call: Call,
        at: RepoAddress,
        #[example("9501")] comment_id: i64,
        body: Body<CreateReaction>,
    ) -> Outcome<CreatedOrExisting<Reaction>>;

    /// Delete an issue comment reaction
    ///
    /// Deletes a reaction to a comment on an issue or a pull request. Only its author can
    /// delete it.
    #[delete(
        "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions/{reaction_id}",
        docs = "reactions/reactions#delete-an-issue-comment-reaction"
    )]
    #[access(token, WRITE_ISSUES)]
    #[fails(403, 404)]
    async fn delete_issue_comment_reaction(
        &self,
        call: Call,
        at: RepoAddress,
        #[example("9501")] comment_id: i64,
        reaction_id: i64,
    ) -> Outcome<Empty>;

    /// List reactions for a pull request review comment
    ///
    /// Returns the reactions to a review comment, oldest first.
    #[get(
        "/repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions",
        docs = "reactions/reactions#list-reactions-for-a-pull-request-review-comment"
    )]
    #[access(open, READ_PULLS)]
    #[fails(403, 404, 422)]
    async fn list_review_comment_reactions(
        &self,
        call: Call,
        at: RepoAddress,
        comment_id: i64,
        #[query(content: Option<ReactionContent>, per_page: PerPage, page: PageNumber)]
        list: ReactionList,
    ) -> Outcome<Reply<200, Vec<Reaction>>>;

    /// Create reaction for a pull request review comment
    ///
    /// Creates a reaction to a review comment. Returns 200 if the caller has already reacted
    /// with this content.
    #[post(
        "/repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions",
        docs = "reactions/reactions#create-reaction-for-a-pull-request-review-comment"
    )]
    #[access(token, WRITE_PULLS)]
    #[fails(403, 404, 422)]
    async fn create_review_comment_reaction(
        &self,
        call: Call,
        at: RepoAddress,
        comment_id: i64,
        body: Body<CreateReaction>,
    ) -> Outcome<CreatedOrExisting<Reaction>>;

    /// Delete a pull request comment reaction
    ///
    /// Deletes a reaction to a review comment. Only its author can delete it.
    #[delete(
        "/repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions/{reaction_id}",
        docs = "reactions/reactions#delete-a-pull-request-comment-reaction"
    )]
    #[access(token, WRITE_PULLS)]
    #[fails(403, 404)]
    async fn delete_review_comment_reaction(
        &self,
        call: Call,
        at: RepoAddress,
        comment_id: i64,
        reaction_id: i64,
    ) -> Outcome<Empty>;
}

/// The parameters of a list of reactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReactionList {
    /// Only reactions with this content.
    pub content: Option<ReactionContent>,
    pub page: Page,
}

impl From<(Option<ReactionContent>, PerPage, PageNumber)> for ReactionList {
    fn from((content, per_page, page): (Option<ReactionContent>, PerPage, PageNumber)) -> Self {
        Self {
            content,
            page: (per_page, page).into(),
        }
    }
}

/// A reaction to a comment.
#[schema(example)]
pub struct Reaction {
    /// The identifier of the reaction.
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    /// The user who reacted. `null` if the account no longer exists.
    pub user: Nullable<User>,
    pub content: ReactionContent,
    /// When the reaction was created.
    pub created_at: Timestamp,
}

/// The body of `create_issue_comment_reaction` and `create_review_comment_reaction`.
#[schema(example)]
pub struct CreateReaction {
    pub content: ReactionContent,
}

impl Readable for CreateReaction {}

/// The content of a reaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReactionContent {
    #[serde(rename = "+1")]
    PlusOne,
    #[serde(rename = "-1")]
    MinusOne,
    Laugh,
    Confused,
    Heart,
    Hooray,
    Rocket,
    Eyes,
}

// Not an enumeration in the document: most languages give `+1` and `-1` the same name.
described!(
    ReactionContent,
    "ReactionContent",
    MetaSchema {
        pattern: Some("^([+-]1|laugh|confused|heart|hooray|rocket|eyes)$".to_owned()),
        description: Some(
            "`+1`, `-1`, `laugh`, `confused`, `heart`, `hooray`, `rocket` or `eyes`."
        ),
        ..MetaSchema::new("string")
    }
);

impl ParseFromParameter for ReactionContent {
    fn parse_from_parameter(value: &str) -> ParseResult<Self> {
        let content = serde_json::Value::from(value);
        serde_json::from_value(content)
            .map_err(|_| ParseError::custom(format!("{value} is not a reaction.")))
    }
}

impl Example for CreateReaction {
    fn example() -> Self {
        Self {
            content: ReactionContent::Heart,
        }
    }
}

impl Example for Reaction {
    fn example() -> Self {
        Self {
            id: 1,
            node_id: "REA_kwDNB9LNIykB".to_owned(),
            user: Some(User::example()).into(),
            content: ReactionContent::Heart,
            created_at: Timestamp(1_773_135_000),
        }
    }
}
