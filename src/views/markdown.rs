//! Text that users wrote in Markdown, with what it is rendered to and whom it mentions.

use std::collections::HashMap;

use sea_orm::ConnectionTrait;

use crate::contract::problem::Problem;
use crate::contract::reply::Outcome;
use crate::database::rows_with;
use crate::entities::account;
use crate::heavy;
use crate::markup::comment::{self, Rendered};

/// A longer text would block other requests while it is rendered.
const RENDERED_IN_PLACE: usize = 2048;

/// A text and its renderings.
#[derive(Debug, Clone)]
pub struct Text {
    pub body: String,
    pub rendered: Rendered,
    /// The accounts that it mentions.
    pub mentioned: Vec<account::Model>,
}

impl Text {
    /// Renders a text. A long text is rendered on a thread that may block.
    pub async fn render(connection: &impl ConnectionTrait, body: String) -> Outcome<Self> {
        let (body, logins) = busy(body, comment::mentions).await?;
        let mentioned = rows_with(connection, account::Column::LoginKey, logins).await?;
        let logins: HashMap<String, String> = mentioned
            .iter()
            .map(|account| (account.login_key.clone(), account.login.clone()))
            .collect();
        let render = move |body: &str| comment::render(body, |login| logins.get(login).cloned());
        let (body, rendered) = busy(body, render).await?;
        Ok(Self {
            body,
            rendered,
            mentioned,
        })
    }
}

async fn busy<T: Send + 'static>(
    body: String,
    work: impl FnOnce(&str) -> T + Send + 'static,
) -> Outcome<(String, T)> {
    if body.len() <= RENDERED_IN_PLACE {
        let done = work(&body);
        return Ok((body, done));
    }
    let work = move || {
        let done = work(&body);
        (body, done)
    };
    heavy::compute(work).await.map_err(Problem::internal)
}
