//! Items and values that are validated but not stored yet. Plain values, in the types of the
//! tables.

use contract::values::Day;

/// An item to add.
#[derive(Debug, Clone)]
pub struct NewItem {
    /// A world file may fix the id; otherwise the database assigns it.
    pub id: Option<i64>,
    pub project: i64,
    pub content: NewContent,
    pub creator: Option<i64>,
    pub now: i64,
}

/// The content of a new item.
#[derive(Debug, Clone)]
pub enum NewContent {
    Issue(i64),
    Draft { title: String, body: Option<String> },
}

/// A value of one of the project's own fields.
#[derive(Debug, Clone, PartialEq)]
pub enum NewValue {
    Text(String),
    Number(f64),
    Date(Day),
    /// The row of the option.
    Option(i64),
    /// The row of the iteration.
    Iteration(i64),
}
