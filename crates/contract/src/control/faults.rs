//! Fault injection: rules that make requests fail, to test how a client handles it.

mod bodies;

use std::fmt;

use contract_macros::{operations, schema};
use poem_openapi::types::Example;
use serde::Serialize;

use super::super::body::Body;
use super::super::reply::{Empty, Outcome, Reply};
use super::super::values::{Nullable, Timestamp};
use super::ControlCall;
pub use bodies::CreateFault;

/// The operations on faults; `control/faults.rs` implements them.
#[operations(Faults)]
pub trait Operations: Send + Sync {
    /// List faults
    ///
    /// Returns the faults of a world in the order in which they are evaluated, which is the order
    /// of their creation.
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
    /// Adds a fault: a rule that makes requests fail. Each request is matched against the faults in
    /// order, and the first fault that applies determines the outcome. A request that fails is not
    /// processed, unless `after` is true. Faults apply to API and Git clients, never to the control
    /// API. A reset of the world deletes them.
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
    /// Deletes all faults of a world.
    #[delete("/_forgewright/worlds/{world}/faults")]
    #[access(control)]
    #[fails(404)]
    async fn delete_faults(&self, call: ControlCall, world: String) -> Outcome<Empty>;

    /// Get a fault
    ///
    /// Returns one fault and how often it was used.
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
    /// Deletes one fault.
    #[delete("/_forgewright/worlds/{world}/faults/{fault_id}")]
    #[access(control)]
    #[fails(404)]
    async fn delete_fault(&self, call: ControlCall, world: String, fault_id: i64)
    -> Outcome<Empty>;
}

/// The effect of a fault. `status`: a response with `status` and GitHub's body for it.
/// `secondary_limit`: the secondary rate limit, with `Retry-After`. `primary_limit`: the primary
/// rate limit, exhausted until `X-RateLimit-Reset`. `latency`: the usual response, delayed by
/// `latency_ms`. `drop`: the connection is closed without a response. `truncate`: the connection
/// is closed in the middle of the body. `malformed`: a complete response whose JSON is cut off.
#[schema(rename_all = "snake_case")]
pub enum FaultEffect {
    Status,
    SecondaryLimit,
    PrimaryLimit,
    Latency,
    Drop,
    Truncate,
    Malformed,
}

/// The value as in JSON.
impl fmt::Display for FaultEffect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(formatter)
    }
}

/// The HTTP method of a request.
#[schema(rename_all = "UPPERCASE")]
pub enum FaultMethod {
    Get,
    Head,
    Post,
    Put,
    Patch,
    Delete,
    Options,
}

/// The method as in a request.
impl fmt::Display for FaultMethod {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(formatter)
    }
}

/// A fault: a rule that makes requests fail.
#[schema(example)]
pub struct Fault {
    /// The identifier of the fault.
    pub id: i64,
    /// The operation that the fault applies to. `null` for all operations.
    pub operation: Nullable<String>,
    /// The HTTP method that the fault applies to. `null` for all methods.
    pub method: Nullable<FaultMethod>,
    /// The pattern of the paths that the fault applies to. `null` for all paths.
    pub path: Nullable<String>,
    /// The caller that the fault applies to. `null` for all callers.
    pub caller: Nullable<String>,
    /// The probability with which the fault is used for a matching request.
    pub probability: f64,
    /// The number of matching requests that pass before the fault is first used.
    pub skip: i64,
    /// The maximum number of times that the fault is used. `null` for no limit.
    pub times: Nullable<i64>,
    pub effect: FaultEffect,
    /// The HTTP status of the response. `null` if the effect does not set it.
    pub status: Nullable<i64>,
    /// The message of the response. `null` for GitHub's message.
    pub message: Nullable<String>,
    /// The value of `Retry-After`, in seconds. `null` if the effect does not set it.
    pub retry_after: Nullable<i64>,
    /// The number of seconds from the request to `X-RateLimit-Reset`. `null` if the effect does not
    /// set it.
    pub reset_after: Nullable<i64>,
    /// The delay of the response, in milliseconds.
    pub latency_ms: i64,
    /// Whether the request is processed before it fails.
    pub after: bool,
    /// The number of matching requests, including those that passed.
    pub matched: i64,
    /// The number of times that the fault was used.
    pub used: i64,
    /// When the fault was last used. `null` if it never was.
    pub last_used_at: Nullable<Timestamp>,
    /// When the fault was created.
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
