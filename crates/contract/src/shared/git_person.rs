//! The author, committer or tagger in a request.

use poem_openapi::Object;
use serde::{Deserialize, Serialize};

use super::super::values::ZonedTimestamp;

/// The author, committer or tagger of a Git object.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct GitPerson {
    /// The name of the author, committer or tagger.
    pub name: String,
    /// The email address of the author, committer or tagger.
    pub email: String,
    /// When the object was authored, committed or tagged. If omitted, the current time. The
    /// offset from UTC is kept.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<ZonedTimestamp>,
}
