//! A label as clients see it.

use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};

use super::super::EXAMPLE_ORIGIN;
use super::super::values::{Nullable, Url};

/// A label of issues and pull requests.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct Label {
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    pub url: Url,
    /// What the label is called, unique in its repository.
    pub name: String,
    /// The color, as six hexadecimal digits.
    pub color: String,
    /// Whether every new repository has it.
    pub default: bool,
    /// What the label is for.
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
