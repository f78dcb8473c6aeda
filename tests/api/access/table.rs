//! Reads the table of `crates/forge/src/access/README.md`: below each `###` there is a list of the columns
//! with their operations, and a table whose first column is the caller. A cell is `ok` or a
//! status.

use std::sync::LazyLock;

use super::callers::Caller;

const README: &str = include_str!("../../../crates/forge/src/access/README.md");

/// A caller and the status that it gets; `None` for the operation's success status.
pub type Cell = (Caller, Option<u16>);

pub struct Table(Vec<Section>);

struct Section {
    title: String,
    /// The columns without the visibility, and their operations.
    operations: Vec<(String, Vec<String>)>,
    columns: Vec<String>,
    rows: Vec<(String, Vec<Option<u16>>)>,
}

impl Table {
    pub fn read() -> &'static Self {
        static READ: LazyLock<Table> =
            LazyLock::new(|| Table(README.split("\n### ").skip(1).map(Section::read).collect()));
        &READ
    }

    /// Title, column and operations of every column of every section.
    pub fn operations(&self) -> impl Iterator<Item = (&str, &str, &[String])> {
        self.0.iter().flat_map(|section| {
            let columns = section.operations.iter();
            columns.map(|(column, names)| (&*section.title, &**column, &**names))
        })
    }

    /// The cells of one column, from top to bottom.
    pub fn column(&self, section: &str, column: &str) -> Vec<Cell> {
        let section = self
            .0
            .iter()
            .find(|candidate| candidate.title == section)
            .unwrap_or_else(|| panic!("no section {section}"));
        let index = section
            .columns
            .iter()
            .position(|candidate| candidate == column)
            .unwrap_or_else(|| panic!("no column {column} in {}", section.title));
        let cells = section.rows.iter().map(|(label, cells)| {
            let label = label.clone();
            (Caller { label }, cells[index])
        });
        cells.collect()
    }

    /// The section's title and the name of every column.
    pub fn columns(&self) -> Vec<(String, String)> {
        let named = |section: &Section| {
            let title = section.title.clone();
            let columns = section.columns.clone().into_iter();
            columns.map(move |column| (title.clone(), column))
        };
        self.0.iter().flat_map(named).collect()
    }

    /// The callers of the first section; the other sections have the same.
    pub fn callers(&self) -> Vec<Caller> {
        let labels = self.0[0].rows.iter().map(|(label, _)| label.clone());
        labels.map(|label| Caller { label }).collect()
    }
}

impl Section {
    fn read(text: &str) -> Self {
        let mut lines = text.lines();
        let title = lines.next().unwrap().to_owned();
        let operations = text.lines().filter_map(parse_operations).collect();
        let mut table = lines.filter(|line| line.starts_with('|')).map(cells);
        let mut header = table.next().unwrap();
        assert_eq!(header.remove(0), "caller");
        let rows = table.skip(1).map(|mut row| {
            let label = row.remove(0);
            assert_eq!(row.len(), header.len(), "{title}: {label}");
            let cells = row.iter().map(|cell| status(cell)).collect();
            (label, cells)
        });
        Self {
            rows: rows.collect(),
            columns: header.clone(),
            title,
            operations,
        }
    }
}

/// Parses a line such as "- **read**: `get_ref`, `list_refs`".
fn parse_operations(line: &str) -> Option<(String, Vec<String>)> {
    let (column, names) = line.strip_prefix("- **")?.split_once("**: ")?;
    let names = names.split(", ").map(|name| name.trim_matches('`'));
    Some((column.to_owned(), names.map(str::to_owned).collect()))
}

fn cells(line: &str) -> Vec<String> {
    let inner = line.trim().trim_matches('|');
    inner
        .split('|')
        .map(|cell| cell.trim().to_owned())
        .collect()
}

fn status(cell: &str) -> Option<u16> {
    match cell {
        "ok" => None,
        status => Some(status.parse().unwrap()),
    }
}
