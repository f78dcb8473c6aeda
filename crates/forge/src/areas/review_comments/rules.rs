//! The rules of replies. Rules shared with reviews are in `reviews::rules`.

use crate::reviews::rules::no_such_thread;
use contract::reply::Outcome;

/// `/replies` accepts only the first comment of a thread (Spec, Reply body).
pub fn may_be_replied_to(in_reply_to: Option<i64>) -> Outcome<()> {
    match in_reply_to {
        None => Ok(()),
        Some(_) => Err(no_such_thread()),
    }
}
