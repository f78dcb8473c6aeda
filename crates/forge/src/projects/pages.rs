//! Pages of a list of a project, between two cursors, with links to their neighbours. The list is
//! ordered by id: new items come last, so no page shifts.

use std::sync::Arc;

use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};
use tokio::sync::OnceCell;

use super::cursor::{List, Signer};
use super::secret::cursor_secret;
use crate::app::App;
use contract::call::Call;
use contract::paging::{CursorPage, cursor_link};
use contract::problem::{FieldProblem, Problem};
use contract::reply::Outcome;
use storage::database::Connection;

/// A part of a list ordered by id: after one id, before another, and at most `limit` rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdRange {
    pub after: Option<i64>,
    pub before: Option<i64>,
    pub limit: u64,
}

impl IdRange {
    /// The rows in the range: the last ones if only `before` is given, otherwise the first ones.
    async fn rows<E: EntityTrait>(
        self,
        connection: &Connection,
        mut all: Select<E>,
        id: impl ColumnTrait,
    ) -> Result<Vec<E::Model>, DbErr> {
        if let Some(after) = self.after {
            all = all.filter(id.gt(after));
        }
        if let Some(before) = self.before {
            all = all.filter(id.lt(before));
        }
        let all = all.limit(self.limit);
        if self.before.is_some() && self.after.is_none() {
            let mut rows = all.order_by_desc(id).all(connection).await?;
            rows.reverse();
            return Ok(rows);
        }
        all.order_by_asc(id).all(connection).await
    }
}

/// A list of a project, as the caller sees it.
pub struct ProjectList<E: EntityTrait> {
    pub project: i64,
    pub rows: Select<E>,
    pub id: E::Column,
    pub id_of: fn(&E::Model) -> i64,
}

impl<E: EntityTrait> ProjectList<E> {
    async fn within(&self, reads: &Connection, window: IdRange) -> Result<Vec<E::Model>, DbErr> {
        window.rows(reads, self.rows.clone(), self.id).await
    }

    async fn any(
        &self,
        reads: &Connection,
        after: Option<i64>,
        before: Option<i64>,
    ) -> Result<bool, DbErr> {
        let window = IdRange {
            after,
            before,
            limit: 1,
        };
        Ok(!self.within(reads, window).await?.is_empty())
    }
}

/// The cursors of one kind of list.
pub struct Cursors {
    app: Arc<App>,
    list: List,
    /// The name of an item in errors.
    resource: &'static str,
    signer: OnceCell<Signer>,
}

impl Cursors {
    pub fn new(app: Arc<App>, list: List, resource: &'static str) -> Self {
        Self {
            app,
            list,
            resource,
            signer: OnceCell::new(),
        }
    }

    /// The rows of a page, and its `Link` header.
    pub async fn page<E: EntityTrait>(
        &self,
        call: &Call,
        reads: &Connection,
        all: &ProjectList<E>,
        page: &CursorPage,
    ) -> Outcome<(Vec<E::Model>, Option<String>)> {
        let window = IdRange {
            after: self.cursor_id(all.project, "after", &page.after).await?,
            before: self.cursor_id(all.project, "before", &page.before).await?,
            limit: page.per_page.0,
        };
        let rows = all.within(reads, window).await?;
        let link = self.link(call, reads, all, window, &rows).await?;
        Ok((rows, link))
    }

    /// The id of a cursor in the query.
    async fn cursor_id(
        &self,
        project: i64,
        parameter: &str,
        cursor: &Option<String>,
    ) -> Outcome<Option<i64>> {
        let Some(cursor) = cursor else {
            return Ok(None);
        };
        match self.signer().await?.read(project, cursor) {
            Some(id) => Ok(Some(id)),
            None => {
                let problem = FieldProblem::invalid(self.resource, parameter);
                Err(problem.because("Cursor is not valid for this list").into())
            }
        }
    }

    async fn link<E: EntityTrait>(
        &self,
        call: &Call,
        reads: &Connection,
        all: &ProjectList<E>,
        window: IdRange,
        rows: &[E::Model],
    ) -> Outcome<Option<String>> {
        let unbounded = window.after.is_none() && window.before.is_none();
        if unbounded && (rows.len() as u64) < window.limit {
            return Ok(None);
        }
        let (first, last) = edges(rows.iter().map(all.id_of), window);
        let mut prev = first.filter(|_| !unbounded);
        if prev.is_some() && !all.any(reads, None, prev).await? {
            prev = None;
        }
        let mut next = last;
        if next.is_some() && !all.any(reads, next, None).await? {
            next = None;
        }
        if prev.is_none() && next.is_none() {
            return Ok(None);
        }
        let signer = self.signer().await?;
        let cursor = |at| signer.write(all.project, at);
        let (prev, next) = (prev.map(cursor), next.map(cursor));
        Ok(cursor_link(call, prev.as_deref(), next.as_deref()))
    }

    /// The signer with the secret of this database.
    async fn signer(&self) -> Outcome<&Signer> {
        self.signer
            .get_or_try_init(|| async {
                let secret = cursor_secret(self.app.db.reads()).await?;
                let signer = secret.and_then(|secret| Signer::new(&secret, self.list));
                signer.ok_or_else(|| Problem::internal("the cursor secret is not a valid key"))
            })
            .await
    }
}

/// The ids before and after which the neighbours of a page are. An empty page, past an end of
/// the list, still links back.
fn edges(ids: impl DoubleEndedIterator<Item = i64>, window: IdRange) -> (Option<i64>, Option<i64>) {
    let mut ids = ids;
    let first = ids.next();
    let last = ids.next_back().or(first);
    (
        first.or(window.after.map(|after| after.saturating_add(1))),
        last.or(window.before.map(|before| before.saturating_sub(1))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(after: Option<i64>, before: Option<i64>) -> IdRange {
        IdRange {
            after,
            before,
            limit: 2,
        }
    }

    #[test]
    fn the_neighbours_of_a_page_lie_beyond_its_first_and_last() {
        let edges = |ids: &[i64]| edges(ids.iter().copied(), window(Some(3), None));
        assert_eq!(edges(&[5, 7]), (Some(5), Some(7)));
        assert_eq!(edges(&[5]), (Some(5), Some(5)));
    }

    #[test]
    fn an_empty_page_leads_back_to_the_cursor_itself() {
        let none = || std::iter::empty();
        assert_eq!(edges(none(), window(Some(9), None)), (Some(10), None));
        assert_eq!(edges(none(), window(None, Some(1))), (None, Some(0)));
        assert_eq!(edges(none(), window(None, None)), (None, None));
        assert_eq!(
            edges(none(), window(Some(i64::MAX), Some(i64::MIN))),
            (Some(i64::MAX), Some(i64::MIN))
        );
    }
}
