//! A server with the control API: the main world at the root, the others below
//! `/_worlds`, the control API itself, and the console.

use std::sync::Arc;

use poem::endpoint::BoxEndpoint;
use poem::http::Uri;
use poem::http::uri::PathAndQuery;
use poem::{Endpoint, EndpointExt, Request, Response, Result};

use super::console::{self, CONSOLE_PATH};
use super::control::{ControlEdge, ControlGuard};
use super::{failures, headers};
use crate::control;
use crate::worlds::{MAIN, Worlds};
use contract::control::{CONTROL_PATH, WORLDS_PATH};
use contract::problem::Problem;

/// Serves all worlds, and the control API to clients that the guard admits.
pub fn site(worlds: &Arc<Worlds>, guard: ControlGuard) -> BoxEndpoint<'static, Response> {
    let site = Site {
        control: ControlEdge::new(worlds, guard),
        worlds: worlds.clone(),
    };
    failures::last_resort(site).boxed()
}

struct Site {
    worlds: Arc<Worlds>,
    control: ControlEdge,
}

impl Endpoint for Site {
    type Output = Response;

    async fn call(&self, mut request: Request) -> Result<Response> {
        let path = request.uri().path();
        if below(path, CONTROL_PATH).is_some() {
            return self.control.call(request).await;
        }
        match below(path, CONSOLE_PATH) {
            Some("/token") => return Ok(headers::harden(self.control.page_token(&request)?)),
            Some(_) => return Ok(console::console(&request)),
            None => {}
        }
        let (name, rest) = match below(path, WORLDS_PATH) {
            Some(path) => {
                let path = path.strip_prefix('/').unwrap_or(path);
                let (name, rest) = path.split_at(path.find('/').unwrap_or(path.len()));
                (name, Some(rest))
            }
            None => (MAIN, None),
        };
        let world = control::named_world(&self.worlds, name)?;
        if let Some(rest) = rest {
            let uri = rerouted(rest, request.uri().query());
            *request.uri_mut() = uri.ok_or(Problem::NotFound)?;
        }
        let pass = world.gate.enter().await;
        let safe = request.method().is_safe();
        let answer = world.endpoint.call(request).await;
        if safe && pass.is_outdated() {
            return Err(Problem::Unavailable("the world was reset meanwhile".into()).into());
        }
        answer
    }
}

/// The rest of a path below a folder.
fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(folder)?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// The URI that the world sees.
fn rerouted(path: &str, query: Option<&str>) -> Option<Uri> {
    let path = if path.is_empty() { "/" } else { path };
    let text = match query {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    text.parse::<PathAndQuery>().ok().map(Uri::from)
}
