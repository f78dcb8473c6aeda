//! Maintained counts equal what they count.

use std::borrow::Cow;

use sea_orm::{ActiveEnum as _, Iterable as _};

use super::Invariant;
use crate::entities::comment_count::List;

pub fn invariant() -> Invariant {
    Invariant {
        name: "comment-counts-match",
        rule: "Each list has as many comments in each bucket as its count says",
        broken: Cow::Owned(miscounted()),
    }
}

/// Counts minus comments: whatever does not cancel out is wrong.
fn miscounted() -> String {
    let comments: String = List::iter().map(counted).collect();
    format!(
        "SELECT list || ' ' || owner_id || ' bucket ' || bucket AS id FROM
            (SELECT list, owner_id, bucket, comments FROM comment_count {comments}) AS every
         GROUP BY list, owner_id, bucket HAVING SUM(comments) <> 0"
    )
}

fn counted(list: List) -> String {
    let (owner, key) = match list {
        List::RepositoryById => ("repository_id", "id"),
        List::RepositoryByCreated => ("repository_id", "created_at"),
        List::RepositoryByUpdated => ("repository_id", "updated_at"),
        List::PullById => ("pull_id", "id"),
        List::PullByCreated => ("pull_id", "created_at"),
        List::PullByUpdated => ("pull_id", "updated_at"),
    };
    format!(
        "UNION ALL SELECT '{name}', {owner}, {key} >> {bits}, -COUNT(*)
         FROM review_comment GROUP BY {owner}, {key} >> {bits} ",
        name = list.to_value(),
        bits = list.bucket_bits()
    )
}
