//! What must hold in the database, beyond what its own constraints enforce, and
//! who breaks it. Nothing is changed here.
//!
//! Each invariant is one statement, so it sees one moment of a database that is
//! being written to, and a server may run meanwhile.

mod accounts;
mod apps;
mod counts;
mod fields;
mod git;
mod objects;
mod reviews;
mod storage;

use std::borrow::Cow;

use sea_orm::{ConnectionTrait, DbErr, FromQueryResult, Statement};
use serde::Serialize;

/// How many offenders are named.
const NAMED: usize = 10;

/// Something that always holds, and the query for whatever breaks it.
pub struct Invariant {
    pub name: &'static str,
    /// What holds, in a sentence.
    pub rule: &'static str,
    /// A column `id`, with a row for each offender.
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

    async fn check(&self, db: &impl ConnectionTrait) -> Result<Option<Finding>, DbErr> {
        let sql = format!(
            "SELECT CAST(id AS TEXT) AS id, COUNT(*) OVER () AS total
             FROM ({}) AS broken ORDER BY broken.id LIMIT {NAMED}",
            self.broken
        );
        let statement = Statement::from_string(db.get_database_backend(), sql);
        let rows = Offender::find_by_statement(statement).all(db).await?;
        Ok(rows.first().map(|first| Finding {
            name: self.name.to_owned(),
            rule: self.rule.to_owned(),
            total: first.total,
            ids: rows.iter().map(|row| row.id.clone()).collect(),
        }))
    }
}

#[derive(FromQueryResult)]
struct Offender {
    id: String,
    total: i64,
}

/// An invariant that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub name: String,
    pub rule: String,
    /// How many break it.
    pub total: i64,
    /// The first of them.
    pub ids: Vec<String>,
}

/// What was looked at and what was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    pub checks: usize,
    pub findings: Vec<Finding>,
}

impl Report {
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }

    fn add(&mut self, finding: Option<Finding>) {
        self.checks += 1;
        self.findings.extend(finding);
    }
}

/// Every invariant of the model.
pub fn invariants() -> Vec<Invariant> {
    let mut all = Vec::new();
    all.extend(accounts::INVARIANTS);
    all.extend(fields::INVARIANTS);
    all.extend(git::INVARIANTS);
    all.extend(reviews::INVARIANTS);
    all.extend(apps::INVARIANTS);
    all.extend(counts::invariants());
    all
}

/// Looks at everything; with `objects` also at the content of each Git object,
/// which takes as long as reading all of them. If the storage itself is damaged,
/// no query on it can be believed, and nothing else is looked at.
pub async fn examine(db: &impl ConnectionTrait, objects: bool) -> Result<Report, DbErr> {
    let mut report = Report {
        checks: 0,
        findings: Vec::new(),
    };
    report.add(storage::integrity(db).await?);
    if !report.is_clean() {
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
