//! `forgewright notifications`: lists notifications, newest last.

use clap::Args;
use sea_orm::{EntityTrait, QueryOrder, QuerySelect};

use super::print::say;
use super::{Failure, open_existing};
use crate::config::DatabaseConfig;
use contract::values::Timestamp;
use storage::entities::{account, notification};

#[derive(Debug, Args)]
pub struct NotificationsCommand {
    /// List at most the N newest notifications
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: u64,

    #[command(flatten)]
    database: DatabaseConfig,
}

pub async fn run(command: &NotificationsCommand) -> Result<(), Failure> {
    let db = open_existing(&command.database).await?;
    let notifications = notification::Entity::find()
        .find_also_related(account::Entity)
        .order_by_desc(notification::Column::Id)
        .limit(command.limit)
        .all(db.reads())
        .await?;
    for (row, recipient) in notifications.iter().rev() {
        let login = recipient.as_ref().map_or("-", |account| &account.login);
        let at = Timestamp(row.created_at);
        let reason = format!("{:?}", row.reason).to_lowercase();
        say!(
            "{at}  {login:<20}  {reason:<12}  comment {}",
            row.comment_id
        )?;
    }
    Ok(db.close().await?)
}
