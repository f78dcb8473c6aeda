//! The events of a push: each branch and tag that changed, and the pull requests that
//! followed. Other references have no events.

use crate::events::Origin;
use crate::events::{Event, PullAction, PullChanges, RefUpdate};
use crate::pulls::Followed;
use contract::reply::Outcome;
use git::refs::branch_of;
use git::{GitError, Sha};
use storage::database::Transaction;
use storage::entities::pull;

use super::RefChange;
use git::target::RefTarget;

/// A push of more tags has no events for them, as on GitHub.
const MOST_TAGS: usize = 3;

/// Queues the events of one push, and of the pull requests that followed.
pub(super) async fn queue(
    transaction: &Transaction,
    origin: &Origin<'_>,
    changes: &[RefChange<'_>],
    followed: &[Followed],
) -> Outcome<()> {
    if origin
        .audience
        .as_ref()
        .is_some_and(|audience| audience.is_empty())
    {
        return Ok(());
    }
    let mut updates = Vec::with_capacity(changes.len());
    for change in changes {
        updates.push(update(change)?);
    }
    let mut events = ref_events(&updates);
    for Followed { before, now: pull } in followed {
        let action = action(before, pull)?;
        events.push(Event::PullRequest { action, pull });
    }
    crate::events::queue_all(transaction, origin, &events).await
}

fn update<'a>(change: &RefChange<'a>) -> Result<RefUpdate<'a>, GitError> {
    Ok(match change {
        RefChange::Create(name, target) => RefUpdate {
            name: name.as_str(),
            before: None,
            after: Some(*target),
        },
        RefChange::Move(old, target) => RefUpdate {
            name: &old.name,
            before: Some(RefTarget::of(old)?),
            after: Some(*target),
        },
        RefChange::Delete(old) => RefUpdate {
            name: &old.name,
            before: Some(RefTarget::of(old)?),
            after: None,
        },
    })
}

/// Whether a reference with this name has events: a branch or a tag.
pub fn has_events(name: &str) -> bool {
    branch_of(name).is_some() || is_tag(name)
}

fn is_tag(name: &str) -> bool {
    name.starts_with("refs/tags/")
}

fn ref_events<'a>(updates: &[RefUpdate<'a>]) -> Vec<Event<'a>> {
    let tags = updates.iter().filter(|update| is_tag(update.name)).count();
    let is_told = |update: &&RefUpdate<'_>| {
        has_events(update.name) && (tags <= MOST_TAGS || !is_tag(update.name))
    };
    let mut events = Vec::new();
    for update in updates.iter().filter(is_told) {
        match (update.before, update.after) {
            (None, _) => events.push(Event::Create(update.name)),
            (_, None) => events.push(Event::Delete(update.name)),
            (Some(_), Some(_)) => {}
        }
        events.push(Event::Push(*update));
    }
    events
}

/// The action of a pull request that followed its branches.
fn action(before: &pull::Model, now: &pull::Model) -> Result<PullAction, GitError> {
    if before.state != now.state {
        return Ok(PullAction::Closed);
    }
    if before.base_ref != now.base_ref {
        return Ok(PullAction::Edited(PullChanges {
            base: Some((before.base_ref.clone(), before.base_sha.clone())),
            ..PullChanges::default()
        }));
    }
    Ok(PullAction::Synchronize {
        before: Sha::stored(&before.head_sha)?,
        after: Sha::stored(&now.head_sha)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::EventName;
    use storage::entities::git_object::ObjectKind;

    fn event_names(names: &[&str]) -> Vec<EventName> {
        let target = RefTarget {
            sha: Sha::EMPTY_TREE,
            kind: ObjectKind::Commit,
        };
        let updates: Vec<_> = names
            .iter()
            .map(|name| RefUpdate {
                name,
                before: None,
                after: Some(target),
            })
            .collect();
        ref_events(&updates).iter().map(Event::name).collect()
    }

    #[test]
    fn more_than_three_tags_at_once_are_no_events() {
        let tags = ["refs/tags/1", "refs/tags/2", "refs/tags/3", "refs/tags/4"];
        assert_eq!(event_names(&tags[..3]).len(), 6);
        assert_eq!(event_names(&tags), []);
        let both = [&tags[..], &["refs/heads/main"]].concat();
        assert_eq!(event_names(&both), [EventName::Create, EventName::Push]);
    }

    #[test]
    fn references_that_are_no_branches_or_tags_are_no_events() {
        assert_eq!(event_names(&["refs/notes/commits", "refs/changes/1"]), []);
    }
}
