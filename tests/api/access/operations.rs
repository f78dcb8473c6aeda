//! The operations as requests. The contract says how each is reached, the table which
//! cells are its own, `bodies.rs` what it is called with, and `things.rs` lays out what must
//! be there before each call.

mod bodies;
mod things;

use forgewright::contract;
use forgewright::contract::operation::Operation;
use poem::http::Method;
use serde_json::Value;

use super::complete::published;
use super::table::Table;
use crate::harness::Service;
pub use things::new_comment;

/// Changes by PUT that pass only once.
const USED_UP: [&str; 5] = [
    "add_installation_repository",
    "create_or_update_file",
    "dismiss_review",
    "merge_pull",
    "update_pull_branch",
];

/// An operation of the table.
#[derive(Clone)]
pub struct Act {
    pub name: &'static str,
    /// The title of the table, and the column without the visibility.
    pub section: &'static str,
    pub column: &'static str,
    pub method: Method,
    /// What the documents list for success.
    pub success: u16,
    operation: &'static Operation,
}

/// Where it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Public,
    Private,
    /// Where there is no such distinction.
    Only,
}

/// What it is called with.
pub struct Target {
    pub path: String,
    pub body: Option<Value>,
}

pub fn named(name: &str) -> Act {
    let mut columns = Table::read().operations();
    let found = columns.find(|(_, _, names)| names.iter().any(|listed| listed == name));
    let (section, column, _) = found.unwrap_or_else(|| panic!("{name} is not in the table"));
    let operation = contract::operation(name).unwrap_or_else(|| panic!("there is no {name}"));
    Act {
        name: operation.id,
        section,
        column,
        method: operation.method.to_uppercase().parse().unwrap(),
        success: success(name),
        operation,
    }
}

/// The highest status of success: where there are two, the other is for what was there before.
fn success(name: &str) -> u16 {
    let documents = [contract::service(), contract::companion()];
    let mut all = documents.into_iter().flat_map(published);
    let (_, statuses) = all.find(|(known, _)| known == name).unwrap();
    let good = statuses.iter().filter(|status| status.starts_with('2'));
    good.map(|status| status.parse().unwrap()).max().unwrap()
}

impl Place {
    /// The column's name as the table has it.
    pub fn column(self, column: &str) -> String {
        match self {
            Self::Only => column.to_owned(),
            _ => format!("{column}: {}", self.word()),
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Private => "private",
            Self::Only => "",
        }
    }

    fn pick<T>(self, public: T, private: T) -> T {
        match self {
            Self::Private => private,
            Self::Public | Self::Only => public,
        }
    }

    fn repository(self) -> &'static str {
        self.pick("/repos/acme/gadgets", "/repos/acme/widgets")
    }
}

impl Act {
    pub fn places(&self) -> &'static [Place] {
        let columns = Table::read().columns();
        let only = (self.section.to_owned(), self.column.to_owned());
        match columns.contains(&only) {
            true => &[Place::Only],
            false => &[Place::Public, Place::Private],
        }
    }

    /// Whether the same request would not pass again.
    pub fn uses_up(&self) -> bool {
        let repeatable = [Method::PUT, Method::PATCH].contains(&self.method);
        !repeatable || USED_UP.contains(&self.name)
    }

    /// What to call next, after so many successes; lays it out where a success
    /// uses it up.
    pub async fn target(&self, service: &Service, place: Place, nth: usize) -> Target {
        let mut things = things::Things::new(service, self.name, self.operation.path, place, nth);
        let path = things.fill(self.operation.path, ('{', '}')).await;
        let body = match bodies::of(self.name) {
            Some(body) => {
                let body = things.fill(body, ('<', '>')).await;
                Some(serde_json::from_str(&body).unwrap())
            }
            None => None,
        };
        Target { path, body }
    }
}
