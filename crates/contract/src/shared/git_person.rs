//! The author, committer or tagger in a request.

use super::super::values::ZonedTimestamp;
use contract_macros::schema;

/// The author, committer or tagger of a Git object.
#[schema]
pub struct GitPerson {
    /// The name of the author, committer or tagger.
    pub name: String,
    /// The email address of the author, committer or tagger.
    pub email: String,
    /// When the object was authored, committed or tagged. If omitted, the current time. The
    /// offset from UTC is kept.
    pub date: Option<ZonedTimestamp>,
}
