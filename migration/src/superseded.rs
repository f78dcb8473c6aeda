//! Migrations whose changes a later one removes. Databases of earlier versions have their names.

use sea_orm_migration::prelude::*;

/// A migration with this name, which changes nothing.
pub struct Superseded(pub &'static str);

impl MigrationName for Superseded {
    fn name(&self) -> &str {
        self.0
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Superseded {
    async fn up(&self, _: &SchemaManager) -> Result<(), DbErr> {
        Ok(())
    }

    async fn down(&self, _: &SchemaManager) -> Result<(), DbErr> {
        Ok(())
    }
}
