//! Selects the apps that hear of what happens in a repository: those with a webhook,
//! installed on the repository, subscribed to an event, and permitted to see it. Where
//! deliveries are recorded for whoever tests an app, those without a webhook count too.

use std::sync::Arc;

use migration::aggregates::{Aggregate, Kind};
use sea_orm::{DbErr, EntityTrait, QueryFilter, QuerySelect};

use super::event::EventName;
use crate::app::App;
use crate::cache::{CacheKind, Key, Weigh};
use crate::contract::caller::Permissions;
use crate::contract::reply::Outcome;
use crate::database::ReadSource;
use crate::entities::{app, installation, installation_repository, repository};

/// The installations that hear of a repository.
#[derive(Debug, Clone, Default)]
pub struct Audience(Vec<Receiver>);

/// An installation, and what it hears of.
#[derive(Debug, Clone)]
pub(super) struct Receiver {
    pub app: i64,
    pub installation: i64,
    /// Whether it has a webhook.
    pub addressed: bool,
    events: Vec<EventName>,
}

impl Audience {
    pub async fn of(
        source: &impl ReadSource,
        repository: &repository::Model,
        recording: bool,
    ) -> Result<Self, DbErr> {
        let installed = [Kind::AccountInstallations.of(repository.owner_id)];
        let installed = installation::Entity::find()
            .filter(installation::COLUMN.account_id.eq(repository.owner_id))
            .filter(installation::COLUMN.suspended_at.is_null())
            .all(source.reading(&installed).await)
            .await?;
        let mut wanting: Vec<(installation::Model, Receiver)> = installed
            .into_iter()
            .map(|row| (Receiver::of(&row), row))
            .filter(|(receiver, _)| !receiver.events.is_empty())
            .map(|(receiver, row)| (row, receiver))
            .collect();
        if wanting.is_empty() {
            return Ok(Self::default());
        }
        let (hooked, given) = reached(source, repository, &wanting).await?;
        wanting.retain_mut(|(installation, receiver)| {
            receiver.addressed = hooked.contains(&installation.app_id);
            (recording || receiver.addressed)
                && match installation.repository_selection {
                    installation::Selection::All => true,
                    installation::Selection::Selected => given.contains(&installation.id),
                }
        });
        Ok(Self(
            wanting.into_iter().map(|(_, receiver)| receiver).collect(),
        ))
    }

    /// Whether nobody hears of anything.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether somebody hears of this event.
    pub fn hears(&self, event: EventName) -> bool {
        self.receivers(event).next().is_some()
    }

    pub(super) fn receivers(&self, event: EventName) -> impl Iterator<Item = &Receiver> {
        let hears = move |receiver: &&Receiver| receiver.events.contains(&event);
        self.0.iter().filter(hears)
    }
}

/// The apps that have a webhook, and the installations that were given the repository.
async fn reached(
    source: &impl ReadSource,
    repository: &repository::Model,
    wanting: &[(installation::Model, Receiver)],
) -> Result<(Vec<i64>, Vec<i64>), DbErr> {
    let aggregates: Vec<Aggregate> = wanting
        .iter()
        .flat_map(|(row, _)| [Kind::App.of(row.app_id), Kind::Installation.of(row.id)])
        .collect();
    let connection = source.reading(&aggregates).await;
    let apps = wanting.iter().map(|(row, _)| row.app_id);
    let hooked = app::Entity::find()
        .select_only()
        .column(app::Column::Id)
        .filter(app::COLUMN.id.is_in(apps))
        .filter(app::COLUMN.webhook_url.is_not_null())
        .into_tuple()
        .all(connection)
        .await?;
    let of_repository = installation_repository::COLUMN
        .repository_id
        .eq(repository.id);
    let given = installation_repository::Entity::find()
        .select_only()
        .column(installation_repository::Column::InstallationId)
        .filter(of_repository)
        .into_tuple()
        .all(connection)
        .await?;
    Ok((hooked, given))
}

impl Receiver {
    fn of(installation: &installation::Model) -> Self {
        let words: Vec<String> = serde_json::from_str(&installation.events).unwrap_or_default();
        let granted: Permissions =
            serde_json::from_str(&installation.permissions).unwrap_or_default();
        let hears = |event: &EventName| {
            let permitted = |permission: &&str| granted.contains_key(*permission);
            event.permissions().iter().any(permitted)
                && words.iter().any(|word| word == event.word())
        };
        Self {
            app: installation.app_id,
            installation: installation.id,
            addressed: false,
            events: EventName::ALL.into_iter().filter(hears).collect(),
        }
    }
}

/// The installations that hear of a repository, as of this request.
pub async fn audience(app: &App, repository: &repository::Model) -> Outcome<Arc<Audience>> {
    let key = Key::of(CacheKind::Receivers).number(repository.id);
    let compute = || Audience::of(&app.db, repository, app.settings.control);
    Ok(app.cache.get_or_compute(key, compute).await?)
}

impl Weigh for Audience {
    fn heap_bytes(&self) -> usize {
        let all = EventName::ALL.len() * size_of::<EventName>();
        self.0.len() * (size_of::<Receiver>() + all)
    }
}
