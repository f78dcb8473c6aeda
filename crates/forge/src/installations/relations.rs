//! The rows that a page of installations refers to.

use std::collections::HashMap;

use sea_orm::DbErr;

use crate::accounts::rows::accounts_by;
use storage::database::{Connection, rows_with};
use storage::entities::{account, app, installation};

/// The rows that a page of installations refers to.
#[derive(Debug, Default)]
pub struct InstallationRelations {
    pub(super) accounts: HashMap<i64, account::Model>,
    pub(super) apps: HashMap<i64, app::Model>,
}

impl InstallationRelations {
    pub async fn of(db: &Connection, installations: &[installation::Model]) -> Result<Self, DbErr> {
        let rows = installations.iter();
        let account_ids = rows.flat_map(|row| [Some(row.account_id), row.suspended_by_id]);
        let account_ids: Vec<i64> = account_ids.flatten().collect();
        let apps: Vec<i64> = installations.iter().map(|row| row.app_id).collect();
        let apps = rows_with(db, app::Column::Id, apps).await?;
        Ok(Self {
            accounts: accounts_by(db, account_ids).await?,
            apps: apps.into_iter().map(|row| (row.id, row)).collect(),
        })
    }
}
