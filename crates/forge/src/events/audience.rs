//! Selects the apps that receive the events of a repository: they have a webhook, are installed
//! on the repository, are subscribed to the event, and are permitted to see it. If the control
//! API records deliveries for tests, apps without a webhook are included.

use migration::aggregates::{Aggregate, Kind};
use sea_orm::{DbErr, EntityTrait, QueryFilter, QuerySelect};

use super::event::EventName;
use contract::caller::Permissions;
use storage::cache::Weigh;
use storage::database::ReadSource;
use storage::entities::{app, installation, installation_repository, repository};

/// The installations that receive the events of a repository.
#[derive(Debug, Clone, Default)]
pub struct Audience(Vec<Receiver>);

/// An installation, and the events that it receives.
#[derive(Debug, Clone)]
pub struct Receiver {
    pub app: i64,
    pub installation: i64,
    /// Whether it has a webhook.
    pub has_webhook: bool,
    events: Vec<EventName>,
}

impl Audience {
    pub async fn of(
        source: &impl ReadSource,
        repository: &repository::Model,
        recording: bool,
    ) -> Result<Self, DbErr> {
        let mut installations = subscribed_installations(source, repository.owner_id).await?;
        if installations.is_empty() {
            return Ok(Self::default());
        }
        let with_webhook = apps_with_webhook(source, &installations).await?;
        let selecting = selecting(source, repository, &installations).await?;
        installations.retain_mut(|(installation, receiver)| {
            receiver.has_webhook = with_webhook.contains(&installation.app_id);
            (recording || receiver.has_webhook)
                && match installation.repository_selection {
                    installation::RepositorySelection::All => true,
                    installation::RepositorySelection::Selected => {
                        selecting.contains(&installation.id)
                    }
                }
        });
        Ok(Self(
            installations
                .into_iter()
                .map(|(_, receiver)| receiver)
                .collect(),
        ))
    }

    /// The installations that receive the events of an account that belong to no repository.
    pub async fn of_account(
        source: &impl ReadSource,
        account: i64,
        recording: bool,
    ) -> Result<Self, DbErr> {
        let installations = subscribed_installations(source, account).await?;
        if installations.is_empty() {
            return Ok(Self::default());
        }
        let with_webhook = apps_with_webhook(source, &installations).await?;
        let receivers = installations
            .into_iter()
            .map(|(installation, mut receiver)| {
                receiver.has_webhook = with_webhook.contains(&installation.app_id);
                receiver
            });
        let is_included = |receiver: &Receiver| recording || receiver.has_webhook;
        Ok(Self(receivers.filter(is_included).collect()))
    }

    /// Whether no installation receives any event.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether an installation receives this event.
    pub fn has_subscriber(&self, event: EventName) -> bool {
        self.receivers(event).next().is_some()
    }

    pub fn receivers(&self, event: EventName) -> impl Iterator<Item = &Receiver> {
        let is_subscribed = move |receiver: &&Receiver| receiver.events.contains(&event);
        self.0.iter().filter(is_subscribed)
    }
}

type SubscribedInstallation = (installation::Model, Receiver);

/// The installations on an account that are subscribed to at least one event.
async fn subscribed_installations(
    source: &impl ReadSource,
    account: i64,
) -> Result<Vec<SubscribedInstallation>, DbErr> {
    let aggregates = [Kind::AccountInstallations.of(account)];
    let installed = installation::Entity::find()
        .filter(installation::COLUMN.account_id.eq(account))
        .filter(installation::COLUMN.suspended_at.is_null())
        .all(source.reading(&aggregates).await)
        .await?;
    Ok(installed
        .into_iter()
        .map(|row| (Receiver::of(&row), row))
        .filter(|(receiver, _)| !receiver.events.is_empty())
        .map(|(receiver, row)| (row, receiver))
        .collect())
}

/// The apps that have a webhook.
async fn apps_with_webhook(
    source: &impl ReadSource,
    installations: &[SubscribedInstallation],
) -> Result<Vec<i64>, DbErr> {
    let apps = || installations.iter().map(|(row, _)| row.app_id);
    let aggregates: Vec<Aggregate> = apps().map(|id| Kind::App.of(id)).collect();
    app::Entity::find()
        .select_only()
        .column(app::Column::Id)
        .filter(app::COLUMN.id.is_in(apps()))
        .filter(app::COLUMN.webhook_url.is_not_null())
        .into_tuple()
        .all(source.reading(&aggregates).await)
        .await
}

/// The installations for which the repository is selected.
async fn selecting(
    source: &impl ReadSource,
    repository: &repository::Model,
    installations: &[SubscribedInstallation],
) -> Result<Vec<i64>, DbErr> {
    let rows = installations.iter();
    let aggregates: Vec<Aggregate> = rows.map(|(row, _)| Kind::Installation.of(row.id)).collect();
    let of_repository = installation_repository::COLUMN
        .repository_id
        .eq(repository.id);
    installation_repository::Entity::find()
        .select_only()
        .column(installation_repository::Column::InstallationId)
        .filter(of_repository)
        .into_tuple()
        .all(source.reading(&aggregates).await)
        .await
}

impl Receiver {
    fn of(installation: &installation::Model) -> Self {
        let subscribed: Vec<String> =
            serde_json::from_str(&installation.events).unwrap_or_default();
        let granted: Permissions =
            serde_json::from_str(&installation.permissions).unwrap_or_default();
        let receives = |event: &EventName| {
            let permitted = |permission: &str| granted.contains_key(permission);
            event.permission().is_some_and(permitted)
                && subscribed.iter().any(|name| name == event.as_str())
        };
        Self {
            app: installation.app_id,
            installation: installation.id,
            has_webhook: false,
            events: EventName::ALL.into_iter().filter(receives).collect(),
        }
    }
}

impl Weigh for Audience {
    fn heap_bytes(&self) -> usize {
        let all = EventName::ALL.len() * size_of::<EventName>();
        self.0.len() * (size_of::<Receiver>() + all)
    }
}
