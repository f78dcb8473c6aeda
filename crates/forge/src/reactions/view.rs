//! Views of reactions.

use super::Comment;
use crate::accounts::rows::AccountsById;
use crate::node_id;
use crate::urls::Urls;
use contract::reactions::{Reaction, ReactionContent};
use contract::values::Timestamp;
use storage::entities::reaction::{self, Content};

pub fn reaction(
    urls: &Urls,
    repository: i64,
    comment: Comment,
    row: &reaction::Model,
    accounts: &AccountsById,
) -> Reaction {
    let user = row.user_id.and_then(|id| accounts.get(&id));
    Reaction {
        id: row.id,
        node_id: node_id::reaction(repository, comment.id(), row.id),
        user: user.map(|account| urls.user(account)).into(),
        content: content_view(row.content),
        created_at: Timestamp(row.created_at),
    }
}

fn content_view(content: Content) -> ReactionContent {
    match content {
        Content::PlusOne => ReactionContent::PlusOne,
        Content::MinusOne => ReactionContent::MinusOne,
        Content::Laugh => ReactionContent::Laugh,
        Content::Confused => ReactionContent::Confused,
        Content::Heart => ReactionContent::Heart,
        Content::Hooray => ReactionContent::Hooray,
        Content::Rocket => ReactionContent::Rocket,
        Content::Eyes => ReactionContent::Eyes,
    }
}

pub fn stored(content: ReactionContent) -> Content {
    match content {
        ReactionContent::PlusOne => Content::PlusOne,
        ReactionContent::MinusOne => Content::MinusOne,
        ReactionContent::Laugh => Content::Laugh,
        ReactionContent::Confused => Content::Confused,
        ReactionContent::Heart => Content::Heart,
        ReactionContent::Hooray => Content::Hooray,
        ReactionContent::Rocket => Content::Rocket,
        ReactionContent::Eyes => Content::Eyes,
    }
}
