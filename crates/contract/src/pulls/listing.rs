//! Sorting and filtering the list of pull requests. An unknown value is ignored, not refused.

use std::borrow::Cow;

use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use poem_openapi::types::{ParseFromParameter, ParseResult, Type};

use super::super::paging::{OptionalParameter, Page, PageNumber, PerPage, lenient_parameter};
use super::super::review_comments::{Direction, SortDirection};
use super::super::shared::state::{PullListState, StateFilter};

/// The parameters of a list of pull requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullList {
    pub state: StateFilter,
    /// Only pull requests from this branch: `acme:topic`.
    pub head: Option<String>,
    /// Only pull requests into this branch.
    pub base: Option<String>,
    pub sort: PullOrder,
    pub direction: Direction,
    pub page: Page,
}

type Parameters = (
    PullListState,
    OptionalParameter<String>,
    OptionalParameter<String>,
    PullListSort,
    SortDirection,
    PerPage,
    PageNumber,
);

impl From<Parameters> for PullList {
    fn from((state, head, base, sort, direction, per_page, page): Parameters) -> Self {
        // The default order shows the newest first.
        let direction = direction.0.unwrap_or(match sort.0 {
            None | Some(PullOrder::Created) => Direction::Descending,
            Some(_) => Direction::Ascending,
        });
        Self {
            state: state.0,
            head: head.0,
            base: base.0,
            sort: sort.0.unwrap_or(PullOrder::Created),
            direction,
            page: (per_page, page).into(),
        }
    }
}

/// The sort key of a list of pull requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PullOrder {
    Created,
    Updated,
    /// By age. Only pull requests that are older than a month and were updated within the last
    /// month.
    LongRunning,
}

/// The `sort` parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PullListSort(pub Option<PullOrder>);

impl PullListSort {
    fn read(text: Option<&str>) -> Self {
        Self(match text {
            Some("created") => Some(PullOrder::Created),
            Some("updated") => Some(PullOrder::Updated),
            Some("long-running") => Some(PullOrder::LongRunning),
            _ => None,
        })
    }
}

lenient_parameter!(
    PullListSort,
    "PullListSort",
    MetaSchema {
        description: Some("The property to sort by. `popularity` is the same as `created`."),
        enum_items: vec![
            "created".into(),
            "updated".into(),
            "popularity".into(),
            "long-running".into()
        ],
        default: Some("created".into()),
        ..MetaSchema::new("string")
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    fn list(sort: Option<&str>, direction: Option<Direction>) -> PullList {
        let (state, sort) = (PullListState::read(None), PullListSort::read(sort));
        let paging = (PerPage(30), PageNumber(1));
        let direction = SortDirection(direction);
        PullList::from((
            state,
            OptionalParameter(None),
            OptionalParameter(None),
            sort,
            direction,
            paging.0,
            paging.1,
        ))
    }

    #[test]
    fn the_newest_come_first_by_default() {
        for (sort, direction) in [
            (None, Direction::Descending),
            (Some("created"), Direction::Descending),
            (Some("nonsense"), Direction::Descending),
            (Some("updated"), Direction::Ascending),
            (Some("long-running"), Direction::Ascending),
        ] {
            assert_eq!(list(sort, None).direction, direction, "{sort:?}");
        }
        let upwards = list(None, Some(Direction::Ascending));
        assert_eq!(upwards.direction, Direction::Ascending);
        assert_eq!(upwards.state, StateFilter::Open);
    }
}
