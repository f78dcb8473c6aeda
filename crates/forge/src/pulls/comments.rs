//! Updates the comments of a pull request when its head moves: a comment follows its lines,
//! or becomes outdated.
//!
//! The position depends only on the anchor and the new head. So an outdated comment becomes
//! current again when its lines return.

use std::collections::BTreeMap;

use sea_orm::sea_query::{Expr, SimpleExpr};
use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect,
};

use super::anchor::{Anchor, Ground, Spot};
use super::comparison::{BranchHeads, Comparison};
use git::{GitError, Sha};
use storage::database::Connection;
use storage::entities::pull;
use storage::entities::review_comment::{Column, Entity, Side, SubjectType};

/// Updates the comments of a pull request. Call it in the transaction that moves the head
/// or gives it another base. Compares each commented file once, and runs one update per distinct anchor.
pub async fn comments_follow(
    transaction: &Connection,
    pull: &pull::Model,
    new_head: Sha,
) -> Result<(), GitError> {
    let anchors = anchors(transaction, pull.id).await?;
    if anchors.is_empty() {
        return Ok(());
    }
    let branches = BranchHeads {
        head: new_head,
        ..BranchHeads::of(transaction, pull).await?
    };
    let diff = Comparison::of(transaction, branches, new_head).await?;
    let mut ground = Ground::new(pull.repository_id, diff);
    for (path, anchors) in anchors {
        let file = diff.file(transaction, &path).await?;
        for row in anchors {
            let anchor = row.anchor()?;
            let spot = ground.find(transaction, file.as_ref(), &anchor).await?;
            move_to(transaction, pull.id, &row, spot, new_head).await?;
        }
    }
    Ok(())
}

/// A distinct anchor.
#[derive(Debug, FromQueryResult)]
struct Commented {
    path: String,
    original_commit_sha: String,
    original_base_sha: Option<String>,
    subject_type: SubjectType,
    side: Option<Side>,
    original_line: Option<i64>,
    start_side: Option<Side>,
    original_start_line: Option<i64>,
}

impl Commented {
    fn anchor(&self) -> Result<Anchor, DbErr> {
        let base = self.original_base_sha.as_deref();
        Ok(Anchor {
            path: self.path.clone(),
            commit: Sha::stored(&self.original_commit_sha)?,
            base: base.map(Sha::stored).transpose()?,
            subject: self.subject_type,
            side: self.side.unwrap_or(Side::Right),
            line: self.original_line.unwrap_or_default(),
            start: self.start_side.zip(self.original_start_line),
        })
    }
}

const PLACE: [Column; 8] = [
    Column::Path,
    Column::OriginalCommitSha,
    Column::OriginalBaseSha,
    Column::SubjectType,
    Column::Side,
    Column::OriginalLine,
    Column::StartSide,
    Column::OriginalStartLine,
];

async fn anchors(
    transaction: &Connection,
    pull: i64,
) -> Result<BTreeMap<String, Vec<Commented>>, DbErr> {
    let rows = Entity::find()
        .select_only()
        .columns(PLACE)
        .distinct()
        .filter(Column::PullId.eq(pull))
        .order_by_asc(Column::Path)
        .into_model::<Commented>()
        .all(transaction)
        .await?;
    let mut by_path: BTreeMap<String, Vec<Commented>> = BTreeMap::new();
    for row in rows {
        by_path.entry(row.path.clone()).or_default().push(row);
    }
    Ok(by_path)
}

async fn move_to(
    transaction: &Connection,
    pull: i64,
    anchor: &Commented,
    spot: Option<Spot>,
    head: Sha,
) -> Result<(), DbErr> {
    let mut update = Entity::update_many()
        .filter(Column::PullId.eq(pull))
        .filter(Column::Path.eq(&anchor.path))
        .filter(Column::OriginalCommitSha.eq(&anchor.original_commit_sha))
        .filter(eq_or_null(
            Column::OriginalBaseSha,
            anchor.original_base_sha.clone(),
        ))
        .filter(Column::SubjectType.eq(anchor.subject_type))
        .filter(eq_or_null(Column::Side, anchor.side))
        .filter(eq_or_null(Column::OriginalLine, anchor.original_line))
        .filter(eq_or_null(Column::StartSide, anchor.start_side))
        .filter(eq_or_null(
            Column::OriginalStartLine,
            anchor.original_start_line,
        ))
        .col_expr(Column::Line, Expr::value(spot.map(|spot| spot.line)))
        .col_expr(
            Column::StartLine,
            Expr::value(spot.and_then(|spot| spot.start_line)),
        )
        .col_expr(
            Column::Position,
            Expr::value(spot.map(|spot| spot.position)),
        );
    if spot.is_some() {
        update = update.col_expr(Column::CommitSha, Expr::value(head.to_string()));
    }
    update.exec(transaction).await?;
    Ok(())
}

fn eq_or_null(column: Column, value: Option<impl Into<sea_orm::Value>>) -> SimpleExpr {
    match value {
        Some(value) => column.eq(value),
        None => column.is_null(),
    }
}
