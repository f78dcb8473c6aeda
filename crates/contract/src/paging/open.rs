//! Pages of a list of unknown length.

use super::super::call::RequestContext;
use super::{Page, link};

impl Page {
    /// The `Link` header of this page. `more`: whether the list continues after it.
    pub fn open_link(self, call: &RequestContext, more: bool) -> Option<String> {
        let to = |number: u64| call.neighbour("page", &number.to_string());
        let mut relations = Vec::new();
        if self.number > 1 {
            relations.push((to(self.number - 1), "prev"));
        }
        if more {
            relations.push((to(self.number.saturating_add(1)), "next"));
        }
        if self.number > 1 {
            relations.push((to(1), "first"));
        }
        link(&relations)
    }
}
