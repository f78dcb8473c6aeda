//! Answers that are given again, byte for byte, for as long as all is as it was
//! that they were made of. What has to be found out anew for every request still is: who calls
//! and whether their token still counts, the budget, the request's id.
//!
//! Why an answer may be given again: each operation below answers from the
//! request, the caller, the state of the database and the day, and from nothing
//! else. The request, the caller and the day are the key, and `memory.rs` looks
//! after the database. An answer that will be another one soon although nothing
//! changes says so (`Reply::for_now`), and is not kept.

use std::sync::Arc;

use poem::http::{HeaderMap, StatusCode};
use poem::{Body, Response};

use crate::contract::call::Call;
use crate::contract::caller::Caller;
use crate::contract::reply::ForNow;
use crate::database::Moment;
use crate::memory::{self, Memorable, Memory, Renewal, Turn};

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

impl Memorable for Answer {
    fn weight(&self) -> usize {
        self.body.len() + self.headers.len() * 64
    }
}

/// Which answer: all of the request that an operation sees, and the day. None for
/// callers whose right to an answer is not theirs by the database alone.
pub fn key(call: &Call, now: i64) -> Option<memory::Key> {
    let caller = match &*call.caller {
        Caller::App { .. } => return None,
        caller => caller.token().unwrap_or_default(),
    };
    let key = memory::Key::of("answer")
        .number(caller)
        .number(now.div_euclid(SECONDS_OF_A_DAY))
        .number(call.media as i64)
        .number(call.version as i64);
    // None of the parts can hold a NUL: they come from a request's head.
    let parts = [&*call.origin, call.prefix, &call.path, &call.query];
    Some(parts.into_iter().fold(key, memory::Key::text))
}

/// Whether an answer may be given again.
pub fn is_steady(operation: &str, response: &Response) -> bool {
    response.status() == StatusCode::OK
        && STEADY.contains(&operation)
        && response.data::<ForNow>().is_none()
}

/// Where an answer is remembered, and since when it would be known.
pub type Place = (Moment, memory::Key);

/// What comes of asking again for an answer that holds no longer.
pub enum Renewed {
    Known(Arc<Answer>),
    /// To be found out. With a turn, also for those who wait for it.
    Unknown {
        place: Option<Place>,
        turn: Option<Turn>,
    },
}

/// Waits while somebody else finds out the same.
pub async fn renewed(memory: &Memory, place: Option<Place>) -> Renewed {
    let alone = |place| Renewed::Unknown { place, turn: None };
    let Some((since, key)) = place else {
        return alone(None);
    };
    let turn = match memory.renewal::<Answer>(&key).await {
        None => return alone(Some((since, key))),
        Some(Renewal::Found(answer)) => return Renewed::Known(answer),
        Some(Renewal::Mine(turn)) => turn,
    };
    // What is shared must be new to those who wait: who the caller is, too.
    let Some(now) = memory.renewed(&since).await else {
        return alone(Some((since, key)));
    };
    match memory.get(&now, &key) {
        Some(answer) => Renewed::Known(answer),
        None => Renewed::Unknown {
            place: Some((now, key)),
            turn: Some(turn),
        },
    }
}
