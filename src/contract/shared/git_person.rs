//! Who made a commit or a tag, as requests say it.

use poem_openapi::Object;
use serde::{Deserialize, Serialize};

use super::super::values::ZonedTimestamp;

/// Who made a commit or a tag, and when.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct GitPerson {
    pub name: String,
    /// The e-mail address.
    pub email: String,
    /// When; now if it is left out. The offset from UTC is kept.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<ZonedTimestamp>,
}
