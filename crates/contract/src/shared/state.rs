//! The state of issues and pull requests, and what else both have.

use std::borrow::Cow;

use contract_macros::schema;
use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use poem_openapi::types::{ParseFromParameter, ParseResult, Type};

use super::super::paging::lenient_parameter;
use super::super::values::Nullable;

/// The state of an issue or a pull request. A merged pull request is closed.
#[schema(rename_all = "lowercase")]
pub enum PullState {
    Open,
    Closed,
}

/// Why a conversation was locked.
#[schema]
pub enum LockReason {
    #[schema(rename = "off-topic")]
    OffTopic,
    #[schema(rename = "too heated")]
    TooHeated,
    #[schema(rename = "resolved")]
    Resolved,
    #[schema(rename = "spam")]
    Spam,
}

/// The description in the formats that the `Accept` header requests.
#[schema]
#[derive(Default)]
pub struct RenderedBody {
    /// `body` as plain text. Only present with the media types `text` and `full`.
    pub body_text: Option<Nullable<String>>,
    /// `body` as HTML. Only present with the media types `html` and `full`.
    pub body_html: Option<Nullable<String>>,
}

/// The states of pull requests to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateFilter {
    Open,
    Closed,
    All,
}

/// The `state` parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PullListState(pub StateFilter);

impl PullListState {
    pub(crate) fn read(text: Option<&str>) -> Self {
        Self(match text {
            Some("closed") => StateFilter::Closed,
            Some("all") => StateFilter::All,
            _ => StateFilter::Open,
        })
    }
}

lenient_parameter!(
    PullListState,
    "PullListState",
    MetaSchema {
        description: Some("Filters by state. A merged pull request is `closed`."),
        enum_items: vec!["open".into(), "closed".into(), "all".into()],
        default: Some("open".into()),
        ..MetaSchema::new("string")
    }
);
