//! Selects the apps that receive a comment event: those with a webhook, installed on the
//! repository, permitted to read pull requests, and subscribed to the event.

use migration::aggregates::{Aggregate, Kind};
use sea_orm::{DbErr, EntityTrait, QueryFilter, QuerySelect, Set};

use super::{Event, payload};
use crate::contract::caller::Permissions;
use crate::contract::problem::Problem;
use crate::contract::reply::Outcome;
use crate::contract::review_comments::ReviewComment;
use crate::database::{ReadSource, Transaction};
use crate::entities::{app, installation, installation_repository, repository, webhook_delivery};
use crate::entropy::Entropy;

/// The event that apps subscribe to.
pub const EVENT: &str = "pull_request_review_comment";

/// The permission that the event requires.
const PERMISSION: &str = "pull_requests";

/// The installations that receive comment events of a repository.
pub async fn receivers(
    source: &impl ReadSource,
    repository: &repository::Model,
) -> Result<Vec<installation::Model>, DbErr> {
    let installed = [Kind::AccountInstallations.of(repository.owner_id)];
    let installed = installation::Entity::find()
        .filter(installation::COLUMN.account_id.eq(repository.owner_id))
        .filter(installation::COLUMN.suspended_at.is_null())
        .all(source.reading(&installed).await)
        .await?;
    let mut wanting: Vec<installation::Model> = installed.into_iter().filter(subscribed).collect();
    if wanting.is_empty() {
        return Ok(wanting);
    }
    let aggregates: Vec<Aggregate> = wanting
        .iter()
        .flat_map(|row| [Kind::App.of(row.app_id), Kind::Installation.of(row.id)])
        .collect();
    let connection = source.reading(&aggregates).await;
    let hooked: Vec<i64> = app::Entity::find()
        .select_only()
        .column(app::Column::Id)
        .filter(app::COLUMN.id.is_in(wanting.iter().map(|row| row.app_id)))
        .filter(app::COLUMN.webhook_url.is_not_null())
        .into_tuple()
        .all(connection)
        .await?;
    let given: Vec<i64> = installation_repository::Entity::find()
        .select_only()
        .column(installation_repository::Column::InstallationId)
        .filter(
            installation_repository::COLUMN
                .repository_id
                .eq(repository.id),
        )
        .into_tuple()
        .all(connection)
        .await?;
    wanting.retain(|installation| {
        hooked.contains(&installation.app_id)
            && match installation.repository_selection {
                installation::Selection::All => true,
                installation::Selection::Selected => given.contains(&installation.id),
            }
    });
    Ok(wanting)
}

fn subscribed(installation: &installation::Model) -> bool {
    let events: Vec<String> = serde_json::from_str(&installation.events).unwrap_or_default();
    let granted: Permissions = serde_json::from_str(&installation.permissions).unwrap_or_default();
    events.iter().any(|event| event == EVENT) && granted.contains_key(PERMISSION)
}

/// Inserts a delivery for each of the installations.
pub async fn queue_deliveries(
    transaction: &Transaction,
    event: &Event,
    comment: &ReviewComment,
    receivers: &[installation::Model],
    entropy: &dyn Entropy,
) -> Outcome<()> {
    let payload = payload::of(transaction, event, comment).await?;
    let mut rows = Vec::with_capacity(receivers.len());
    for installation in receivers {
        let payload = payload.for_installation(installation.id);
        rows.push(webhook_delivery::ActiveModel {
            guid: Set(guid(entropy)),
            pull_id: Set(event.pull.id),
            installation_id: Set(installation.id),
            event: Set(EVENT.to_owned()),
            action: Set(event.action.word().to_owned()),
            payload: Set(serde_json::to_string(&payload).map_err(Problem::internal)?),
            created_at: Set(event.now),
            attempts: Set(0),
            next_attempt_at: Set(event.now),
            ..Default::default()
        });
    }
    webhook_delivery::Entity::insert_many(rows)
        .exec_without_returning(transaction)
        .await?;
    Ok(())
}

/// A random UUID, version 4.
fn guid(entropy: &dyn Entropy) -> String {
    let mut bytes = [0; 16];
    entropy.fill(&mut bytes);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let hex = hex::encode(bytes);
    format!(
        "{}-{}-{}-{}-{}",
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..]
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::SeededEntropy;

    #[test]
    fn a_delivery_id_is_a_random_uuid() {
        let entropy = SeededEntropy::new(1);
        let (one, other) = (guid(&entropy), guid(&entropy));
        assert_ne!(one, other);
        assert_eq!(one.len(), 36);
        assert_eq!(&one[14..15], "4");
        assert!("89ab".contains(&one[19..20]));
    }
}
