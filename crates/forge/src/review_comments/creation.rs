//! The rows of a new comment, for requests and world files. The operations check
//! access and limits, and queue notifications and events.

pub mod batched;

use std::collections::BTreeMap;

use sea_orm::{ActiveValue, DbErr, EntityTrait, Set, TryIntoModel};

use super::location::{CommentLocation, prepared};
use super::placement::Placement;
use super::{pending, rows};
use crate::views::markdown::Text;
use contract::problem::Problem;
use contract::reply::Outcome;
use contract::review_comments::CreateReviewComment;
use storage::database::Connection;
use storage::entities::notification::Reason;
use storage::entities::{pull, review, review_comment};

/// A comment of a world file.
#[derive(Debug, Clone)]
pub struct LoadedComment {
    /// The id; None is the next one.
    pub id: Option<i64>,
    pub author: i64,
    pub created_at: i64,
    pub updated_at: i64,
    /// The review that it belongs to; None makes one for it.
    pub review: Option<i64>,
    /// What it was made on. If the diff does not have its lines, it is outdated.
    pub diff_hunk: Option<String>,
    /// `in_reply_to` is the id of a stored comment. Without `commit_id` the comment is on the
    /// head.
    pub body: CreateReviewComment,
}

/// Writes a comment of a world file, by the rules of the create operation, in the transaction
/// of the load. It notifies nobody.
pub async fn load(
    transaction: &Connection,
    pull: &pull::Model,
    loaded: LoadedComment,
) -> Outcome<review_comment::Model> {
    let LoadedComment {
        id,
        author,
        created_at,
        updated_at,
        review,
        diff_hunk,
        mut body,
    } = loaded;
    body.commit_id.get_or_insert_with(|| pull.head_sha.clone());
    let text = prepared(transaction, body.body.clone()).await?;
    let placement = Placement::of(&body)?;
    let location = match (
        CommentLocation::find(transaction, pull, &placement).await,
        diff_hunk,
    ) {
        (Err(Problem::Invalid(problems)), Some(hunk)) => {
            let outdated = CommentLocation::outdated(transaction, pull, &body, hunk).await?;
            outdated.ok_or(Problem::Invalid(problems))?
        }
        (location, _) => location?,
    };
    if let Some(id) = id {
        pending::make_way(transaction, id).await?;
    }
    let new = NewComment {
        id,
        author,
        now: created_at,
        location: &location,
        text: &text,
        recipients: &BTreeMap::new(),
    };
    let review = match review {
        Some(review) => review,
        None => insert_review(transaction, pull, &new).await?,
    };
    let mut row = row(pull, review, &new);
    row.updated_at = Set(updated_at);
    Ok(insert_row(transaction, pull, row, updated_at).await?)
}

/// Gives a comment of a world file a new text.
pub async fn reword(
    transaction: &Connection,
    comment: &review_comment::Model,
    body: String,
    now: i64,
) -> Outcome<()> {
    let text = prepared(transaction, body).await?;
    let new = rows::NewText {
        body: &text.body,
        html: &text.rendered.html,
        text: &text.rendered.text,
    };
    rows::rewrite(transaction, comment.id, new, now).await?;
    Ok(())
}

/// A validated and located comment.
pub struct NewComment<'a> {
    pub id: Option<i64>,
    pub author: i64,
    pub now: i64,
    pub location: &'a CommentLocation,
    pub text: &'a Text,
    /// The recipients of notifications, with the reasons.
    pub recipients: &'a BTreeMap<i64, Reason>,
}

/// Writes a comment and its review.
pub async fn insert(
    transaction: &Connection,
    pull: &pull::Model,
    new: &NewComment<'_>,
) -> Result<review_comment::Model, DbErr> {
    let review = insert_review(transaction, pull, new).await?;
    insert_row(transaction, pull, row(pull, review, new), new.now).await
}

/// The review of a comment that is created alone.
async fn insert_review(
    transaction: &Connection,
    pull: &pull::Model,
    new: &NewComment<'_>,
) -> Result<i64, DbErr> {
    let review = review::ActiveModel {
        pull_id: Set(pull.id),
        author_id: Set(Some(new.author)),
        state: Set(review::ReviewState::Commented),
        commit_sha: Set(new.location.anchor.commit.to_string()),
        submitted_at: Set(new.now),
        ..Default::default()
    };
    let inserted = review::Entity::insert(review).exec(transaction).await?;
    Ok(inserted.last_insert_id)
}

async fn insert_row(
    transaction: &Connection,
    pull: &pull::Model,
    mut comment: review_comment::ActiveModel,
    now: i64,
) -> Result<review_comment::Model, DbErr> {
    // Only the id is assigned by the database.
    let inserted = review_comment::Entity::insert(comment.clone());
    comment.id = Set(inserted.exec(transaction).await?.last_insert_id);
    let comment = comment.try_into_model()?;
    if pull.updated_at < now {
        rows::touch_pull(transaction, pull.id, now).await?;
    }
    Ok(comment)
}

/// The row of a new comment.
pub fn row(pull: &pull::Model, review: i64, new: &NewComment<'_>) -> review_comment::ActiveModel {
    let CommentLocation {
        root,
        anchor,
        diff_hunk,
        original_position,
        commit,
        spot,
    } = new.location;
    review_comment::ActiveModel {
        id: new.id.map_or(ActiveValue::NotSet, Set),
        repository_id: Set(pull.repository_id),
        pull_id: Set(pull.id),
        review_id: Set(review),
        author_id: Set(Some(new.author)),
        in_reply_to_id: Set(*root),
        path: Set(anchor.path.clone()),
        diff_hunk: Set(diff_hunk.clone()),
        subject_type: Set(anchor.subject),
        commit_sha: Set(commit.to_string()),
        original_commit_sha: Set(anchor.commit.to_string()),
        original_base_sha: Set(anchor.base.map(|base| base.to_string())),
        side: Set(Some(anchor.side)),
        start_side: Set(anchor.start.map(|(side, _)| side)),
        line: Set(spot.map(|spot| spot.line)),
        original_line: Set(Some(anchor.line)),
        start_line: Set(spot.and_then(|spot| spot.start_line)),
        original_start_line: Set(anchor.start.map(|(_, line)| line)),
        position: Set(spot.map(|spot| spot.position)),
        original_position: Set(*original_position),
        body: Set(new.text.body.clone()),
        body_html: Set(new.text.rendered.html.clone()),
        body_text: Set(new.text.rendered.text.clone()),
        created_at: Set(new.now),
        updated_at: Set(new.now),
        reactions: Set(None),
    }
}
