//! Faults: rules by which requests fail, to see how a client copes.

mod bodies;

use std::fmt;

use forgewright_macros::operations;
use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::super::body::Body;
use super::super::reply::{Empty, Outcome, Reply};
use super::super::values::{Nullable, Timestamp};
use super::ControlCall;
pub use bodies::CreateFault;

/// What can be done with faults; `control/faults.rs` is how.
#[operations(Faults)]
pub trait Operations: Send + Sync {
    /// List faults
    ///
    /// Returns the rules of a world in the order in which they are tried, which is that of
    /// their making.
    #[get("/_forgewright/worlds/{world}/faults")]
    #[access(control)]
    #[fails(404)]
    async fn list_faults(
        &self,
        call: ControlCall,
        world: String,
    ) -> Outcome<Reply<200, Vec<Fault>>>;

    /// Create a fault
    ///
    /// Adds a rule. Each request is held against the rules in order, and the first that applies
    /// decides what becomes of it. A request that is to fail is not carried out, unless `after`
    /// says so. Rules apply to the API and to Git clients, never to the control API.
    #[post("/_forgewright/worlds/{world}/faults")]
    #[access(control)]
    #[fails(400, 404, 422)]
    async fn create_fault(
        &self,
        call: ControlCall,
        world: String,
        body: Body<CreateFault>,
    ) -> Outcome<Reply<201, Fault>>;

    /// Delete all faults
    ///
    /// Deletes every rule of a world, so that nothing fails any more.
    #[delete("/_forgewright/worlds/{world}/faults")]
    #[access(control)]
    #[fails(404)]
    async fn delete_faults(&self, call: ControlCall, world: String) -> Outcome<Empty>;

    /// Get a fault
    ///
    /// Returns one rule, with how often it was used.
    #[get("/_forgewright/worlds/{world}/faults/{fault_id}")]
    #[access(control)]
    #[fails(404)]
    async fn get_fault(
        &self,
        call: ControlCall,
        world: String,
        fault_id: i64,
    ) -> Outcome<Reply<200, Fault>>;

    /// Delete a fault
    ///
    /// Deletes one rule.
    #[delete("/_forgewright/worlds/{world}/faults/{fault_id}")]
    #[access(control)]
    #[fails(404)]
    async fn delete_fault(&self, call: ControlCall, world: String, fault_id: i64)
    -> Outcome<Empty>;
}

/// What becomes of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum FaultEffect {
    /// An answer with `status`, and the body that GitHub sends with it.
    Status,
    /// The secondary rate limit, with `Retry-After`.
    SecondaryLimit,
    /// The hourly budget is used up until `X-RateLimit-Reset`.
    PrimaryLimit,
    /// The usual answer, `latency_ms` later.
    Latency,
    /// The connection is closed without an answer.
    Drop,
    /// The connection is closed in the middle of the body.
    Truncate,
    /// A whole answer whose JSON ends in the middle.
    Malformed,
}

/// As it is in JSON.
impl fmt::Display for FaultEffect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(formatter)
    }
}

/// The methods of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "UPPERCASE")]
#[serde(rename_all = "UPPERCASE")]
pub enum FaultMethod {
    Get,
    Head,
    Post,
    Put,
    Patch,
    Delete,
    Options,
}

/// As requests have it.
impl fmt::Display for FaultMethod {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(formatter)
    }
}

/// A rule by which requests fail.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct Fault {
    pub id: i64,
    /// The operation that it applies to; null for all.
    pub operation: Nullable<String>,
    /// The method that it applies to; null for all.
    pub method: Nullable<FaultMethod>,
    /// The paths that it applies to; null for all.
    pub path: Nullable<String>,
    /// The callers that it applies to; null for all.
    pub caller: Nullable<String>,
    /// How likely it is used for a request that it applies to.
    pub probability: f64,
    /// How many requests pass before it is used first.
    pub skip: i64,
    /// How often it is used at most; null without end.
    pub times: Nullable<i64>,
    pub effect: FaultEffect,
    /// The status of the answer; null if the effect has none of its own.
    pub status: Nullable<i64>,
    /// The message of the answer; null for GitHub's.
    pub message: Nullable<String>,
    /// The seconds of `Retry-After`; null if the effect has none.
    pub retry_after: Nullable<i64>,
    /// How many seconds from the request on `X-RateLimit-Reset` is; null if the effect has none.
    pub reset_after: Nullable<i64>,
    /// How many milliseconds the answer waits.
    pub latency_ms: i64,
    /// Whether the request is carried out all the same.
    pub after: bool,
    /// How many requests it applied to, also those that passed.
    pub matched: i64,
    /// How often it was used.
    pub used: i64,
    /// When it was last used; null if never.
    pub last_used_at: Nullable<Timestamp>,
    pub created_at: Timestamp,
}

impl Example for Fault {
    fn example() -> Self {
        Self {
            id: 1,
            operation: Some("create_ref".to_owned()).into(),
            method: None.into(),
            path: None.into(),
            caller: Some("ci-bot".to_owned()).into(),
            probability: 1.0,
            skip: 0,
            times: Some(2).into(),
            effect: FaultEffect::Status,
            status: Some(502).into(),
            message: None.into(),
            retry_after: None.into(),
            reset_after: None.into(),
            latency_ms: 0,
            after: true,
            matched: 1,
            used: 1,
            last_used_at: Some(Timestamp(1_773_135_060)).into(),
            created_at: Timestamp(1_773_135_000),
        }
    }
}
