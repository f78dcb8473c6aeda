//! The journal of a world: what was asked of it, how it answered, and why.

mod explanation;

use forgewright_macros::operations;
use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::super::paging::{Given, PerPage};
use super::super::reply::{Empty, Outcome, Reply};
use super::super::values::{Nullable, Timestamp};
use super::{ControlCall, WaitSeconds};
pub use explanation::{Advice, AdviceAction, Check, Explanation, ExplanationStep, StepOutcome};

/// The header that names the entry of an answer, sent only while the control API is served.
pub const JOURNAL_HEADER: &str = "x-forgewright-journal";

/// What can be done with the journal; `control/journal.rs` is how.
#[operations(Journal)]
pub trait Operations: Send + Sync {
    /// List requests
    ///
    /// Returns the requests that were made of a world, the newest first, of the last 1,000 at
    /// most. With `wait`, a list that would be empty is held back until a request matches or the
    /// time is over. Requests of the control API are not in the journal.
    #[get("/_forgewright/worlds/{world}/journal")]
    #[access(control)]
    #[fails(404, 422)]
    async fn list_journal(
        &self,
        call: ControlCall,
        world: String,
        #[query(
            method: Given<String>,
            path: Given<String>,
            operation: Given<String>,
            status: Given<String>,
            caller: Given<String>,
            after: Given<i64>
        )]
        filter: JournalFilter,
        #[query] per_page: PerPage,
        #[query] wait: Given<WaitSeconds>,
    ) -> Outcome<Reply<200, Vec<JournalEntry>>>;

    /// Get a request
    ///
    /// Returns one request by its number in the journal, or by the `X-GitHub-Request-Id` that its
    /// answer had.
    #[get("/_forgewright/worlds/{world}/journal/{entry}")]
    #[access(control)]
    #[fails(404)]
    async fn get_journal_entry(
        &self,
        call: ControlCall,
        world: String,
        entry: String,
    ) -> Outcome<Reply<200, JournalEntry>>;

    /// Empty the journal
    ///
    /// Forgets every request so far. Numbers go on where they were.
    #[delete("/_forgewright/worlds/{world}/journal")]
    #[access(control)]
    #[fails(404)]
    async fn clear_journal(&self, call: ControlCall, world: String) -> Outcome<Empty>;
}

/// Which requests are wanted: those for which everything that is given holds.
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
    Given<String>,
    Given<String>,
    Given<String>,
    Given<String>,
    Given<String>,
    Given<i64>,
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

/// A request, its answer, and why it was answered so.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct JournalEntry {
    /// The number in the journal of this world, which the answer has in `X-Forgewright-Journal`.
    pub id: u64,
    /// What the answer has in `X-GitHub-Request-Id`.
    pub request_id: String,
    /// When the request arrived, by the clock of the world.
    pub at: Timestamp,
    /// How long it took until the answer began.
    pub microseconds: u64,
    /// In upper case: `GET`.
    pub method: String,
    /// The path below the URL of the world, with the query, as the client sent it.
    pub path: String,
    /// The operation that was called; null if there is none at this path.
    pub operation: Nullable<String>,
    pub caller: JournalCaller,
    /// The status of the answer.
    pub status: u16,
    /// Whether the answer was there already; null if it is never kept.
    pub cache: Nullable<CacheUse>,
    pub request: JournalMessage,
    pub answer: JournalMessage,
    pub explanation: Explanation,
}

/// Who asked.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct JournalCaller {
    /// `anonymous`, `classic`, `oauth`, `fine_grained`, `app_user`, `installation` or `app`; or
    /// `unknown` if nobody could be told from the credential.
    pub kind: String,
    /// The user on whose behalf it was asked.
    pub login: Nullable<String>,
    pub app_id: Nullable<i64>,
    /// Null for a token of a user, also for an app.
    pub app_slug: Nullable<String>,
    /// The installation whose token it was.
    pub installation_id: Nullable<i64>,
    /// The kind of credential and its last four characters, such as `ghs_…3f2a`.
    pub token: Nullable<String>,
}

/// Whether an answer was there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum CacheUse {
    Hit,
    Miss,
}

/// The headers and the body of a request or an answer.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct JournalMessage {
    /// In the order in which they were sent, names in lower case. Credentials are only hinted at.
    pub headers: Vec<JournalHeader>,
    pub body: JournalBody,
}

/// A header.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct JournalHeader {
    pub name: String,
    /// The value; of a credential only its kind and last characters.
    pub value: String,
}

/// The body of a request or an answer.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct JournalBody {
    /// How many bytes were sent so far, compressed if they were.
    pub bytes: u64,
    /// The beginning of the body, decompressed; null if it is no text.
    pub text: Nullable<String>,
    /// Whether there is more of it than the journal keeps.
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
