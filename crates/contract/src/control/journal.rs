//! The journal of a world: its requests, their responses and the reasons for them.

mod explanation;

use contract_macros::{operations, schema};
use poem_openapi::types::Example;

use super::super::paging::{OptionalParameter, PerPage};
use super::super::reply::{Empty, Outcome, Reply};
use super::super::values::{Nullable, Timestamp};
use super::{ControlCall, WaitSeconds};
pub use explanation::{Advice, AdviceAction, Check, Explanation, ExplanationStep, StepOutcome};

/// The response header with the number of the journal entry. Sent only while the control API is
/// served.
pub const JOURNAL_HEADER: &str = "x-forgewright-journal";

/// The operations on the journal; `control/journal.rs` implements them.
#[operations(Journal)]
pub trait Operations: Send + Sync {
    /// List requests
    ///
    /// Returns the requests to a world, the newest first. The journal keeps at most the last 1,000
    /// requests and none to the control API. The list has the newest matches, at most `per_page`,
    /// also with `after`; there are no further pages. With `wait`, the response is delayed until a
    /// request matches; the list is empty if none does in that time.
    #[get("/_forgewright/worlds/{world}/journal")]
    #[access(control)]
    #[fails(404, 422)]
    async fn list_journal(
        &self,
        call: ControlCall,
        world: String,
        #[query(
            method: OptionalParameter<String>,
            /// Only requests whose path starts with this text. With `*` (any part of a segment) or
            /// `**` (any part of the path), only requests whose whole path matches.
            #[example("")]
            path: OptionalParameter<String>,
            operation: OptionalParameter<String>,
            /// Only requests with this status or status class, such as `4xx`.
            status: OptionalParameter<String>,
            caller: OptionalParameter<String>,
            /// Only requests after the one with this number.
            after: OptionalParameter<i64>,
        )]
        filter: JournalFilter,
        #[query] per_page: PerPage,
        #[query] wait: OptionalParameter<WaitSeconds>,
    ) -> Outcome<Reply<200, Vec<JournalEntry>>>;

    /// Get a request
    ///
    /// Returns one request by its number in the journal, or by the `X-GitHub-Request-Id` of its
    /// response.
    #[get("/_forgewright/worlds/{world}/journal/{entry}")]
    #[access(control)]
    #[fails(404)]
    async fn get_journal_entry(
        &self,
        call: ControlCall,
        world: String,
        entry: String,
    ) -> Outcome<Reply<200, JournalEntry>>;

    /// Clear the journal
    ///
    /// Deletes all entries of the journal. The numbering continues.
    #[delete("/_forgewright/worlds/{world}/journal")]
    #[access(control)]
    #[fails(404)]
    async fn clear_journal(&self, call: ControlCall, world: String) -> Outcome<Empty>;
}

/// The query parameters of a list of requests. A request must match all that are given.
#[derive(Debug, Clone, Default)]
pub struct JournalFilter {
    pub method: Option<String>,
    pub path: Option<String>,
    pub operation: Option<String>,
    pub status: Option<String>,
    pub caller: Option<String>,
    pub after: Option<i64>,
}

type Parameters = (
    OptionalParameter<String>,
    OptionalParameter<String>,
    OptionalParameter<String>,
    OptionalParameter<String>,
    OptionalParameter<String>,
    OptionalParameter<i64>,
);

impl From<Parameters> for JournalFilter {
    fn from(given: Parameters) -> Self {
        let (method, path, operation, status, caller, after) = given;
        Self {
            method: method.0,
            path: path.0,
            operation: operation.0,
            status: status.0,
            caller: caller.0,
            after: after.0,
        }
    }
}

/// A request, its response and the explanation of the response.
#[schema(example)]
pub struct JournalEntry {
    /// The number of the entry in the journal of the world. The response has it in
    /// `X-Forgewright-Journal`.
    pub id: u64,
    /// The identifier of the request. The response has it in `X-GitHub-Request-Id`.
    pub request_id: String,
    /// When the request arrived, by the clock of the world.
    pub at: Timestamp,
    /// The time until the response began, in microseconds.
    pub microseconds: u64,
    /// The HTTP method in upper case, such as `GET`.
    pub method: String,
    /// The path and query of the request as the client sent them, relative to the URL of the
    /// world.
    pub path: String,
    /// The `operationId` of the called operation. `null` if the path has none.
    pub operation: Nullable<String>,
    pub caller: JournalCaller,
    /// The HTTP status of the response.
    pub status: u16,
    /// Whether the response came from the cache. `null` if the request is not cacheable.
    pub cache: Nullable<CacheUse>,
    pub request: JournalMessage,
    pub answer: JournalMessage,
    pub explanation: Explanation,
}

/// The caller of a request.
#[schema]
pub struct JournalCaller {
    /// The kind of caller: `anonymous`, `classic`, `oauth`, `fine_grained`, `app_user`,
    /// `installation` or `app`; or `unknown` if the credential is invalid.
    pub kind: String,
    /// The login of the user on whose behalf the request was made.
    pub login: Nullable<String>,
    pub app_id: Nullable<i64>,
    /// The slug of the app. `null` for a user's token, even if it was issued to an app.
    pub app_slug: Nullable<String>,
    /// The identifier of the installation that the token belongs to.
    pub installation_id: Nullable<i64>,
    /// The kind of credential and its last four characters, such as `ghs_…3f2a`.
    pub token: Nullable<String>,
}

/// Whether a response came from the cache.
#[schema(rename_all = "snake_case")]
pub enum CacheUse {
    Hit,
    Miss,
}

/// The headers and the body of a request or a response.
#[schema]
pub struct JournalMessage {
    /// The headers in the order in which they were sent, with names in lower case. Credentials are
    /// masked.
    pub headers: Vec<JournalHeader>,
    pub body: JournalBody,
}

/// A header of a request or a response.
#[schema]
pub struct JournalHeader {
    /// The name of the header, in lower case.
    pub name: String,
    /// The value of the header. Of a credential, only the kind and the last characters.
    pub value: String,
}

/// The body of a request or a response.
#[schema]
pub struct JournalBody {
    /// The number of bytes sent so far, after compression if the body is compressed.
    pub bytes: u64,
    /// The beginning of the body, decompressed. `null` if it is not text.
    pub text: Nullable<String>,
    /// Whether the body is longer than the part that the journal keeps.
    pub truncated: bool,
}

impl Example for JournalEntry {
    fn example() -> Self {
        let body = |text: &str| JournalBody {
            bytes: text.len() as u64,
            text: Some(text.to_owned()).into(),
            truncated: false,
        };
        let header = |name: &str, value: &str| JournalHeader {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        Self {
            id: 12,
            request_id: "3A5C:0000:000000:00002A:69B00DD8".to_owned(),
            at: Timestamp(1_773_135_000),
            microseconds: 412,
            method: "GET".to_owned(),
            path: "/repos/acme/secret".to_owned(),
            operation: Some("get_repository".to_owned()).into(),
            caller: JournalCaller {
                kind: "installation".to_owned(),
                login: None.into(),
                app_id: Some(6001).into(),
                app_slug: Some("ci-bot".to_owned()).into(),
                installation_id: Some(7001).into(),
                token: Some("ghs_…3f2a".to_owned()).into(),
            },
            status: 404,
            cache: None.into(),
            request: JournalMessage {
                headers: vec![header("authorization", "Bearer ghs_…3f2a")],
                body: body(""),
            },
            answer: JournalMessage {
                headers: vec![header("content-type", "application/json; charset=utf-8")],
                body: body("{\"message\":\"Not Found\"}"),
            },
            explanation: Explanation::example(),
        }
    }
}
