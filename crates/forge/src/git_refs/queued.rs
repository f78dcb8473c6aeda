//! New references, each written in a batch with others of its repository, together with its
//! deliveries.

use std::fmt::Write;
use std::sync::Arc;

use sea_orm::{DbBackend, DbErr, QueryResult, Statement, Value};
use serde::{Serialize, Serializer};
use serde_json::json;

use super::rows::{Insertion, NewRef};
use crate::events::PreparedDeliveries;
use storage::clock::Clock;
use storage::database::batches::BatchedChange;

/// A reference that is added in a batch with others.
#[derive(Serialize)]
pub struct QueuedRef {
    #[serde(flatten)]
    pub new: NewRef,
    #[serde(rename = "moment", serialize_with = "now")]
    pub clock: Arc<dyn Clock>,
    /// Only for SQLite.
    #[serde(skip)]
    pub deliveries: Option<PreparedDeliveries>,
}

fn now<S: Serializer>(clock: &Arc<dyn Clock>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_i64(clock.now().0)
}

/// Adds references, and records the push.
impl BatchedChange for QueuedRef {
    type Done = Insertion;

    fn script(&self, id: i64) -> Statement {
        let now = self.clock.now().0;
        let mut values = self.new.values(id, now);
        values.push(json!(self.new.above).to_string().into());
        let Some(deliveries) = &self.deliveries else {
            let sql = [ADDING, "", UNBLOCKED, PUSHED, CREATED].concat();
            return Statement::from_sql_and_values(DbBackend::Sqlite, sql, values);
        };
        let mut sql = [ADDING, CHANGED, UNBLOCKED, PUSHED].concat();
        add_deliveries(&mut sql, &mut values, deliveries, now);
        sql.push_str(CREATED);
        Statement::from_sql_and_values(DbBackend::Sqlite, sql, values)
    }

    fn sql() -> &'static str {
        "SELECT * FROM create_refs($1, (SELECT json_agg(change) FROM allowed))"
    }

    fn done(row: &QueryResult) -> Result<Insertion, DbErr> {
        match row.try_get::<String>("", "outcome")?.as_str() {
            "created" => Ok(Insertion::Done),
            "taken" => Ok(Insertion::Taken),
            "blocked" => Ok(Insertion::Blocked),
            other => Err(DbErr::Custom(format!(
                "unknown outcome of a reference: {other}"
            ))),
        }
    }

    fn is_independent_of(&self, other: &Self) -> bool {
        let (new, other) = (&self.new, &other.new);
        new.name != other.name
            && !new.above.contains(&other.name)
            && !other.above.contains(&new.name)
    }

    fn size(&self) -> usize {
        // Each name above is a part of it.
        let names = self.new.name.len() * (2 + self.new.above.len());
        names
            + self
                .deliveries
                .as_ref()
                .map_or(0, PreparedDeliveries::bytes)
    }

    fn after_commit(&self) {
        if let Some(deliveries) = &self.deliveries {
            deliveries.announce();
        }
    }
}

/// A reference that is blocked has no `repository_id`, and SQLite refuses it. The row is given
/// as values, because SQLite copies those of a query into a temporary table before it inserts
/// them.
const ADDING: &str = "INSERT INTO git_ref (repository_id, name, sha, kind, updated_at)
    VALUES (
        CASE WHEN EXISTS (SELECT 1 FROM json_each($8) CROSS JOIN git_ref
                ON repository_id = $1 AND name = value)
            OR EXISTS (SELECT 1 FROM git_ref
                WHERE repository_id = $1 AND name >= $6 AND name < $7)";

/// It is also blocked if a version is not the one that its payloads depend on.
const CHANGED: &str = "
            OR EXISTS (SELECT 1 FROM json_each($9) AS held
                LEFT JOIN version ON version.kind = held.value ->> 0
                    AND version.id = held.value ->> 1
                WHERE COALESCE(version.n, 0) <> held.value ->> 2)";

const UNBLOCKED: &str = "
        THEN NULL ELSE $1 END, $2, $3, $4, $5);";

const PUSHED: &str = "
    INSERT INTO repository_push (repository_id, pushed_at) VALUES ($1, $5)
    ON CONFLICT (repository_id) DO UPDATE SET pushed_at = $5 WHERE pushed_at <> $5;";

const CREATED: &str = "
    SELECT 'created' AS outcome";

/// The first other branch with the commit, as JSON.
const BASE: &str = "json_quote((SELECT name FROM git_ref WHERE repository_id = $1 AND sha = $10
        AND name >= 'refs/heads/' AND name < 'refs/heads0' AND name <> $2
        ORDER BY name LIMIT 1))";

/// Adds the statement that writes deliveries, and its values.
fn add_deliveries(
    sql: &mut String,
    values: &mut Vec<Value>,
    prepared: &PreparedDeliveries,
    now: i64,
) {
    let versions = prepared.versions.iter();
    let versions = versions.map(|(part, version)| json!([part.kind as u8, part.id, version]));
    let versions: serde_json::Value = versions.collect();
    values.push(versions.to_string().into());
    values.push(prepared.head.map(|head| head.to_string()).into());
    let mut separator = "
    INSERT INTO webhook_delivery (guid, app_id, installation_id, event, recorded, payload,
        repository_id, created_at, next_attempt_at) VALUES";
    for delivery in &prepared.deliveries {
        let next = values.len() + 1;
        let row: [Value; 6] = [
            delivery.guid.as_str().into(),
            delivery.app.into(),
            delivery.installation.into(),
            delivery.event.as_str().into(),
            delivery.recorded.into(),
            delivery.payload.at(now).into(),
        ];
        values.extend(row);
        let _ = write!(sql, "{separator} (");
        for number in next..next + 6 {
            let _ = write!(sql, "${number}, ");
        }
        if let Some(end) = &delivery.payload.end {
            values.push(end.as_str().into());
            sql.truncate(sql.len() - 2);
            let _ = write!(sql, " || {BASE} || ${}, ", values.len());
        }
        sql.push_str("$1, $5, $5)");
        separator = ",";
    }
    if !prepared.deliveries.is_empty() {
        sql.push(';');
    }
}
