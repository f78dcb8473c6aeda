//! Sorting and filtering a list of comments. An unknown value is ignored, not refused.

use std::borrow::Cow;

use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use poem_openapi::types::{ParseFromParameter, ParseResult, Type};

use super::super::paging::{OptionalParameter, Page, PageNumber, PerPage, lenient_parameter};
use super::super::values::Timestamp;

/// The parameters of a list of comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommentList {
    /// If None, the list is in ascending order of ids, whatever the direction.
    pub sort: Option<SortKey>,
    pub direction: Option<Direction>,
    pub since: Option<Timestamp>,
    pub page: Page,
}

impl<S: Into<Option<SortKey>>>
    From<(
        S,
        SortDirection,
        OptionalParameter<Timestamp>,
        PerPage,
        PageNumber,
    )> for CommentList
{
    fn from(
        (sort, direction, since, per_page, page): (
            S,
            SortDirection,
            OptionalParameter<Timestamp>,
            PerPage,
            PageNumber,
        ),
    ) -> Self {
        Self {
            sort: sort.into(),
            direction: direction.0,
            since: since.0,
            page: (per_page, page).into(),
        }
    }
}

/// The sort key of a list of comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortKey {
    Created,
    Updated,
}

/// The direction of a sorted list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Ascending,
    Descending,
}

/// The `sort` parameter of the list of a repository, which has a second name for `created`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepoSort(pub Option<SortKey>);

/// The `sort` parameter of the list of a pull request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PullSort(pub Option<SortKey>);

impl From<RepoSort> for Option<SortKey> {
    fn from(sort: RepoSort) -> Self {
        sort.0
    }
}

impl From<PullSort> for Option<SortKey> {
    fn from(sort: PullSort) -> Self {
        sort.0
    }
}

/// The `direction` parameter of both lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SortDirection(pub Option<Direction>);

impl RepoSort {
    fn read(text: Option<&str>) -> Self {
        Self(match text {
            Some("created" | "created_at") => Some(SortKey::Created),
            Some("updated") => Some(SortKey::Updated),
            _ => None,
        })
    }
}

impl PullSort {
    fn read(text: Option<&str>) -> Self {
        Self(match text {
            Some("created") => Some(SortKey::Created),
            Some("updated") => Some(SortKey::Updated),
            _ => None,
        })
    }
}

impl SortDirection {
    fn read(text: Option<&str>) -> Self {
        Self(match text {
            Some("asc") => Some(Direction::Ascending),
            Some("desc") => Some(Direction::Descending),
            _ => None,
        })
    }
}

lenient_parameter!(
    RepoSort,
    "RepoReviewCommentSort",
    MetaSchema {
        description: Some("The property to sort by. `created_at` is the same as `created`."),
        enum_items: vec!["created".into(), "updated".into(), "created_at".into()],
        ..MetaSchema::new("string")
    }
);
lenient_parameter!(
    PullSort,
    "PullReviewCommentSort",
    MetaSchema {
        description: Some("The property to sort by."),
        enum_items: vec!["created".into(), "updated".into()],
        default: Some("created".into()),
        ..MetaSchema::new("string")
    }
);
lenient_parameter!(
    SortDirection,
    "SortDirection",
    MetaSchema {
        description: Some("The sort direction: ascending or descending."),
        enum_items: vec!["asc".into(), "desc".into()],
        ..MetaSchema::new("string")
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_list_accepts_its_own_sort_keys_and_ignores_others() {
        let created = Some(SortKey::Created);
        let updated = Some(SortKey::Updated);
        for (text, in_repo, in_pull) in [
            ("created", created, created),
            ("updated", updated, updated),
            ("created_at", created, None),
            ("CREATED", None, None),
            ("", None, None),
        ] {
            assert_eq!(RepoSort::read(Some(text)).0, in_repo, "{text}");
            assert_eq!(PullSort::read(Some(text)).0, in_pull, "{text}");
        }
        assert_eq!(PullSort::read(None).0, None);
    }

    #[test]
    fn a_direction_is_asc_or_desc_or_none() {
        for (text, direction) in [
            ("asc", Some(Direction::Ascending)),
            ("desc", Some(Direction::Descending)),
            ("sideways", None),
        ] {
            assert_eq!(SortDirection::read(Some(text)).0, direction, "{text}");
        }
    }
}
