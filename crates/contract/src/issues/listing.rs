//! Sorting and filtering the list of issues. An unknown value is ignored, not refused.

use std::borrow::Cow;

use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use poem_openapi::types::{ParseFromParameter, ParseResult, Type};

use super::super::paging::{OptionalParameter, Page, PageNumber, PerPage, lenient_parameter};
use super::super::review_comments::{Direction, SortDirection};
use super::super::shared::state::{PullListState, StateFilter};
use super::super::values::Timestamp;

/// The parameters of a list of issues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueList {
    pub state: StateFilter,
    /// A login, `none` for unassigned issues, or `*` for assigned ones.
    pub assignee: Option<String>,
    /// The login of the author.
    pub creator: Option<String>,
    /// Label names, separated by commas. An issue must have all of them.
    pub labels: Option<String>,
    pub sort: IssueOrder,
    pub direction: Direction,
    pub since: Option<Timestamp>,
    pub page: Page,
}

type Parameters = (
    PullListState,
    OptionalParameter<String>,
    OptionalParameter<String>,
    OptionalParameter<String>,
    IssueListSort,
    SortDirection,
    OptionalParameter<Timestamp>,
    PerPage,
    PageNumber,
);

impl From<Parameters> for IssueList {
    fn from(
        (state, assignee, creator, labels, sort, direction, since, per_page, page): Parameters,
    ) -> Self {
        Self {
            state: state.0,
            assignee: assignee.0,
            creator: creator.0,
            labels: labels.0,
            sort: sort.0,
            direction: direction.0.unwrap_or(Direction::Descending),
            since: since.0,
            page: (per_page, page).into(),
        }
    }
}

/// The sort key of a list of issues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IssueOrder {
    Created,
    Updated,
    Comments,
}

/// The `sort` parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IssueListSort(pub IssueOrder);

impl IssueListSort {
    fn read(text: Option<&str>) -> Self {
        Self(match text {
            Some("updated") => IssueOrder::Updated,
            Some("comments") => IssueOrder::Comments,
            _ => IssueOrder::Created,
        })
    }
}

lenient_parameter!(
    IssueListSort,
    "IssueListSort",
    MetaSchema {
        description: Some("The property to sort by."),
        enum_items: vec!["created".into(), "updated".into(), "comments".into()],
        default: Some("created".into()),
        ..MetaSchema::new("string")
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_order_sorts_by_creation_time() {
        for (text, order) in [
            (None, IssueOrder::Created),
            (Some("nonsense"), IssueOrder::Created),
            (Some("updated"), IssueOrder::Updated),
            (Some("comments"), IssueOrder::Comments),
        ] {
            assert_eq!(IssueListSort::read(text).0, order, "{text:?}");
        }
    }
}
