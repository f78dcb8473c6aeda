//! Reads the journal of a world, and waits for requests.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::time::{Instant, timeout_at};

use super::{Control, waits_until};
use contract::control::journal::{JournalEntry, JournalFilter, Operations};
use contract::control::{ControlCall, WaitSeconds};
use contract::paging::{OptionalParameter, PerPage};
use contract::problem::Problem;
use contract::reply::{Empty, Outcome, Reply};
use forge::journal::{ExchangeFilter, Journal, RecordedExchange};

#[async_trait]
impl Operations for Control {
    async fn list_journal(
        &self,
        _call: ControlCall,
        world: String,
        filter: JournalFilter,
        per_page: PerPage,
        wait: OptionalParameter<WaitSeconds>,
    ) -> Outcome<Reply<200, Vec<JournalEntry>>> {
        let journal = self.tools(&world)?.1.journal.clone();
        let filter = ExchangeFilter::try_from(filter)?;
        let until = waits_until(wait)?;
        let most = usize::try_from(per_page.0).unwrap_or(usize::MAX);
        let entries = awaited(journal, filter, most, until).await;
        let entries = entries.ok_or(Problem::NotFound)?;
        let views = entries.iter().map(|entry| JournalEntry::from(&**entry));
        Ok(Reply::new(views.collect()))
    }

    async fn get_journal_entry(
        &self,
        _call: ControlCall,
        world: String,
        entry: String,
    ) -> Outcome<Reply<200, JournalEntry>> {
        let exchange = self.tools(&world)?.1.journal.get(&entry).ok_or_else(|| {
            let entry = entry.escape_debug();
            Problem::Absent(format!("The journal has no request '{entry}'").into())
        })?;
        Ok(Reply::new(JournalEntry::from(&*exchange)))
    }

    async fn clear_journal(&self, _call: ControlCall, world: String) -> Outcome<Empty> {
        self.tools(&world)?.1.journal.clear();
        Ok(Empty)
    }
}

/// Waits until an entry matches or the time is over. Keeps only a weak reference to the journal;
/// returns `None` if the world was removed.
async fn awaited(
    journal: Arc<Journal>,
    filter: ExchangeFilter,
    most: usize,
    until: Instant,
) -> Option<Vec<Arc<RecordedExchange>>> {
    let mut changes = journal.watch();
    let journal_ref = Arc::downgrade(&journal);
    drop(journal);
    loop {
        changes.mark_unchanged();
        let entries = journal_ref.upgrade()?.find(&filter, most);
        if !entries.is_empty() {
            return Some(entries);
        }
        match timeout_at(until, changes.changed()).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return None,
            Err(_) => return Some(Vec::new()),
        }
    }
}
