//! What can be replied to. The rules that reviews share are in `reviews::rules`.

use crate::contract::reply::Outcome;
use crate::reviews::rules::no_such_thread;

/// `/replies` takes the first comment of a thread and no reply (Spec, Reply body).
pub fn may_be_replied_to(in_reply_to: Option<i64>) -> Outcome<()> {
    match in_reply_to {
        None => Ok(()),
        Some(_) => Err(no_such_thread()),
    }
}
