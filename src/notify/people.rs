//! Selects the recipients of a new comment: the author of the pull request, participants of
//! the thread, and mentioned users. Only users who can read the repository, each once, and
//! never the comment's author.

use std::collections::{BTreeMap, BTreeSet};

use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, Set,
};

use crate::access::readers;
use crate::entities::notification::{self, Reason};
use crate::entities::{account, pull, repository, review_comment};

/// A comment that is to be written.
#[derive(Debug, Clone, Copy)]
pub struct Said<'a> {
    pub author: i64,
    pub pull: &'a pull::Model,
    /// The first comment of the thread, for a reply.
    pub root: Option<i64>,
    pub mentioned: &'a [account::Model],
}

/// The recipients of a comment, with the reason.
pub async fn recipients(
    connection: &impl ConnectionTrait,
    repository: &repository::Model,
    owner: &account::Model,
    said: Said<'_>,
) -> Result<BTreeMap<i64, Reason>, DbErr> {
    let mut reasons: BTreeMap<i64, Reason> = BTreeMap::new();
    if let Some(root) = said.root {
        for author in thread(connection, root).await? {
            reasons.insert(author, Reason::Participant);
        }
    }
    reasons.insert(said.pull.author_id, Reason::Author);
    for account in said.mentioned {
        reasons.insert(account.id, Reason::Mention);
    }
    reasons.remove(&said.author);
    if !reasons.is_empty() {
        let people = people(connection, reasons.keys().copied().collect()).await?;
        let readers = readers(connection, repository, owner, people).await?;
        reasons.retain(|recipient, _| readers.contains(recipient));
    }
    Ok(reasons)
}

/// Inserts a notification for each recipient.
pub async fn queue_notifications(
    transaction: &impl ConnectionTrait,
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
async fn thread(connection: &impl ConnectionTrait, root: i64) -> Result<Vec<i64>, DbErr> {
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

/// Keeps only accounts of people.
async fn people(
    connection: &impl ConnectionTrait,
    accounts: Vec<i64>,
) -> Result<BTreeSet<i64>, DbErr> {
    let ids: Vec<i64> = account::Entity::find()
        .select_only()
        .column(account::Column::Id)
        .filter(account::COLUMN.id.is_in(accounts))
        .filter(account::COLUMN.kind.eq(account::Kind::User))
        .filter(account::COLUMN.mannequin.eq(false))
        .into_tuple()
        .all(connection)
        .await?;
    Ok(ids.into_iter().collect())
}
