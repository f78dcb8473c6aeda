//! Answers that are given again, byte for byte, for as long as all is as it was
//! that they were made of. What has to be found out anew for every request still is: who calls
//! and whether their token still counts, the budget, the request's id.
//!
//! Why an answer may be given again: each operation below answers from the
//! request, the caller, the state of the database and the day, and from nothing
//! else. The request, the caller and the day are the key, and `kept.rs` looks
//! after the database. An answer that will be another one soon although nothing
//! changes says so (`Reply::for_now`), and is not kept.

use std::sync::Arc;

use poem::http::{HeaderMap, StatusCode};
use poem::{Body, Response};

use crate::contract::call::Call;
use crate::contract::caller::Caller;
use crate::contract::reply::ForNow;
use crate::database::{Learnt, Moment};
use crate::kept::{Kept, Room};

/// The operations whose answers are kept. Not among them is what depends on the
/// time (`get_zen`), on the budget (`get_rate_limit`), or is signed by an app.
const STEADY: [&str; 22] = [
    "list_org_project_fields",
    "get_org_project_field",
    "list_user_project_fields",
    "get_user_project_field",
    "list_issue_fields",
    "list_repo_review_comments",
    "get_review_comment",
    "list_pull_review_comments",
    "list_matching_refs",
    "get_ref",
    "list_installation_repositories",
    "list_user_installations",
    "list_user_installation_repositories",
    "list_refs",
    "find_refs",
    "get_commit",
    "get_tag",
    "get_repository",
    "get_repository_by_id",
    "get_pull",
    "get_authenticated_user",
    "get_user",
];

const SECONDS_OF_A_DAY: i64 = 86_400;

/// An answer to a GET, with all of its headers but those of the one request.
#[derive(Debug)]
pub struct Answer {
    pub operation: &'static str,
    pub headers: HeaderMap,
    pub body: bytes::Bytes,
}

impl Answer {
    pub fn response(&self) -> Response {
        let mut response = Response::builder().body(Body::from_bytes(self.body.clone()));
        response.headers_mut().clone_from(&self.headers);
        response
    }
}

/// Which answer: all of the request that an operation sees, and the day.
pub struct Key(Vec<u8>);

impl Key {
    /// None for callers whose right to an answer is not theirs by the state of
    /// the database alone.
    pub fn of(call: &Call, now: i64) -> Option<Self> {
        let caller = match &*call.caller {
            Caller::App { .. } => return None,
            caller => caller.token().unwrap_or_default(),
        };
        let day = now.div_euclid(SECONDS_OF_A_DAY);
        let parts = [&*call.origin, call.prefix, &call.path, &call.query];
        let length: usize = parts.iter().map(|part| part.len() + 1).sum();
        let mut key = Vec::with_capacity(length + 24);
        key.extend_from_slice(&caller.to_be_bytes());
        key.extend_from_slice(&day.to_be_bytes());
        key.push(call.media as u8);
        key.push(call.version as u8);
        for part in parts {
            // None of the parts can hold a NUL: they come from a request's head.
            key.extend_from_slice(part.as_bytes());
            key.push(0);
        }
        Some(Self(key))
    }
}

/// The answers that are kept.
pub struct Answers(Kept<Arc<Answer>>);

impl Answers {
    pub fn new(room: Room) -> Self {
        Self(Kept::new(room))
    }

    pub fn get(&self, moment: &Moment, key: &Key) -> Option<Arc<Answer>> {
        self.0.get(moment, &key.0)
    }

    pub fn put(&self, learnt: Learnt, key: &Key, answer: Answer) {
        let weight = answer.body.len() + answer.headers.len() * 64;
        self.0.put(learnt, &key.0, Arc::new(answer), weight);
    }
}

/// Whether an answer may be given again.
pub fn is_steady(operation: &str, response: &Response) -> bool {
    response.status() == StatusCode::OK
        && STEADY.contains(&operation)
        && response.data::<ForNow>().is_none()
}
