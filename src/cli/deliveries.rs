//! `forgewright deliveries`: lists webhook deliveries, newest last, and sends one again. The
//! running server sends it, or the next one to run.

use clap::{Args, Subcommand};
use sea_orm::{EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect};

use super::print::say;
use super::{Failure, open_existing};
use crate::config::DatabaseConfig;
use contract::values::Timestamp;
use forge::webhooks;
use forge::webhooks::Redelivery;
use storage::clock::{Clock, SystemClock};
use storage::entities::{app, webhook_delivery};

#[derive(Debug, Subcommand)]
pub enum DeliveriesCommand {
    /// List webhook deliveries and their outcome, newest last
    List(ListCommand),
    /// Send a delivery again
    Redeliver(RedeliverCommand),
}

#[derive(Debug, Args)]
pub struct ListCommand {
    /// List only deliveries to this app
    #[arg(long, value_name = "SLUG")]
    app: Option<String>,

    /// List at most the N newest deliveries
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: u64,

    #[command(flatten)]
    database: DatabaseConfig,
}

#[derive(Debug, Args)]
pub struct RedeliverCommand {
    /// The number of the delivery, from the first column of `deliveries list`
    id: i64,

    #[command(flatten)]
    database: DatabaseConfig,
}

pub async fn run(command: &DeliveriesCommand) -> Result<(), Failure> {
    match command {
        DeliveriesCommand::List(command) => list(command).await,
        DeliveriesCommand::Redeliver(command) => redeliver(command).await,
    }
}

/// The listed columns of a delivery.
#[derive(FromQueryResult)]
struct DeliveryLine {
    id: i64,
    slug: String,
    event: String,
    action: Option<String>,
    redelivery: bool,
    recorded: bool,
    created_at: i64,
    delivered_at: Option<i64>,
    error: Option<String>,
}

async fn list(command: &ListCommand) -> Result<(), Failure> {
    use webhook_delivery::Column;
    let db = open_existing(&command.database).await?;
    let mut query = webhook_delivery::Entity::find()
        .select_only()
        .columns([
            Column::Id,
            Column::Event,
            Column::Action,
            Column::Redelivery,
            Column::Recorded,
            Column::CreatedAt,
            Column::DeliveredAt,
            Column::Error,
        ])
        .column(app::Column::Slug)
        .inner_join(app::Entity);
    if let Some(slug) = &command.app {
        query = query.filter(app::COLUMN.slug.eq(slug.to_lowercase()));
    }
    let rows: Vec<DeliveryLine> = query
        .order_by_desc(Column::Id)
        .limit(command.limit)
        .into_model()
        .all(db.reads())
        .await?;
    for row in rows.iter().rev() {
        let at = Timestamp(row.created_at);
        let action = row.action.as_deref().map(|action| format!(".{action}"));
        let event = format!("{}{}", row.event, action.unwrap_or_default());
        say!(
            "{:<6}  {at}  {:<20}  {event}  {}",
            row.id,
            row.slug,
            row.state()
        )?;
    }
    Ok(db.close().await?)
}

impl DeliveryLine {
    fn state(&self) -> String {
        let state = match (self.delivered_at, &self.error) {
            (Some(time), None) => format!("delivered {}", Timestamp(time)),
            (Some(_), Some(error)) => format!("failed: {error}"),
            (None, _) if self.recorded => "recorded: the app had no webhook".to_owned(),
            (None, _) => "pending".to_owned(),
        };
        match self.redelivery {
            true => format!("{state} (redelivery)"),
            false => state,
        }
    }
}

async fn redeliver(command: &RedeliverCommand) -> Result<(), Failure> {
    let db = open_existing(&command.database).await?;
    let row = webhook_delivery::Entity::find_by_id(command.id)
        .one(db.reads())
        .await?;
    let Some(row) = row else {
        let id = command.id;
        return Err(Failure::Other(format!(
            "there is no delivery {id}; `forgewright deliveries list` lists those of three days"
        )));
    };
    match webhooks::redeliver(&db, &row, SystemClock.now().0).await? {
        Redelivery::Queued(_) => say!("Queued. A running server sends it within seconds."),
        Redelivery::Pending(_) => say!("It is already queued."),
    }?;
    Ok(db.close().await?)
}
