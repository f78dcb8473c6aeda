//! Selects the recipients of a new comment: the author of the pull request, participants of
//! the thread, and mentioned users. Only users who can read the repository, each once, and
//! never the comment's author.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sea_orm::{ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter, QuerySelect, Set};

use crate::access;
use crate::app::App;
use storage::cache::{CacheKind, Key};
use storage::database::{Connection, dependencies};
use storage::entities::notification::{self, Reason};
use storage::entities::{account, pull, review_comment};

/// A new comment, for finding its recipients.
#[derive(Debug, Clone, Copy)]
pub struct NotifiedComment<'a> {
    pub author: i64,
    pub pull: &'a pull::Model,
    /// The first comment of the thread, for a reply.
    pub root: Option<i64>,
    pub mentioned: &'a [account::Model],
}

/// The recipients of a comment, each with the reason.
pub async fn recipients(
    app: &App,
    comment: NotifiedComment<'_>,
) -> Result<BTreeMap<i64, Reason>, DbErr> {
    let mut reasons: BTreeMap<i64, Reason> = BTreeMap::new();
    if let Some(root) = comment.root {
        for author in thread(app.db.reads(), root).await? {
            reasons.insert(author, Reason::Participant);
        }
    }
    reasons.insert(comment.pull.author_id, Reason::Author);
    for account in comment.mentioned {
        reasons.insert(account.id, Reason::Mention);
    }
    reasons.remove(&comment.author);
    if !reasons.is_empty() {
        let accounts: Vec<i64> = reasons.keys().copied().collect();
        let readers = readers(app, comment.pull.repository_id, &accounts).await?;
        reasons.retain(|recipient, _| readers.contains(recipient));
    }
    Ok(reasons)
}

/// Inserts a notification for each recipient.
pub async fn queue_notifications(
    transaction: &Connection,
    comment: &review_comment::Model,
    recipients: &BTreeMap<i64, Reason>,
) -> Result<(), DbErr> {
    if recipients.is_empty() {
        return Ok(());
    }
    let rows = recipients
        .iter()
        .map(|(recipient, reason)| notification::ActiveModel {
            recipient_id: Set(*recipient),
            pull_id: Set(comment.pull_id),
            comment_id: Set(comment.id),
            reason: Set(*reason),
            created_at: Set(comment.created_at),
            ..Default::default()
        });
    notification::Entity::insert_many(rows)
        .exec_without_returning(transaction)
        .await?;
    Ok(())
}

/// The authors in the thread of a comment.
async fn thread(connection: &Connection, root: i64) -> Result<Vec<i64>, DbErr> {
    let authors: Vec<Option<i64>> = review_comment::Entity::find()
        .select_only()
        .column(review_comment::Column::AuthorId)
        .distinct()
        .filter(
            Condition::any()
                .add(review_comment::Column::Id.eq(root))
                .add(review_comment::Column::InReplyToId.eq(root)),
        )
        .into_tuple()
        .all(connection)
        .await?;
    Ok(authors.into_iter().flatten().collect())
}

/// The accounts that are people with read access to the repository. Their dependencies are
/// tracked separately: the permissions of the caller do not depend on who else has access.
async fn readers(
    app: &App,
    repository_id: i64,
    accounts: &[i64],
) -> Result<Arc<BTreeSet<i64>>, DbErr> {
    let key = Key::of(CacheKind::Readers).number(repository_id);
    let key = accounts.iter().copied().fold(key, Key::number);
    let compute = || access::readers(&app.db, repository_id, accounts);
    dependencies::request(app.cache.get_or_compute(key, compute)).await
}
