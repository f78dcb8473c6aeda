//! The events of changes of items.

use crate::access::ProjectGrant;
use crate::issues::showing::node_id_of;
use crate::node_id;
use crate::project_items::ProjectItems;
use crate::project_items::view::content_type;
use crate::urls::Urls;
use crate::webhooks::{ItemAction, ItemChange, queue_item};
use contract::call::Call;
use contract::reply::Outcome;
use storage::database::Transaction;
use storage::entities::{issue, project_item};

/// The context of an event.
pub struct ItemEventContext<'a> {
    area: &'a ProjectItems,
    call: &'a Call,
    grant: &'a ProjectGrant,
    /// None for a draft.
    issue: Option<&'a issue::Model>,
}

impl<'a> ItemEventContext<'a> {
    pub fn of(
        area: &'a ProjectItems,
        call: &'a Call,
        grant: &'a ProjectGrant,
        issue: Option<&'a issue::Model>,
    ) -> Self {
        Self {
            area,
            call,
            grant,
            issue,
        }
    }

    /// Queues the events of an item in its current state.
    pub async fn queue(
        &self,
        transaction: &Transaction,
        row: &project_item::Model,
        actions: Vec<ItemAction>,
    ) -> Outcome<()> {
        let (owner, project) = (&self.grant.owner, &self.grant.project);
        let content_node_id = match self.issue {
            None => node_id::draft_issue(owner.id, project.id, row.id),
            Some(issue) => node_id_of(issue),
        };
        let change = ItemChange {
            item: row,
            content_type: content_type(self.issue),
            content_node_id,
            owner,
            sender: self.call.caller.author(),
            urls: Urls::of(self.call),
            now: self.area.app.clock.now().0,
        };
        queue_item(transaction, &self.area.app, &change, actions).await
    }
}
