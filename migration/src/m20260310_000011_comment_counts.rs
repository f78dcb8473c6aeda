//! Counts of the review comments of each list.

use sea_orm_migration::prelude::*;

use crate::counts::REVIEW_COMMENTS;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        REVIEW_COMMENTS.create(manager).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        REVIEW_COMMENTS.drop(manager).await
    }
}
