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
        let mut wanting = wanting(source, repository.owner_id).await?;
        if wanting.is_empty() {
            return Ok(Self::default());
        }
        let hooked = hooked(source, &wanting).await?;
        let given = given(source, repository, &wanting).await?;
        wanting.retain_mut(|(installation, receiver)| {
            receiver.addressed = hooked.contains(&installation.app_id);
            (recording || receiver.addressed)
                && match installation.repository_selection {
                    installation::RepositorySelection::All => true,
                    installation::RepositorySelection::Selected => given.contains(&installation.id),
                }
        });
        Ok(Self(
            wanting.into_iter().map(|(_, receiver)| receiver).collect(),
        ))
    }

    /// The installations that hear of what happens on an account, in no repository of it.
    pub async fn of_account(
        source: &impl ReadSource,
        account: i64,
        recording: bool,
    ) -> Result<Self, DbErr> {
        let wanting = wanting(source, account).await?;
        if wanting.is_empty() {
            return Ok(Self::default());
        }
        let hooked = hooked(source, &wanting).await?;
        let receivers = wanting.into_iter().map(|(installation, mut receiver)| {
            receiver.addressed = hooked.contains(&installation.app_id);
            receiver
        });
        let heard = |receiver: &Receiver| recording || receiver.addressed;
        Ok(Self(receivers.filter(heard).collect()))
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

type Wanting = (installation::Model, Receiver);

/// The installations on an account that want to hear of something.
async fn wanting(source: &impl ReadSource, account: i64) -> Result<Vec<Wanting>, DbErr> {
    let installed = [Kind::AccountInstallations.of(account)];
    let installed = installation::Entity::find()
        .filter(installation::COLUMN.account_id.eq(account))
        .filter(installation::COLUMN.suspended_at.is_null())
        .all(source.reading(&installed).await)
        .await?;
    Ok(installed
        .into_iter()
        .map(|row| (Receiver::of(&row), row))
        .filter(|(receiver, _)| !receiver.events.is_empty())
        .map(|(receiver, row)| (row, receiver))
        .collect())
}

/// The apps that have a webhook.
async fn hooked(source: &impl ReadSource, wanting: &[Wanting]) -> Result<Vec<i64>, DbErr> {
    let apps = || wanting.iter().map(|(row, _)| row.app_id);
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

/// The installations that were given the repository.
async fn given(
    source: &impl ReadSource,
    repository: &repository::Model,
    wanting: &[Wanting],
) -> Result<Vec<i64>, DbErr> {
    let rows = wanting.iter();
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
