//! The text of a new review, for requests and world files.

use super::rules;
use crate::views::markdown::Text;
use contract::reply::Outcome;
use storage::database::Connection;

/// Checks and renders the text of a review.
pub async fn prepared(connection: &Connection, body: String) -> Outcome<Text> {
    rules::text(&body)?;
    Text::render(connection, body).await
}
