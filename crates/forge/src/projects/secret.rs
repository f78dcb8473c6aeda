//! The secret of cursors, the same for every process on the database.

use sea_orm::{DbErr, EntityTrait};

use storage::database::Connection;
use storage::entities::setting;

/// The key under which the secret of cursors is stored.
const CURSOR_SECRET: &str = "cursor_secret";

pub async fn cursor_secret(connection: &Connection) -> Result<Option<String>, DbErr> {
    let row = setting::Entity::find_by_id(CURSOR_SECRET)
        .one(connection)
        .await?;
    Ok(row.map(|row| row.value))
}
