//! Reading the journal of a world, and waiting for a request.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::time::{Instant, timeout_at};

use super::Control;
use crate::contract::control::ControlCall;
use crate::contract::control::journal::{JournalEntry, JournalFilter, LONGEST_WAIT, Operations};
use crate::contract::paging::PerPage;
use crate::contract::problem::{FieldProblem, Problem};
use crate::contract::reply::{Empty, Outcome, Reply};
use crate::journal::{Entry, Filter, Journal};

#[async_trait]
impl Operations for Control {
    async fn list_journal(
        &self,
        _call: ControlCall,
        world: String,
        filter: JournalFilter,
        per_page: PerPage,
        wait: Option<u64>,
    ) -> Outcome<Reply<200, Vec<JournalEntry>>> {
        let journal = self.journal(&world)?;
        let filter = Filter::try_from(filter)?;
        let wait = wait.unwrap_or_default();
        if wait > LONGEST_WAIT {
            let problem = FieldProblem::invalid("Journal", "wait");
            return Err(problem.because("wait must be 60 seconds or less").into());
        }
        let most = usize::try_from(per_page.0).unwrap_or(usize::MAX);
        let found = match wait {
            0 => journal.find(&filter, most),
            seconds => {
                let wanted = awaited(journal, filter, most, Duration::from_secs(seconds));
                wanted.await.ok_or(Problem::NotFound)?
            }
        };
        let shown = found.iter().map(|entry| JournalEntry::from(&**entry));
        Ok(Reply::new(shown.collect()))
    }

    async fn get_journal_entry(
        &self,
        _call: ControlCall,
        world: String,
        entry: String,
    ) -> Outcome<Reply<200, JournalEntry>> {
        let found = self.journal(&world)?.get(&entry).ok_or_else(|| {
            let entry = entry.escape_debug();
            Problem::Absent(format!("The journal has no request '{entry}'").into())
        })?;
        Ok(Reply::new(JournalEntry::from(&*found)))
    }

    async fn clear_journal(&self, _call: ControlCall, world: String) -> Outcome<Empty> {
        self.journal(&world)?.clear();
        Ok(Empty)
    }
}

impl Control {
    fn journal(&self, world: &str) -> Outcome<Arc<Journal>> {
        let tools = self.world(world)?.app.tools.clone();
        let missing = || Problem::internal("a world is served without its journal");
        Ok(tools.ok_or_else(missing)?.journal.clone())
    }
}

/// Waits until something matches or the time is over. Holds nothing of the world but the
/// watch; `None` if the world is gone.
async fn awaited(
    journal: Arc<Journal>,
    filter: Filter,
    most: usize,
    wait: Duration,
) -> Option<Vec<Arc<Entry>>> {
    let deadline = Instant::now() + wait;
    let mut news = journal.watch();
    let held = Arc::downgrade(&journal);
    drop(journal);
    loop {
        news.mark_unchanged();
        let found = held.upgrade()?.find(&filter, most);
        if !found.is_empty() {
            return Some(found);
        }
        match timeout_at(deadline, news.changed()).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return None,
            Err(_) => return Some(Vec::new()),
        }
    }
}
