//! Debug builds check that a cached computation has named the aggregates that it reads
//! (`Database::reading`), by looking for table names in its SQL. Only this check inspects
//! SQL.

use std::collections::BTreeSet;

use migration::aggregates::{Aggregate, Kind, Rows, TABLES};

/// The tables that a computation has read.
#[derive(Debug, Clone, Default)]
pub struct Tables(BTreeSet<&'static str>);

impl Tables {
    pub fn record(&mut self, sql: &str) {
        // A word after a dot is a column, which may be called as a table is.
        let words: BTreeSet<&str> = sql
            .split(|character: char| {
                !character.is_ascii_alphanumeric() && !"_.\"".contains(character)
            })
            .filter_map(|path| path.split('.').next())
            .map(|word| word.trim_matches('"'))
            .collect();
        let named = TABLES.iter().map(|(table, _)| *table);
        self.0.extend(named.filter(|table| words.contains(table)));
    }

    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub fn assert_covered(&self, stamp: &[(Aggregate, u64)]) {
        for (table, rows) in TABLES.iter().filter(|(table, _)| self.0.contains(table)) {
            let named = |kind: Kind| stamp.iter().any(|(aggregate, _)| aggregate.kind == kind);
            let covered = match rows {
                Rows::Change(links) => links.iter().any(|link| named(link.kind())),
                Rows::Derived(kinds) => kinds.iter().any(|kind| named(*kind)),
                Rows::Immutable => true,
                Rows::NeverCached => false,
            };
            assert!(
                covered,
                "a cached result was read from `{table}` without naming an aggregate of that \
                 table; ask for the connection with `Database::reading`"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(sql: &str) -> Tables {
        let mut tables = Tables::default();
        tables.record(sql);
        tables
    }

    #[test]
    fn a_result_may_be_read_from_what_it_names() {
        let refs = [(Kind::Refs.of(1), 0)];
        read("SELECT name FROM git_ref WHERE repository_id = ?").assert_covered(&refs);
        read("SELECT content FROM git_object").assert_covered(&refs);
        read("SELECT comments FROM comment_count").assert_covered(&[(Kind::PullComments.of(1), 0)]);
    }

    #[test]
    fn a_column_may_be_called_as_a_table_is() {
        let token = [(Kind::Token.of(1), 0)];
        read(r#"SELECT "token"."label" FROM "token""#).assert_covered(&token);
    }

    #[test]
    #[should_panic(expected = "read from `label`")]
    fn a_table_is_known_in_quotes() {
        let token = [(Kind::Token.of(1), 0)];
        read(r#"SELECT "label"."id" FROM "label""#).assert_covered(&token);
    }

    #[test]
    #[should_panic(expected = "read from `membership`")]
    fn a_result_may_not_be_read_from_what_it_does_not_name() {
        read("SELECT role FROM membership").assert_covered(&[(Kind::Refs.of(1), 0)]);
    }

    #[test]
    #[should_panic(expected = "read from `budget`")]
    fn what_is_never_cached_may_not_be_read() {
        read("SELECT used FROM budget").assert_covered(&[(Kind::Account.of(1), 0)]);
    }
}
