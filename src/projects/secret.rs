//! The secret of cursors: made once, then the same for every process on the
//! database.

use sea_orm::sea_query::OnConflict;
use sea_orm::{ConnectionTrait, DbErr, EntityTrait, Set};

use crate::entities::setting;

/// The key under which the secret of cursors is kept.
const CURSOR_SECRET: &str = "cursor_secret";

/// The secret of cursors, if it was made already.
pub async fn cursor_secret(connection: &impl ConnectionTrait) -> Result<Option<String>, DbErr> {
    let row = setting::Entity::find_by_id(CURSOR_SECRET)
        .one(connection)
        .await?;
    Ok(row.map(|row| row.value))
}

/// Keeps a secret for cursors unless somebody was faster.
pub async fn offer_cursor_secret(
    connection: &impl ConnectionTrait,
    secret: String,
) -> Result<(), DbErr> {
    let row = setting::ActiveModel {
        key: Set(CURSOR_SECRET.to_owned()),
        value: Set(secret),
    };
    setting::Entity::insert(row)
        .on_conflict(
            OnConflict::column(setting::Column::Key)
                .do_nothing()
                .to_owned(),
        )
        .exec_without_returning(connection)
        .await?;
    Ok(())
}
