//! The position of a page in a long list, the end to scan from, and the query for its ids.

use sea_orm::sea_query::{Expr, ExprTrait, Order};
use sea_orm::{EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};

use contract::paging::Page;

/// A page with fewer rows before it is always read from the start of its list.
const NEAR: u64 = 1000;

/// The number of rows of a page, and of those before and after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub before: u64,
    pub count: u64,
    pub after: u64,
}

impl Window {
    /// None beyond the end of the list.
    pub fn of(page: Page, total: u64) -> Option<Self> {
        let before = page.skipped();
        let rest = total.checked_sub(before).filter(|rest| *rest > 0)?;
        let count = std::cmp::min(rest, page.per_page);
        let after = rest - count;
        Some(Self {
            before,
            count,
            after,
        })
    }

    /// The scan order, and the number of rows to skip.
    pub fn walk(self, order: &Order) -> (Order, u64) {
        match order {
            _ if self.before < NEAR || self.before <= self.after => (order.clone(), self.before),
            Order::Desc => (Order::Asc, self.after),
            _ => (Order::Desc, self.after),
        }
    }
}

/// A list of ids, and its sort column; ids break ties.
#[derive(Debug, Clone)]
pub struct SortedIds<E: EntityTrait> {
    pub ids: Select<E>,
    /// None sorts by id only.
    pub key: Option<E::Column>,
    pub id: E::Column,
}

impl<E: EntityTrait> SortedIds<E> {
    /// `count` ids after the first `skip`.
    pub fn slice(self, order: Order, skip: u64, count: u64) -> Select<E> {
        let ids = match self.key {
            Some(key) => self.ids.order_by(key, order.clone()),
            None => self.ids,
        };
        ids.order_by(self.id, order).offset(skip).limit(count)
    }

    /// The ids that also satisfy a condition.
    pub fn filtered(mut self, condition: Expr) -> Self {
        self.ids = self.ids.filter(condition);
        self
    }

    /// The ids of a page, read from the nearer end of an index.
    pub fn walked(self, window: Window, order: &Order) -> Select<E> {
        let (order, skip) = window.walk(order);
        self.slice(order, skip, window.count)
    }

    /// The ids of a page, for a list that is cheaper to sort than to read from an index.
    pub fn sorted(self, window: Window, order: &Order) -> Select<E> {
        let (order, skip) = window.walk(order);
        let key = self.key.unwrap_or(self.id);
        self.ids
            .order_by(Expr::col(key).add(0), order.clone())
            .order_by(self.id, order)
            .offset(skip)
            .limit(window.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(number: u64, per_page: u64, total: u64) -> Option<(u64, u64, u64)> {
        let page = Page { per_page, number };
        let window = Window::of(page, total);
        window.map(|window| (window.before, window.count, window.after))
    }

    #[test]
    fn a_window_ends_with_its_list() {
        assert_eq!(window(1, 3, 10), Some((0, 3, 7)));
        assert_eq!(window(4, 3, 10), Some((9, 1, 0)));
        assert_eq!(window(5, 3, 10), None);
        assert_eq!(window(1, 3, 0), None);
        assert_eq!(window(u64::MAX, 100, 10), None);
    }

    #[test]
    fn a_deep_page_is_scanned_from_the_nearer_end() {
        let walk = |before, after, order: Order| {
            let count = 100;
            let window = Window {
                before,
                count,
                after,
            };
            window.walk(&order)
        };
        assert_eq!(walk(NEAR - 1, 0, Order::Asc), (Order::Asc, NEAR - 1));
        assert_eq!(walk(5000, 9000, Order::Asc), (Order::Asc, 5000));
        assert_eq!(walk(9000, 5000, Order::Asc), (Order::Desc, 5000));
        assert_eq!(walk(9000, 5000, Order::Desc), (Order::Asc, 5000));
    }
}
