//! Sorting and filtering the lists of comments. An unknown value is ignored, not refused.

use std::borrow::Cow;

use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use poem_openapi::types::{ParseFromParameter, ParseResult, Type};

use super::super::paging::{OptionalParameter, PageNumber, PerPage, lenient_parameter};
use super::super::review_comments::{CommentList, SortKey};
use super::super::values::Timestamp;

/// The comments on one issue are always sorted by id.
impl From<(OptionalParameter<Timestamp>, PerPage, PageNumber)> for CommentList {
    fn from((since, per_page, page): (OptionalParameter<Timestamp>, PerPage, PageNumber)) -> Self {
        Self {
            sort: None,
            direction: None,
            since: since.0,
            page: (per_page, page).into(),
        }
    }
}

/// The `sort` parameter of the list of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IssueCommentSort(pub Option<SortKey>);

impl From<IssueCommentSort> for Option<SortKey> {
    fn from(sort: IssueCommentSort) -> Self {
        sort.0
    }
}

impl IssueCommentSort {
    fn read(text: Option<&str>) -> Self {
        Self(match text {
            Some("created") => Some(SortKey::Created),
            Some("updated") => Some(SortKey::Updated),
            _ => None,
        })
    }
}

lenient_parameter!(
    IssueCommentSort,
    "IssueCommentSort",
    MetaSchema {
        description: Some("The property to sort by."),
        enum_items: vec!["created".into(), "updated".into()],
        default: Some("created".into()),
        ..MetaSchema::new("string")
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_order_is_ignored() {
        for (text, key) in [
            ("created", Some(SortKey::Created)),
            ("updated", Some(SortKey::Updated)),
            ("created_at", None),
            ("", None),
        ] {
            assert_eq!(IssueCommentSort::read(Some(text)).0, key, "{text}");
        }
    }
}
