//! The schema of the database, one migration per area, ordered by foreign keys. Migrations
//! import nothing from the service, so changing an entity never rewrites history.
//!
//! Statements are plain SQL, the same for SQLite and PostgreSQL except for the keywords in
//! `dialect`. The schema builder takes checks, collations, `STRICT` and triggers as
//! strings of SQL too.

mod dialect;
mod m20260310_000001_accounts;
mod m20260310_000002_repositories;
mod m20260310_000003_issue_fields;
mod m20260310_000004_projects;
mod m20260310_000005_git;
mod m20260310_000006_pulls;
mod m20260310_000007_apps;
mod m20260310_000008_tokens;
mod m20260310_000009_notifications;
mod m20260310_000010_settings;
mod m20260310_000012_budgets;
mod m20260310_000013_versions;
mod m20260310_000014_shapes;
mod m20260310_000015_create_refs;
mod m20260310_000016_packs;
mod m20260310_000017_events;
mod m20260310_000018_reviews;
mod m20260310_000019_pulls;
mod m20260310_000021_recorded_deliveries;
mod m20260310_000022_statuses;
mod m20260310_000023_checks;
mod m20260310_000024_issues;
mod m20260310_000025_cursor_secret;
mod m20260310_000026_project_items;
mod m20260310_000027_issue_field_values;
mod m20260310_000028_reactions;
mod m20260310_000029_list_counts;
mod m20260310_000030_pull_states;
mod m20260310_000031_pull_heads;
mod m20260310_000032_uploads;
mod m20260310_000033_list_lengths;
mod m20260310_000034_logged_budgets;
mod superseded;

pub mod aggregates;
pub mod counts;

pub use sea_orm_migration::{MigrationTrait, MigratorTrait};

use superseded::Superseded;

/// Every migration, oldest first.
pub struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m20260310_000001_accounts::Migration),
            Box::new(m20260310_000002_repositories::Migration),
            Box::new(m20260310_000003_issue_fields::Migration),
            Box::new(m20260310_000004_projects::Migration),
            Box::new(m20260310_000005_git::Migration),
            Box::new(m20260310_000006_pulls::Migration),
            Box::new(m20260310_000007_apps::Migration),
            Box::new(m20260310_000008_tokens::Migration),
            Box::new(m20260310_000009_notifications::Migration),
            Box::new(m20260310_000010_settings::Migration),
            Box::new(Superseded("m20260310_000011_comment_counts")),
            Box::new(m20260310_000012_budgets::Migration),
            Box::new(m20260310_000013_versions::Migration),
            Box::new(m20260310_000014_shapes::Migration),
            Box::new(m20260310_000015_create_refs::Migration),
            Box::new(m20260310_000016_packs::Migration),
            Box::new(m20260310_000017_events::Migration),
            Box::new(m20260310_000018_reviews::Migration),
            Box::new(m20260310_000019_pulls::Migration),
            Box::new(m20260310_000021_recorded_deliveries::Migration),
            Box::new(m20260310_000022_statuses::Migration),
            Box::new(m20260310_000023_checks::Migration),
            Box::new(m20260310_000024_issues::Migration),
            Box::new(m20260310_000025_cursor_secret::Migration),
            Box::new(m20260310_000026_project_items::Migration),
            Box::new(m20260310_000027_issue_field_values::Migration),
            Box::new(m20260310_000028_reactions::Migration),
            Box::new(m20260310_000029_list_counts::Migration),
            Box::new(m20260310_000030_pull_states::Migration),
            Box::new(m20260310_000031_pull_heads::Migration),
            Box::new(m20260310_000032_uploads::Migration),
            Box::new(m20260310_000033_list_lengths::Migration),
            Box::new(m20260310_000034_logged_budgets::Migration),
        ]
    }
}
