//! Builds the requests of the operations. The contract has the method and the path of each,
//! the table its cells, and `bodies.rs` its body; `fixtures.rs` creates what these name.

mod bodies;
mod fixtures;

use contract::operation::Operation;
use poem::http::Method;
use serde_json::Value;

use super::complete::published;
use super::table::Table;
use crate::harness::Service;
use fixtures::Fixtures;
pub use fixtures::new_comment;

/// PUT operations that succeed only once on the same target.
const NON_IDEMPOTENT_PUTS: [&str; 5] = [
    "add_installation_repository",
    "create_or_update_file",
    "dismiss_review",
    "merge_pull",
    "update_pull_branch",
];

/// An operation of the table.
#[derive(Clone)]
pub struct TableOperation {
    pub name: &'static str,
    /// The title of the table's section, and the column without the visibility.
    pub section: &'static str,
    pub column: &'static str,
    pub method: Method,
    /// The success status in the documents.
    pub success: u16,
    contract: &'static Operation,
}

/// The visibility of the repository or project that a request acts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    Public,
    Private,
    /// The column does not distinguish.
    Any,
}

/// The path and the body of a request.
pub struct Target {
    pub path: String,
    pub body: Option<Value>,
}

pub fn named(name: &str) -> TableOperation {
    let mut columns = Table::read().operations();
    let found = columns.find(|(_, _, names)| names.iter().any(|listed| listed == name));
    let (section, column, _) = found.unwrap_or_else(|| panic!("{name} is not in the table"));
    let operation = contract::operation(name).unwrap_or_else(|| panic!("there is no {name}"));
    TableOperation {
        name: operation.id,
        section,
        column,
        method: operation.method.to_uppercase().parse().unwrap(),
        success: success(name),
        contract: operation,
    }
}

/// The highest success status: where there are two, the lower one is for what already existed.
fn success(name: &str) -> u16 {
    let documents = [contract::service(), contract::companion()];
    let mut all = documents.into_iter().flat_map(published);
    let (_, statuses) = all.find(|(known, _)| known == name).unwrap();
    let good = statuses.iter().filter(|status| status.starts_with('2'));
    good.map(|status| status.parse().unwrap()).max().unwrap()
}

impl Visibility {
    /// The column's name as the table has it.
    pub fn column(self, column: &str) -> String {
        match self {
            Self::Any => column.to_owned(),
            _ => format!("{column}: {}", self.as_str()),
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Private => "private",
            Self::Any => "",
        }
    }

    fn pick<T>(self, public: T, private: T) -> T {
        match self {
            Self::Private => private,
            Self::Public | Self::Any => public,
        }
    }

    fn repository(self) -> &'static str {
        self.pick("/repos/acme/gadgets", "/repos/acme/widgets")
    }
}

impl TableOperation {
    pub fn visibilities(&self) -> &'static [Visibility] {
        let columns = Table::read().columns();
        let undistinguished = (self.section.to_owned(), self.column.to_owned());
        match columns.contains(&undistinguished) {
            true => &[Visibility::Any],
            false => &[Visibility::Public, Visibility::Private],
        }
    }

    /// Whether the same request would fail after a success.
    pub fn consumes_its_target(&self) -> bool {
        let repeatable = [Method::PUT, Method::PATCH].contains(&self.method);
        !repeatable || NON_IDEMPOTENT_PUTS.contains(&self.name)
    }

    /// The next request, after `nth` successes. Creates what it acts on if a success consumes
    /// that.
    pub async fn target(&self, service: &Service, visibility: Visibility, nth: usize) -> Target {
        let template = self.contract.path;
        let mut fixtures = Fixtures::new(service, self.name, template, visibility, nth);
        let path = fixtures.fill(template, ('{', '}')).await;
        let body = match bodies::of(self.name) {
            Some(body) => {
                let body = fixtures.fill(body, ('<', '>')).await;
                Some(serde_json::from_str(&body).unwrap())
            }
            None => None,
        };
        Target { path, body }
    }
}
