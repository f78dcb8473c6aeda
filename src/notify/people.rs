//! Who is to hear of a new comment: the author of the pull request, whoever wrote
//! in the thread, and whom the comment mentions; only users who can read the
//! repository, each once, and never the one who wrote it.

use std::collections::{BTreeMap, BTreeSet};

use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, Set,
};

use super::Event;
use crate::access::readers;
use crate::entities::notification::{self, Reason};
use crate::entities::{account, review_comment};

/// Writes a notification for each of them, and says whether there is any.
pub async fn tell_people(
    transaction: &impl ConnectionTrait,
    event: &Event,
    mentioned: &[account::Model],
) -> Result<bool, DbErr> {
    let mut reasons: BTreeMap<i64, Reason> = BTreeMap::new();
    for author in thread(transaction, &event.comment).await? {
        reasons.insert(author, Reason::Participant);
    }
    reasons.insert(event.pull.author_id, Reason::Author);
    for account in mentioned {
        reasons.insert(account.id, Reason::Mention);
    }
    if let Some(author) = event.comment.author_id {
        reasons.remove(&author);
    }
    if reasons.is_empty() {
        return Ok(false);
    }
    let people = people(transaction, reasons.keys().copied().collect()).await?;
    let readers = readers(transaction, &event.repository, &event.owner, people).await?;
    let rows: Vec<_> = reasons
        .into_iter()
        .filter(|(recipient, _)| readers.contains(recipient))
        .map(|(recipient, reason)| notification::ActiveModel {
            recipient_id: Set(recipient),
            pull_id: Set(event.pull.id),
            comment_id: Set(event.comment.id),
            reason: Set(reason),
            created_at: Set(event.now),
            ..Default::default()
        })
        .collect();
    let told = !rows.is_empty();
    if told {
        notification::Entity::insert_many(rows)
            .exec_without_returning(transaction)
            .await?;
    }
    Ok(told)
}

/// Whoever wrote in the thread of a comment.
async fn thread(
    transaction: &impl ConnectionTrait,
    comment: &review_comment::Model,
) -> Result<Vec<i64>, DbErr> {
    let Some(root) = comment.in_reply_to_id else {
        return Ok(Vec::new());
    };
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
        .all(transaction)
        .await?;
    Ok(authors.into_iter().flatten().collect())
}

/// Those of the accounts that are people.
async fn people(
    transaction: &impl ConnectionTrait,
    accounts: Vec<i64>,
) -> Result<BTreeSet<i64>, DbErr> {
    let ids: Vec<i64> = account::Entity::find()
        .select_only()
        .column(account::Column::Id)
        .filter(account::COLUMN.id.is_in(accounts))
        .filter(account::COLUMN.kind.eq(account::Kind::User))
        .into_tuple()
        .all(transaction)
        .await?;
    Ok(ids.into_iter().collect())
}
