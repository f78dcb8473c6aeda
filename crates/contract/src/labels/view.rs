//! The representation of a label.

use contract_macros::schema;
use poem_openapi::types::Example;

use super::super::EXAMPLE_ORIGIN;
use super::super::values::{Nullable, Url};

/// A label for issues and pull requests.
#[schema(example)]
pub struct Label {
    /// The identifier of the label.
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    /// The API URL of the label.
    pub url: Url,
    /// The name of the label, unique in its repository.
    pub name: String,
    /// The color of the label, as six hexadecimal digits.
    pub color: String,
    /// Whether the label is one of the default labels of new repositories.
    pub default: bool,
    /// The description of the label.
    pub description: Nullable<String>,
}

impl Example for Label {
    fn example() -> Self {
        Self {
            id: 8201,
            node_id: "LA_kwDNB9LNIAk".to_owned(),
            url: format!("{EXAMPLE_ORIGIN}/repos/acme/gadgets/labels/bug").into(),
            name: "bug".to_owned(),
            color: "d73a4a".to_owned(),
            default: true,
            description: Some("Something isn't working".to_owned()).into(),
        }
    }
}
