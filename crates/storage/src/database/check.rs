//! Debug builds check that a cached computation has named the aggregates that it reads
//! (`Database::reading`), by looking for table names in its SQL. Only this check inspects
//! SQL.

use std::collections::{BTreeMap, BTreeSet};

use migration::aggregates::{Aggregate, Kind, Link, Rows, TABLES};

/// The queries of a computation. They are parsed only when its result is stored.
#[derive(Debug, Clone, Default)]
pub struct Queries(BTreeSet<String>);

impl Queries {
    pub fn record(&mut self, sql: &str) {
        if !self.0.contains(sql) {
            self.0.insert(sql.to_owned());
        }
    }

    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub fn assert_covered(&self, stamp: &[(Aggregate, u64)]) {
        let is_dependency = |kind: Kind| stamp.iter().any(|(aggregate, _)| aggregate.kind == kind);
        let read = self.0.iter();
        let read = read.flat_map(|sql| tables(sql).map(move |read| (sql, read)));
        for (sql, ((table, rows), columns)) in read {
            let covered = match rows {
                Rows::Change(links) => {
                    let mut links = links.iter().filter(|link| covers(link, &columns));
                    links.any(|link| is_dependency(link.kind()))
                }
                Rows::Derived(kinds) => kinds.iter().any(|kind| is_dependency(*kind)),
                Rows::Immutable | Rows::Hiding => true,
                Rows::NeverCached => false,
            };
            assert!(
                covered,
                "a cached result was read from `{table}` without naming an aggregate of that \
                 table; ask for the connection with `Database::reading`: {sql}"
            );
        }
    }
}

/// The tables that a query reads, each with the columns that it qualifies. A query that
/// qualifies none may read whole rows.
fn tables(sql: &str) -> impl Iterator<Item = (&'static (&'static str, Rows), BTreeSet<&str>)> {
    let mut read: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
    let paths = sql
        .split(|character: char| !character.is_ascii_alphanumeric() && !"_.\"".contains(character));
    for path in paths {
        // A word after a dot is a column, which may have the name of a table.
        let (table, column) = path.split_once('.').unwrap_or((path, ""));
        let [table, column] = [table, column].map(|word| word.trim_matches('"'));
        let Ok(place) = TABLES.binary_search_by_key(&table, |(name, _)| name) else {
            continue;
        };
        let columns = read.entry(place).or_default();
        if !column.is_empty() {
            columns.insert(column);
        }
    }
    read.into_iter()
        .map(|(place, columns)| (&TABLES[place], columns))
}

/// Whether the aggregate of a link changes whenever one of these columns does.
fn covers(link: &Link, read: &BTreeSet<&str>) -> bool {
    let Link::Columns(_, id, columns) = link else {
        return true;
    };
    let is_covered = |column: &&str| *column == "id" || column == id || columns.contains(column);
    !read.is_empty() && read.iter().all(is_covered)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(sql: &str) -> Queries {
        let mut queries = Queries::default();
        queries.record(sql);
        queries
    }

    #[test]
    fn a_result_may_read_the_tables_of_its_aggregates() {
        let refs = [(Kind::Refs.of(1), 0)];
        read("SELECT name FROM git_ref WHERE repository_id = ?").assert_covered(&refs);
        read("SELECT content FROM git_object").assert_covered(&refs);
        let lengths = "SELECT length FROM list_length WHERE list = 'review_comment.pull_id'";
        read(lengths).assert_covered(&[(Kind::PullComments.of(1), 0)]);
    }

    #[test]
    fn every_table_is_found_by_its_name() {
        assert!(TABLES.is_sorted_by_key(|(table, _)| *table));
    }

    #[test]
    fn a_column_may_have_the_name_of_a_table() {
        let token = [(Kind::Token.of(1), 0)];
        read(r#"SELECT "token"."label" FROM "token""#).assert_covered(&token);
    }

    #[test]
    fn an_aggregate_may_cover_some_columns() {
        let states = [(Kind::PullStates.of(1), 0)];
        read(r#"SELECT "pull"."number" FROM "pull" WHERE "pull"."id" = ?"#).assert_covered(&states);
    }

    #[test]
    #[should_panic(expected = "read from `pull`")]
    fn other_columns_may_not() {
        let mut queries = read(r#"SELECT "pull"."title" FROM "pull""#);
        queries.extend(read(r#"SELECT "pull"."number" FROM "pull""#));
        queries.assert_covered(&[(Kind::PullStates.of(1), 0)]);
    }

    #[test]
    fn two_queries_may_be_covered_by_two_aggregates() {
        let mut queries = read(r#"SELECT "pull"."state" FROM "pull""#);
        queries.extend(read(r#"SELECT "pull"."head_sha" FROM "pull""#));
        queries.assert_covered(&[(Kind::PullStates.of(1), 0), (Kind::Refs.of(1), 0)]);
    }

    #[test]
    #[should_panic(expected = "read from `pull`")]
    fn one_query_may_not_be_covered_by_two_aggregates() {
        read(r#"SELECT "pull"."state", "pull"."head_sha" FROM "pull""#)
            .assert_covered(&[(Kind::PullStates.of(1), 0), (Kind::Refs.of(1), 0)]);
    }

    #[test]
    #[should_panic(expected = "read from `pull`")]
    fn nor_a_row_whose_columns_are_not_listed() {
        read("SELECT * FROM pull").assert_covered(&[(Kind::PullStates.of(1), 0)]);
    }

    #[test]
    #[should_panic(expected = "read from `label`")]
    fn a_table_name_may_be_quoted() {
        let token = [(Kind::Token.of(1), 0)];
        read(r#"SELECT "label"."id" FROM "label""#).assert_covered(&token);
    }

    #[test]
    #[should_panic(expected = "read from `review_comment`")]
    fn a_length_belongs_to_the_aggregates_of_its_list() {
        read("SELECT length FROM list_length WHERE list = 'review_comment.pull_id'")
            .assert_covered(&[(Kind::RepositoryPulls.of(1), 0)]);
    }

    #[test]
    #[should_panic(expected = "read from `membership`")]
    fn a_result_may_not_read_other_tables() {
        read("SELECT role FROM membership").assert_covered(&[(Kind::Refs.of(1), 0)]);
    }

    #[test]
    #[should_panic(expected = "read from `budget`")]
    fn a_result_may_not_read_a_table_that_is_never_cached() {
        read("SELECT used FROM budget").assert_covered(&[(Kind::Account.of(1), 0)]);
    }
}
