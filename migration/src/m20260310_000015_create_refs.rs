//! A PostgreSQL function that creates references under the lock of their repository, in a
//! single round trip. On SQLite a transaction locks the whole file anyway, so the service
//! runs the steps itself.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use crate::dialect::run;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        match manager.get_database_backend() {
            DbBackend::Postgres => {
                let drop_predecessor = "DROP FUNCTION IF EXISTS create_ref";
                run(manager, &[drop_predecessor, CREATE_REFS]).await
            }
            _ => Ok(()),
        }
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        match manager.get_database_backend() {
            DbBackend::Postgres => run(manager, &["DROP FUNCTION create_refs"]).await,
            _ => Ok(()),
        }
    }
}

/// Each statement of a function sees everything committed before the statement began. So
/// the statement after the lock sees everything written under the lock.
///
/// A session keeps the function's plan while the table grows, and a plan for a few
/// references would scan all of them. Hence no sequential scan, and `OFFSET 0`, which keeps
/// the planner from hashing the references of the whole repository.
const CREATE_REFS: &str = "
    CREATE FUNCTION create_refs(repository BIGINT, changes JSON)
    RETURNS TABLE (place INT, outcome TEXT)
    LANGUAGE plpgsql SET enable_seqscan = off AS $$
    #variable_conflict use_column
    BEGIN
        PERFORM 1 FROM repository WHERE id = create_refs.repository FOR NO KEY UPDATE;
        RETURN QUERY WITH change AS (
            SELECT * FROM json_to_recordset(create_refs.changes) AS change (
                place INT, name TEXT, sha TEXT, kind TEXT, moment BIGINT,
                above JSON, below_from TEXT, below_until TEXT
            )
        ), judged AS (
            SELECT change.*, CASE
                WHEN EXISTS (SELECT 1 FROM git_ref
                    WHERE repository_id = create_refs.repository
                        AND git_ref.name = change.name OFFSET 0)
                THEN 'taken'
                WHEN EXISTS (SELECT 1 FROM json_array_elements_text(change.above) AS above (name)
                    WHERE EXISTS (SELECT 1 FROM git_ref
                        WHERE repository_id = create_refs.repository
                            AND git_ref.name = above.name OFFSET 0))
                    OR EXISTS (SELECT 1 FROM git_ref
                        WHERE repository_id = create_refs.repository
                            AND git_ref.name >= change.below_from
                            AND git_ref.name < change.below_until OFFSET 0)
                THEN 'blocked'
                ELSE 'created'
            END AS outcome FROM change
        ), created AS (
            INSERT INTO git_ref (repository_id, name, sha, kind, updated_at)
            SELECT create_refs.repository, name, sha, kind, moment
            FROM judged WHERE outcome = 'created' ORDER BY place
        ), pushed AS (
            INSERT INTO repository_push (repository_id, pushed_at)
            SELECT create_refs.repository, MAX(moment)
            FROM judged WHERE outcome = 'created' HAVING COUNT(*) > 0
            ON CONFLICT (repository_id) DO UPDATE SET pushed_at = EXCLUDED.pushed_at
                WHERE repository_push.pushed_at <> EXCLUDED.pushed_at
        )
        SELECT place, outcome FROM judged;
    END $$";
