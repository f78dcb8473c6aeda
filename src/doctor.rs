//! Checks the invariants of the database beyond its own constraints. It
//! changes nothing. `doctor/invariants.sql` has most of the invariants.
//!
//! Each invariant is one statement, so it sees one snapshot of the database, and a
//! server may run meanwhile.

mod lengths;
mod objects;
mod schema;
mod storage;

use std::borrow::Cow;

use ::storage::database::Connection;
use sea_orm::{ConnectionTrait, DbErr, FromQueryResult, Statement};
use serde::Serialize;

/// The number of rows that a violation lists.
const NAMED: usize = 10;

/// An invariant, and the query for the rows that violate it.
pub struct Invariant {
    pub name: &'static str,
    /// The invariant as a sentence.
    pub rule: &'static str,
    /// Selects a column `id`, with a row for each violation.
    broken: Cow<'static, str>,
}

impl Invariant {
    const fn new(name: &'static str, rule: &'static str, broken: &'static str) -> Self {
        Self {
            name,
            rule,
            broken: Cow::Borrowed(broken),
        }
    }

    async fn check(&self, db: &Connection) -> Result<Option<Violation>, DbErr> {
        let sql = format!(
            "SELECT CAST(id AS TEXT) AS id, COUNT(*) OVER () AS total
             FROM ({}) AS broken ORDER BY broken.id LIMIT {NAMED}",
            self.broken
        );
        let statement = Statement::from_string(db.get_database_backend(), sql);
        let rows = BrokenRow::find_by_statement(statement).all(db).await?;
        Ok(rows.first().map(|first| Violation {
            name: self.name.to_owned(),
            rule: self.rule.to_owned(),
            total: first.total,
            ids: rows.iter().map(|row| row.id.clone()).collect(),
        }))
    }
}

#[derive(FromQueryResult)]
struct BrokenRow {
    id: String,
    total: i64,
}

/// An invariant that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Violation {
    pub name: String,
    pub rule: String,
    /// The number of violations.
    pub total: i64,
    /// The first of them.
    pub ids: Vec<String>,
}

/// The result of all checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    pub checks: usize,
    pub findings: Vec<Violation>,
}

impl Report {
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }

    fn add(&mut self, finding: Option<Violation>) {
        self.checks += 1;
        self.findings.extend(finding);
    }
}

/// Every invariant of the model.
pub fn invariants() -> Vec<Invariant> {
    let mut all = parse(include_str!("doctor/invariants.sql"));
    all.extend(lengths::invariants());
    all
}

/// The invariants of a file: a comment `-- name: rule`, and the query below it.
fn parse(file: &'static str) -> Vec<Invariant> {
    let queries = file.split(";\n").filter_map(|piece| {
        let (comments, query) = piece.split_at(piece.find("SELECT")?);
        let (name, rule) = comments.trim_end().rsplit_once("-- ")?.1.split_once(": ")?;
        Some(Invariant::new(name, rule, query))
    });
    queries.collect()
}

/// Checks everything; with `objects` also the content of each Git object, which takes as
/// long as reading all of them. If the storage itself is damaged, or the tables are not those of
/// the migrations, no query can be trusted, and nothing else is checked.
pub async fn examine(db: &Connection, objects: bool) -> Result<Report, DbErr> {
    let mut report = Report {
        checks: 0,
        findings: Vec::new(),
    };
    report.add(storage::integrity(db).await?);
    if !report.is_clean() {
        return Ok(report);
    }
    let schema = schema::compare(db).await?;
    report.add(schema.finding);
    if !schema.has_own_tables {
        return Ok(report);
    }
    report.add(storage::foreign_keys(db).await?);
    report.add(storage::next_ids(db).await?);
    for invariant in invariants() {
        report.add(invariant.check(db).await?);
    }
    if objects {
        for finding in objects::check(db).await? {
            report.add(finding);
        }
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_of_the_file_is_an_invariant_with_a_name() {
        let file = include_str!("doctor/invariants.sql");
        let invariants = parse(file);
        assert_eq!(invariants.len(), file.matches(";\n").count());
        for invariant in invariants {
            assert!(!invariant.name.contains(' '), "{}", invariant.name);
            assert!(!invariant.rule.contains('\n'), "{}", invariant.name);
            assert!(!invariant.broken.contains("--"), "{}", invariant.name);
        }
    }
}
