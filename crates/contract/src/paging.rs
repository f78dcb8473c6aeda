//! Pagination: the items of a page, and the `Link` header with its neighbouring pages.

mod open;
mod parameters;

use super::call::RequestContext;
pub(super) use parameters::lenient_parameter;
pub use parameters::{OptionalParameter, PageNumber, PerPage};

/// The requested page of a numbered list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    pub per_page: u64,
    pub number: u64,
}

impl From<(PerPage, PageNumber)> for Page {
    fn from((per_page, number): (PerPage, PageNumber)) -> Self {
        Self {
            per_page: per_page.0,
            number: number.0,
        }
    }
}

impl Page {
    /// The number of items before this page.
    pub fn skipped(self) -> u64 {
        (self.number - 1).saturating_mul(self.per_page)
    }

    /// The items of this page.
    pub fn of<T>(self, all: &[T]) -> &[T] {
        let skipped = usize::try_from(self.skipped()).unwrap_or(usize::MAX);
        let size = usize::try_from(self.per_page).unwrap_or(usize::MAX);
        let start = skipped.min(all.len());
        &all[start..start.saturating_add(size).min(all.len())]
    }

    /// The `Link` header of this page: relations in the order prev, next, last, first. A page
    /// past the end links back to the last page.
    pub fn link(self, call: &RequestContext, length: impl Into<Length>) -> Option<String> {
        let to = |number: u64| call.neighbour("page", &number.to_string());
        let (last, goes_on) = match length.into() {
            Length::Counted(total) => {
                let last = total.div_ceil(self.per_page).max(1);
                (Some(last), self.number < last)
            }
            Length::Uncounted { goes_on } => (None, goes_on),
        };
        let mut relations = Vec::new();
        if self.number > 1 {
            let before = self.number - 1;
            relations.push((to(last.map_or(before, |last| before.min(last))), "prev"));
        }
        if goes_on {
            relations.push((to(self.number + 1), "next"));
            relations.extend(last.map(|last| (to(last), "last")));
        }
        if self.number > 1 {
            relations.push((to(1), "first"));
        }
        link(&relations)
    }
}

/// The length of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    Counted(u64),
    /// The list is too long to count for each page. It has no `last` relation.
    Uncounted {
        /// Whether more items follow the page.
        goes_on: bool,
    },
}

impl From<u64> for Length {
    fn from(total: u64) -> Self {
        Self::Counted(total)
    }
}

/// The requested page of a list with cursors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CursorPage {
    pub per_page: PerPage,
    /// Only items before this cursor.
    pub before: Option<String>,
    /// Only items after this cursor.
    pub after: Option<String>,
}

impl
    From<(
        PerPage,
        OptionalParameter<String>,
        OptionalParameter<String>,
    )> for CursorPage
{
    fn from(
        (per_page, before, after): (
            PerPage,
            OptionalParameter<String>,
            OptionalParameter<String>,
        ),
    ) -> Self {
        Self {
            per_page,
            before: before.0,
            after: after.0,
        }
    }
}

/// The `Link` header of a page between two cursors, without `first` and `last`.
pub fn cursor_link(
    call: &RequestContext,
    before: Option<&str>,
    after: Option<&str>,
) -> Option<String> {
    let mut relations = Vec::new();
    if let Some(cursor) = before {
        relations.push((call.neighbour("before", cursor), "prev"));
    }
    if let Some(cursor) = after {
        relations.push((call.neighbour("after", cursor), "next"));
    }
    link(&relations)
}

/// The `Link` header of a page in a list that only goes forward.
pub fn next_link(call: &RequestContext, cursor: Option<&str>) -> Option<String> {
    let next = cursor.map(|cursor| (call.neighbour("cursor", cursor), "next"));
    link(next.as_slice())
}

fn link(relations: &[(String, &str)]) -> Option<String> {
    let entries: Vec<_> = relations
        .iter()
        .map(|(url, relation)| format!("<{url}>; rel=\"{relation}\""))
        .collect();
    (!entries.is_empty()).then(|| entries.join(", "))
}

/// The parameters that select a page. A link to another page replaces them.
const POSITIONS: [&str; 4] = ["page", "before", "after", "cursor"];

impl RequestContext {
    /// The URL of this request with another position in the list. All other parameters are kept
    /// as the caller sent them; the position comes last.
    fn neighbour(&self, parameter: &str, value: &str) -> String {
        let kept = self
            .query
            .split('&')
            .filter(|pair| !pair.is_empty())
            .filter(|pair| !POSITIONS.contains(&pair.split('=').next().unwrap_or_default()));
        let mut query: String = kept.flat_map(|pair| [escaped(pair), "&".into()]).collect();
        query.push_str(&format!("{parameter}={}", escaped(value)));
        let path = escaped(&self.path);
        format!("{}{}{path}?{query}", self.origin, self.prefix)
    }
}

/// Encodes the characters that would end a URL in a `Link` header, or that clients could take
/// for the end of an entry.
fn escaped(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '<' => "%3C".to_owned(),
            '>' => "%3E".to_owned(),
            ',' => "%2C".to_owned(),
            ';' => "%3B".to_owned(),
            '"' => "%22".to_owned(),
            _ => character.to_string(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::caller::Caller;
    use super::super::media::Media;
    use super::super::version::ApiVersion;
    use super::*;

    fn call(query: &str) -> RequestContext {
        RequestContext {
            caller: Arc::new(Caller::Anonymous),
            address: None,
            media: Media::Raw,
            form: None,
            version: ApiVersion::V2026_03_10,
            origin: "http://forge.test".into(),
            prefix: "/api/v3",
            path: "/repos/acme/gadgets/pulls/comments".into(),
            query: query.into(),
        }
    }

    fn relations(page: u64, per_page: u64, total: u64) -> Vec<(String, String)> {
        let page = Page {
            per_page,
            number: page,
        };
        let header = page
            .link(&call("per_page=3&page=9"), total)
            .unwrap_or_default();
        header
            .split(", ")
            .filter_map(|entry| {
                let (url, relation) = entry.split_once("; ")?;
                let page = url.trim_matches(['<', '>']).rsplit_once("page=")?.1;
                Some((relation.to_owned(), page.to_owned()))
            })
            .collect()
    }

    fn expected(pairs: &[(&str, u64)]) -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(relation, page)| (format!("rel=\"{relation}\""), page.to_string()))
            .collect()
    }

    #[test]
    fn each_place_in_a_list_has_its_relations_in_order() {
        assert_eq!(relations(1, 3, 10), expected(&[("next", 2), ("last", 4)]));
        assert_eq!(
            relations(2, 3, 10),
            expected(&[("prev", 1), ("next", 3), ("last", 4), ("first", 1)])
        );
        assert_eq!(relations(4, 3, 10), expected(&[("prev", 3), ("first", 1)]));
        assert_eq!(relations(9, 3, 10), expected(&[("prev", 4), ("first", 1)]));
        assert_eq!(relations(1, 3, 3), expected(&[]));
        assert_eq!(relations(1, 3, 0), expected(&[]));
    }

    #[test]
    fn other_parameters_prefix_and_host_are_kept_as_the_caller_wrote_them() {
        let page = Page {
            per_page: 3,
            number: 1,
        };
        let link = page.link(&call("per_page=3&sort=created&page=1&x=a,b"), 6);
        assert_eq!(
            link.unwrap_or_default(),
            "<http://forge.test/api/v3/repos/acme/gadgets/pulls/comments?per_page=3&sort=created&x=a%2Cb&page=2>; rel=\"next\", \
             <http://forge.test/api/v3/repos/acme/gadgets/pulls/comments?per_page=3&sort=created&x=a%2Cb&page=2>; rel=\"last\""
        );
    }

    #[test]
    fn no_path_contains_what_separates_links() {
        let mut call = call("");
        call.path = "/repos/acme/gadgets/commits/a,b;c%2Fd/statuses".into();
        let link = cursor_link(&call, None, Some("x"));
        assert_eq!(
            link.unwrap_or_default(),
            "<http://forge.test/api/v3/repos/acme/gadgets/commits/a%2Cb%3Bc%2Fd/statuses?after=x>; rel=\"next\""
        );
    }

    #[test]
    fn cursors_lead_back_and_forth() {
        let link = cursor_link(&call("after=old&per_page=1"), Some("b=="), Some("a"));
        assert_eq!(
            link.unwrap_or_default(),
            "<http://forge.test/api/v3/repos/acme/gadgets/pulls/comments?per_page=1&before=b==>; rel=\"prev\", \
             <http://forge.test/api/v3/repos/acme/gadgets/pulls/comments?per_page=1&after=a>; rel=\"next\""
        );
        assert_eq!(cursor_link(&call(""), None, None), None);
    }

    #[test]
    fn a_page_has_its_part_of_a_list() {
        let page = |number, per_page| Page { per_page, number };
        assert_eq!(page(2, 2).of(&[1, 2, 3]), [3]);
        assert_eq!(page(1, 300).of(&[1, 2, 3]), [1, 2, 3]);
        assert!(page(u64::MAX, 100).of(&[1, 2, 3]).is_empty());
    }

    #[test]
    fn a_huge_page_number_does_not_overflow() {
        let page = Page::from((PerPage(100), PageNumber(i64::MAX as u64)));
        assert_eq!(page.skipped(), u64::MAX);
    }
}
