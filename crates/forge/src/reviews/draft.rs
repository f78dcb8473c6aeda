//! A new review before it is stored: its texts rendered, and its comments located in the
//! diff. Only reads.

use std::collections::BTreeMap;

use sea_orm::{DbErr, TryIntoModel};

use super::rules;
use crate::pulls::anchor::{Anchor, Ground};
use crate::pulls::comparison::{BranchHeads, Comparison, brings};
use crate::review_comments::creation;
use crate::review_comments::creation::NewComment;
use crate::review_comments::location::{CommentLocation, Survey};
use crate::review_comments::placement::{Place, Placement};
use crate::review_comments::rules as comment_rules;
use crate::views::markdown::Text;
use contract::problem::Problem;
use contract::reply::Outcome;
use contract::review_comments::{CreateReviewComment, StartSide};
use contract::reviews::{CreateReview, DraftReviewComment, ReviewEvent};
use git::Sha;
use storage::database::Connection;
use storage::entities::{pull, review_comment};

/// A valid review whose comments are not located yet.
pub struct ReviewDraft {
    pub author: i64,
    pub event: Option<ReviewEvent>,
    /// The reviewed commit; None is the head.
    pub commit: Option<String>,
    pub text: Text,
    pub comments: Vec<DraftComment>,
}

/// A comment of a draft.
pub struct DraftComment {
    path: String,
    place: Place,
    pub text: Text,
}

impl ReviewDraft {
    /// Checks what can be checked without the diff, and renders the texts.
    pub async fn of(connection: &Connection, author: i64, body: CreateReview) -> Outcome<Self> {
        let comments = body.comments.unwrap_or_default();
        rules::few_enough(comments.len())?;
        let text = body.body.unwrap_or_default();
        rules::has_content(body.event, &text, comments.len())?;
        rules::text(&text)?;
        let mut places = Vec::with_capacity(comments.len());
        let mut bodies = vec![text];
        for comment in comments {
            comment_rules::text(&comment.body)?;
            let (path, place, body) = placed(comment)?;
            places.push((path, place));
            bodies.push(body);
        }
        let mut texts = Text::render_all(connection, bodies).await?.into_iter();
        let text = texts.next();
        Ok(Self {
            author,
            event: body.event,
            commit: body.commit_id,
            text: text.ok_or_else(|| Problem::internal("a text was lost"))?,
            comments: places
                .into_iter()
                .zip(texts)
                .map(|((path, place), text)| DraftComment { path, place, text })
                .collect(),
        })
    }

    /// Locates the comments in the diff, file by file, in the order of the comments.
    pub async fn locate(&self, connection: &Connection, branches: BranchHeads) -> Outcome<Located> {
        let commit = match &self.commit {
            None => branches.head,
            Some(sha) => reviewed_commit(connection, branches, sha).await?,
        };
        let mut by_path: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, comment) in self.comments.iter().enumerate() {
            by_path.entry(&comment.path).or_default().push(index);
        }
        let mut locations = BTreeMap::new();
        if !by_path.is_empty() {
            let mut survey = Survey::of(connection, branches, &commit.to_string()).await?;
            for (path, indexes) in by_path {
                let mut file = survey.file(connection, path).await?;
                for index in indexes {
                    let place = &self.comments[index].place;
                    let location = survey.locate(connection, &mut file, place).await?;
                    locations.insert(index, location);
                }
            }
        }
        Ok(Located {
            commit,
            comments: locations.into_values().collect(),
        })
    }
}

/// The reviewed commit of a draft, and the locations of its comments.
#[derive(Debug)]
pub struct Located {
    pub commit: Sha,
    pub comments: Vec<CommentLocation>,
}

impl Located {
    /// The rows of the comments, with these ids.
    pub fn rows(
        &self,
        pull: &pull::Model,
        review: i64,
        draft: &ReviewDraft,
        ids: &[i64],
        now: i64,
    ) -> Result<Vec<review_comment::Model>, DbErr> {
        let no_recipients = BTreeMap::new();
        let comments = self.comments.iter().zip(&draft.comments).zip(ids);
        comments
            .map(|((location, comment), id)| {
                let new = NewComment {
                    id: Some(*id),
                    author: draft.author,
                    now,
                    location,
                    text: &comment.text,
                    recipients: &no_recipients,
                };
                creation::row(pull, review, &new).try_into_model()
            })
            .collect()
    }
}

async fn reviewed_commit(
    connection: &Connection,
    branches: BranchHeads,
    sha: &str,
) -> Outcome<Sha> {
    let commit: Sha = sha.parse().map_err(|_| rules::foreign_commit())?;
    match brings(connection, branches, commit).await? {
        true => Ok(commit),
        false => Err(rules::foreign_commit()),
    }
}

/// The requested place of a comment, by the rules of single comments. Only the side of the
/// first line is optional.
fn placed(comment: DraftReviewComment) -> Outcome<(String, Place, String)> {
    let start_side = comment.start_line.map(|_| StartSide::Side);
    let body = CreateReviewComment {
        body: comment.body,
        commit_id: Some(String::new()),
        path: Some(comment.path),
        position: comment.position,
        side: comment.side,
        line: comment.line,
        start_line: comment.start_line,
        start_side: comment.start_side.or(start_side),
        in_reply_to: None,
        subject_type: None,
    };
    match Placement::of(&body)? {
        Placement::InDiff { path, place, .. } => Ok((path, place, body.body)),
        Placement::Reply(_) => Err(Problem::internal("a draft is no reply")),
    }
}

/// Moves the comments of a pending review to where their lines are in the diff to the
/// head. Comments whose lines are gone are outdated, and keep their last commit.
pub async fn place_again(
    connection: &Connection,
    pull: &pull::Model,
    comments: &mut [review_comment::Model],
) -> Outcome<()> {
    if comments.is_empty() {
        return Ok(());
    }
    let branches = BranchHeads::of(connection, pull).await?;
    let diff = Comparison::of(connection, branches, branches.head).await?;
    let mut ground = Ground::new(pull.repository_id, diff);
    let mut by_path: BTreeMap<String, Vec<&mut review_comment::Model>> = BTreeMap::new();
    for comment in comments {
        let path = comment.path.clone();
        by_path.entry(path).or_default().push(comment);
    }
    for (path, comments) in by_path {
        let file = diff.file(connection, &path).await?;
        for comment in comments {
            let anchor = Anchor::stored(comment)?;
            let spot = ground.find(connection, file.as_ref(), &anchor).await?;
            if spot.is_some() {
                comment.commit_sha = branches.head.to_string();
            }
            comment.line = spot.map(|spot| spot.line);
            comment.start_line = spot.and_then(|spot| spot.start_line);
            comment.position = spot.map(|spot| spot.position);
        }
    }
    Ok(())
}
