//! Markdown texts of users, with their renderings and mentions.

use std::collections::HashMap;

use super::page::Renderings;
use crate::markup::comment;
use crate::markup::comment::Rendered;
use crate::urls::Urls;
use contract::media::Media;
use contract::problem::Problem;
use contract::reply::Outcome;
use contract::shared::state::RenderedBody;
use storage::database::{Connection, rows_with};
use storage::entities::account;
use storage::heavy;

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
    pub async fn render(connection: &Connection, body: String) -> Outcome<Self> {
        let mut texts = Self::render_all(connection, vec![body]).await?;
        texts
            .pop()
            .ok_or_else(|| Problem::internal("a text was lost"))
    }

    /// Renders several texts, with one query for all mentions.
    pub async fn render_all(connection: &Connection, bodies: Vec<String>) -> Outcome<Vec<Self>> {
        let (bodies, accounts) = mentions(connection, bodies).await?;
        let mut texts = Vec::with_capacity(bodies.len());
        for (body, mentioned) in bodies.into_iter().zip(accounts) {
            texts.push(Self::of(body, mentioned).await?);
        }
        Ok(texts)
    }

    async fn of(body: String, mentioned: Vec<account::Model>) -> Outcome<Self> {
        let logins: HashMap<String, String> = mentioned
            .iter()
            .map(|account| (account.login_key.clone(), account.login.clone()))
            .collect();
        let render = move |body: &str| comment::render(body, |login| logins.get(login).cloned());
        let (body, rendered) = off_thread_if_long(body, render).await?;
        Ok(Self {
            body,
            rendered,
            mentioned,
        })
    }
}

/// Texts in the requested forms; an absent text has none. Keeps the forms of one text at a time
/// beside those that the page shows.
pub async fn rendered_bodies(
    connection: &Connection,
    urls: &Urls,
    media: Media,
    bodies: impl IntoIterator<Item = Option<String>>,
) -> Outcome<Vec<RenderedBody>> {
    let bodies: Vec<Option<String>> = bodies.into_iter().collect();
    if !media.has_text() && !media.has_html() {
        return Ok(vec![RenderedBody::default(); bodies.len()]);
    }
    let present: Vec<bool> = bodies.iter().map(Option::is_some).collect();
    let texts = bodies.into_iter().flatten().collect();
    let (texts, accounts) = mentions(connection, texts).await?;
    let mut texts = texts.into_iter().zip(accounts);
    let mut renderings = Renderings::default();
    let mut forms = Vec::with_capacity(present.len());
    for present in present {
        let (mut html, mut text) = (None, None);
        if let Some((body, mentioned)) = present.then(|| texts.next()).flatten() {
            let rendered = Text::of(body, mentioned).await?.rendered;
            html = media
                .has_html()
                .then(|| comment::with_host(&rendered.html, &urls.web));
            text = media.has_text().then_some(rendered.text);
        }
        renderings.limit([&mut html, &mut text]);
        forms.push(RenderedBody {
            body_html: media.has_html().then(|| html.into()),
            body_text: media.has_text().then(|| text.into()),
        });
    }
    Ok(forms)
}

/// The accounts that each of several texts mentions, with one query for all of them.
pub async fn mentions(
    connection: &Connection,
    bodies: Vec<String>,
) -> Outcome<(Vec<String>, Vec<Vec<account::Model>>)> {
    let mut texts = Vec::with_capacity(bodies.len());
    let mut logins: Vec<Vec<String>> = Vec::with_capacity(bodies.len());
    for body in bodies {
        let (body, mentioned) = off_thread_if_long(body, comment::mentions).await?;
        texts.push(body);
        logins.push(mentioned);
    }
    let all = logins.iter().flatten().cloned();
    let rows = rows_with(connection, account::Column::LoginKey, all).await?;
    let rows: HashMap<&str, &account::Model> = rows
        .iter()
        .map(|account| (account.login_key.as_str(), account))
        .collect();
    let accounts = logins.iter().map(|logins| {
        let mentioned = logins.iter().filter_map(|login| rows.get(login.as_str()));
        mentioned.map(|account| (*account).clone()).collect()
    });
    Ok((texts, accounts.collect()))
}

async fn off_thread_if_long<T: Send + 'static>(
    body: String,
    work: impl FnOnce(&str) -> T + Send + 'static,
) -> Outcome<(String, T)> {
    if body.len() <= RENDERED_IN_PLACE {
        let result = work(&body);
        return Ok((body, result));
    }
    let work = move || {
        let result = work(&body);
        (body, result)
    };
    heavy::compute(work).await.map_err(Problem::internal)
}
