//! Labels in responses.

use crate::node_id;
use crate::urls::Urls;
use contract::labels::Label;
use storage::entities::label;

/// A label as clients see it.
pub fn label_view(urls: &Urls, full_name: &str, row: &label::Model) -> Label {
    Label {
        id: row.id,
        node_id: node_id::label(row.repository_id, row.id),
        url: urls.label(full_name, &row.name).into(),
        name: row.name.clone(),
        color: row.color.clone(),
        default: row.is_default,
        description: row.description.clone().into(),
    }
}
