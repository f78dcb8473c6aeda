//! Integrity checks of the database itself: damage, dangling foreign keys, and ids that would be
//! assigned twice.

use sea_orm::{ConnectionTrait, DbBackend, DbErr, FromQueryResult, Statement};

use super::{Invariant, NAMED, Violation};
use storage::database::Connection;

/// SQLite checks its own pages; PostgreSQL reports constraints that were never checked and unusable
/// indexes.
pub async fn integrity(db: &Connection) -> Result<Option<Violation>, DbErr> {
    if db.get_database_backend() == DbBackend::Postgres {
        return Invariant::new(
            "storage",
            "Every constraint was checked and every index is usable",
            "SELECT conname AS id FROM pg_constraint
             WHERE NOT convalidated AND connamespace = current_schema()::regnamespace
             UNION ALL
             SELECT indexrelid::regclass::text AS id FROM pg_index
             JOIN pg_class ON pg_class.oid = indexrelid
             WHERE NOT indisvalid AND relnamespace = current_schema()::regnamespace",
        )
        .check(db)
        .await;
    }
    let sql = "SELECT integrity_check AS text FROM pragma_integrity_check LIMIT 11";
    let report = match texts(db, sql).await {
        Ok(report) => report,
        Err(error) => vec![error.to_string()],
    };
    let problems: Vec<String> = report.into_iter().filter(|line| line != "ok").collect();
    Ok(violation(
        "storage",
        "The pages of the file are undamaged",
        problems,
    ))
}

/// Both databases enforce foreign keys, unless that was turned off.
pub async fn foreign_keys(db: &Connection) -> Result<Option<Violation>, DbErr> {
    let rule = "Every foreign key refers to an existing row";
    let mut dangling = Vec::new();
    if db.get_database_backend() == DbBackend::Postgres {
        for query in texts(db, FOREIGN_KEYS).await? {
            dangling.extend(texts(db, &query).await?);
        }
    } else {
        let sql = format!(
            "SELECT \"table\" || COALESCE(' ' || rowid, '') || ' -> ' || parent AS text
             FROM pragma_foreign_key_check LIMIT {}",
            NAMED + 1
        );
        dangling = texts(db, &sql).await?;
    }
    Ok(violation("foreign-keys", rule, dangling))
}

/// A query for each foreign key that finds the rows that violate it.
const FOREIGN_KEYS: &str = "
    SELECT format(
        'SELECT %L || '' '' || child.ctid || '' -> '' || %L AS text FROM %s AS child
         WHERE %s AND NOT EXISTS (SELECT 1 FROM %s AS parent WHERE %s) LIMIT 11',
        conrelid::regclass, confrelid::regclass, conrelid::regclass,
        string_agg(format('child.%I IS NOT NULL', own.attname), ' AND '),
        confrelid::regclass,
        string_agg(format('parent.%I = child.%I', other.attname, own.attname), ' AND ')) AS text
    FROM pg_constraint
    CROSS JOIN LATERAL unnest(conkey, confkey) AS pair (own_number, other_number)
    JOIN pg_attribute AS own ON own.attrelid = conrelid AND own.attnum = own_number
    JOIN pg_attribute AS other ON other.attrelid = confrelid AND other.attnum = other_number
    WHERE contype = 'f' AND connamespace = current_schema()::regnamespace
    GROUP BY pg_constraint.oid, conrelid, confrelid
    ORDER BY conrelid::regclass::text, pg_constraint.oid";

/// An id is never reused, so that clients may store ids.
pub async fn next_ids(db: &Connection) -> Result<Option<Violation>, DbErr> {
    let counters = match db.get_database_backend() {
        DbBackend::Postgres => {
            "SELECT table_name::text AS name,
                COALESCE(pg_sequence_last_value(
                    pg_get_serial_sequence(quote_ident(table_name), 'id')::regclass), 0) AS last
             FROM information_schema.columns
             WHERE table_schema = current_schema() AND column_name = 'id' AND is_identity = 'YES'"
        }
        _ => "SELECT name, seq AS last FROM sqlite_sequence",
    };
    let statement = Statement::from_string(db.get_database_backend(), counters);
    let mut behind = Vec::new();
    for counter in Counter::find_by_statement(statement).all(db).await? {
        let Counter { name, last } = counter;
        let sql = format!(
            "SELECT '{name} ' || MAX(id) || ' > {last}' AS text FROM {name} HAVING MAX(id) > {last}"
        );
        behind.extend(texts(db, &sql).await?);
    }
    Ok(violation(
        "next-ids",
        "The next id of each table is greater than all of its ids",
        behind,
    ))
}

#[derive(FromQueryResult)]
struct Counter {
    name: String,
    last: i64,
}

#[derive(FromQueryResult)]
struct TextRow {
    text: String,
}

async fn texts(db: &Connection, sql: &str) -> Result<Vec<String>, DbErr> {
    let statement = Statement::from_string(db.get_database_backend(), sql);
    let rows = TextRow::find_by_statement(statement).all(db).await?;
    Ok(rows.into_iter().map(|row| row.text).collect())
}

pub fn violation(name: &str, rule: &str, mut ids: Vec<String>) -> Option<Violation> {
    let total = i64::try_from(ids.len()).unwrap_or(i64::MAX);
    ids.truncate(NAMED);
    (total > 0).then(|| Violation {
        name: name.to_owned(),
        rule: rule.to_owned(),
        total,
        ids,
    })
}
