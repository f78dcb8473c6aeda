//! The parameters of lists of items.

use super::super::paging::{CursorPage, OptionalParameter, PerPage};

/// The requested fields: identifiers, separated by commas. The area reads `fields[]` itself,
/// because it has the whole query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemFields(pub Option<String>);

impl From<(OptionalParameter<String>,)> for ItemFields {
    fn from((fields,): (OptionalParameter<String>,)) -> Self {
        Self(fields.0)
    }
}

/// The parameters of a list of items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemList {
    /// The filter, in the syntax of project filters.
    pub q: Option<String>,
    pub fields: ItemFields,
    pub page: CursorPage,
}

type Parameters = (
    OptionalParameter<String>,
    OptionalParameter<String>,
    PerPage,
    OptionalParameter<String>,
    OptionalParameter<String>,
);

impl From<Parameters> for ItemList {
    fn from((q, fields, per_page, before, after): Parameters) -> Self {
        Self {
            q: q.0,
            fields: ItemFields(fields.0),
            page: (per_page, before, after).into(),
        }
    }
}
