//! Text that users wrote in Markdown, with what it is rendered to and whom it mentions.

use std::collections::HashMap;

use sea_orm::{ConnectionTrait, DbErr, EntityTrait, QueryFilter};

use crate::contract::problem::Problem;
use crate::contract::reply::Outcome;
use crate::entities::account;
use crate::heavy;
use crate::markup::comment::{self, Rendered};

/// Bytes of a text beyond which rendering it would hold up other requests.
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
    /// Renders a text. What takes long is done where it does not hold up other
    /// requests.
    pub async fn render(connection: &impl ConnectionTrait, body: String) -> Outcome<Self> {
        let (body, logins) = busy(body, comment::mentions).await?;
        let mentioned = accounts_by_login(connection, logins).await?;
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

async fn accounts_by_login(
    connection: &impl ConnectionTrait,
    logins: Vec<String>,
) -> Result<Vec<account::Model>, DbErr> {
    if logins.is_empty() {
        return Ok(Vec::new());
    }
    account::Entity::find()
        .filter(account::COLUMN.login_key.is_in(logins))
        .all(connection)
        .await
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
