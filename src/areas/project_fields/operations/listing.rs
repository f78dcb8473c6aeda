//! A page of the list, between two cursors, and the way to its neighbours.

use super::super::rules::RESOURCE;
use super::super::store::{self, FieldScope, FieldWindow};
use super::super::{ProjectFields, Whole, cursor};
use crate::contract::call::Call;
use crate::contract::paging::{CursorPage, cursor_link};
use crate::contract::problem::{FieldProblem, Problem};
use crate::contract::reply::Outcome;
use crate::database::Reads;
use crate::entities::project_field;

impl ProjectFields {
    /// The fields of a page, and its `Link` header.
    pub(super) async fn page(
        &self,
        call: &Call,
        reads: &Reads,
        scope: FieldScope,
        page: &CursorPage,
    ) -> Outcome<(Vec<Whole>, Option<String>)> {
        let window = FieldWindow {
            after: self.place(scope, "after", page.after.as_deref()).await?,
            before: self.place(scope, "before", page.before.as_deref()).await?,
            limit: page.per_page.0,
        };
        let fields = store::list(reads, scope, window).await?;
        let link = self.link(call, scope, window, &fields).await?;
        Ok((store::complete(reads, fields).await?, link))
    }

    /// The id at which a cursor of the query stands.
    async fn place(
        &self,
        scope: FieldScope,
        parameter: &str,
        cursor: Option<&str>,
    ) -> Outcome<Option<i64>> {
        let Some(cursor) = cursor else {
            return Ok(None);
        };
        match self.signer().await?.read(scope.project, cursor) {
            Some(place) => Ok(Some(place)),
            None => {
                let problem = FieldProblem::invalid(RESOURCE, parameter);
                Err(problem.because("Cursor is not valid for this list").into())
            }
        }
    }

    async fn link(
        &self,
        call: &Call,
        scope: FieldScope,
        window: FieldWindow,
        fields: &[project_field::Model],
    ) -> Outcome<Option<String>> {
        let whole = window.after.is_none() && window.before.is_none();
        if whole && (fields.len() as u64) < window.limit {
            return Ok(None);
        }
        let reads = self.app.db.reads();
        let (first, last) = edges(fields.iter().map(|field| field.id), window);
        let mut prev = first.filter(|_| !whole);
        if prev.is_some() && !store::any(reads, scope, None, prev).await? {
            prev = None;
        }
        let mut next = last;
        if next.is_some() && !store::any(reads, scope, next, None).await? {
            next = None;
        }
        if prev.is_none() && next.is_none() {
            return Ok(None);
        }
        let signer = self.signer().await?;
        let cursor = |at| signer.write(scope.project, at);
        let (prev, next) = (prev.map(cursor), next.map(cursor));
        Ok(cursor_link(call, prev.as_deref(), next.as_deref()))
    }

    /// The signer with the secret of this database.
    async fn signer(&self) -> Outcome<&cursor::Signer> {
        self.signer
            .get_or_try_init(|| async {
                let secret = store::cursor_secret(self.app.db.reads()).await?;
                let signer = secret.as_deref().and_then(cursor::Signer::new);
                signer.ok_or_else(|| Problem::internal("the secret of cursors is no key"))
            })
            .await
    }
}

/// The ids before and after which the neighbours of a page lie. A page with
/// nothing on it, past an end of the list, still leads back.
fn edges(
    ids: impl DoubleEndedIterator<Item = i64>,
    window: FieldWindow,
) -> (Option<i64>, Option<i64>) {
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

    fn window(after: Option<i64>, before: Option<i64>) -> FieldWindow {
        FieldWindow {
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
