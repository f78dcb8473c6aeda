//! Which items a list has, and what is shown of each.

use super::super::paging::{CursorPage, Given, PerPage};

/// The fields to show, as they were asked for: identifiers with commas between. `fields[]` is
/// read by the area, which has the whole query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemFields(pub Option<String>);

impl From<(Given<String>,)> for ItemFields {
    fn from((fields,): (Given<String>,)) -> Self {
        Self(fields.0)
    }
}

/// A page of a project's items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemList {
    /// What the items must be, in the words of filters.
    pub q: Option<String>,
    pub fields: ItemFields,
    pub page: CursorPage,
}

type Parameters = (
    Given<String>,
    Given<String>,
    PerPage,
    Given<String>,
    Given<String>,
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
