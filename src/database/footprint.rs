//! What a piece of work has read, since when, and whose unfinished change it may
//! have seen.
//!
//! It belongs to the task that works, like a local variable that every statement
//! can reach. Work that is handed to another task leaves no trace here, so who
//! wants to know must not hand reading away.

use std::cell::{Cell, RefCell};

use super::tables::TableSet;
use super::watch::Moment;

tokio::task_local! {
    static FOOTPRINT: Footprint;
}

#[derive(Debug, Default)]
struct Footprint {
    read: Cell<TableSet>,
    seen: Cell<Option<u64>>,
    /// Whatever it relies on was so at this moment, or later.
    moment: RefCell<Option<Moment>>,
}

/// Does the work, and says which tables it has read. For work within other work
/// that counts for both.
pub async fn of<T>(work: impl Future<Output = T>) -> (T, TableSet) {
    let whole = async {
        let outcome = work.await;
        (outcome, so_far(), unfinished(), moment())
    };
    let begun = Footprint {
        moment: RefCell::new(moment()),
        ..Footprint::default()
    };
    let (outcome, read, seen, moment) = FOOTPRINT.scope(begun, whole).await;
    note_read(read);
    note_moment(moment);
    if let Some(batch) = seen {
        note_seen(batch);
    }
    (outcome, read)
}

/// Does work on which the work around it does not rest.
pub async fn apart<T>(work: impl Future<Output = T>) -> T {
    FOOTPRINT.scope(Footprint::default(), work).await
}

/// What the work that is under way has read until now.
pub fn so_far() -> TableSet {
    FOOTPRINT
        .try_with(|footprint| footprint.read.get())
        .unwrap_or_default()
}

/// The batch of changes that this work has been part of without committing.
pub fn unfinished() -> Option<u64> {
    FOOTPRINT
        .try_with(|footprint| footprint.seen.get())
        .unwrap_or_default()
}

pub(crate) fn note_read(tables: TableSet) {
    // Outside of such work nobody wants to know.
    let _ = FOOTPRINT.try_with(|footprint| {
        footprint.read.set(footprint.read.get().and(tables));
    });
}

/// The moment that this work relies on, if it has looked.
pub(crate) fn moment() -> Option<Moment> {
    FOOTPRINT
        .try_with(|footprint| footprint.moment.borrow().clone())
        .unwrap_or_default()
}

/// None after a change: from then on an earlier moment would hide it.
pub(crate) fn note_moment(moment: Option<Moment>) {
    let _ = FOOTPRINT.try_with(|footprint| footprint.moment.replace(moment));
}

pub(super) fn note_seen(batch: u64) {
    let _ = FOOTPRINT.try_with(|footprint| footprint.seen.set(Some(batch)));
}

pub(super) fn note_finished() {
    let _ = FOOTPRINT.try_with(|footprint| footprint.seen.set(None));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_within_work_counts_for_both() {
        let inner = async { note_read(TableSet::ALL) };
        let ((_, of_inner), of_outer) = of(of(inner)).await;
        assert_eq!((of_inner, of_outer), (TableSet::ALL, TableSet::ALL));
        let ((), of_next) = of(async {}).await;
        assert_eq!(of_next, TableSet::NONE);
    }
}
