//! The operations of the control API, one file for each part of its contract.

mod clock;
mod deliveries;
mod faults;
mod journal;
mod snapshots;
mod worlds;

use std::sync::Arc;
use std::time::Duration;

use poem_openapi::OpenApi;
use tokio::time::Instant;

use crate::worlds::{ServedWorld, Worlds};
use contract::control::WaitSeconds;
use contract::paging::OptionalParameter;
use contract::problem::Problem;
use contract::reply::Outcome;
use forge::tools::Tools;

/// The control API of a server.
pub struct Control {
    worlds: Arc<Worlds>,
}

impl Control {
    /// The world that a path names, and its tools.
    fn tools(&self, name: &str) -> Outcome<(Arc<ServedWorld>, Arc<Tools>)> {
        let world = named_world(&self.worlds, name)?;
        let tools = world.app.tools.clone();
        let tools = tools.ok_or_else(|| Problem::internal("a world without control tools"))?;
        Ok((world, tools))
    }
}

/// The world that a path names.
pub fn named_world(worlds: &Worlds, name: &str) -> Outcome<Arc<ServedWorld>> {
    worlds.get(name).ok_or_else(|| {
        Problem::Absent(format!("There is no world named '{}'", name.escape_debug()).into())
    })
}

/// When a request with this `wait` stops waiting.
fn waits_until(wait: OptionalParameter<WaitSeconds>) -> Outcome<Instant> {
    let wait = wait.0.map_or(Ok(Duration::ZERO), WaitSeconds::duration)?;
    Ok(Instant::now() + wait)
}

/// Finishes the work even if the caller disconnects.
async fn finished<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Outcome<T> {
    tokio::spawn(work).await.map_err(Problem::internal)
}

/// Every endpoint of the control document, with its operations behind it.
pub fn all(worlds: &Arc<Worlds>) -> impl OpenApi + use<> {
    let control = Arc::new(Control {
        worlds: worlds.clone(),
    });
    (
        contract::control::worlds::Api(control.clone()),
        contract::control::snapshots::Api(control.clone()),
        contract::control::clock::Api(control.clone()),
        contract::control::faults::Api(control.clone()),
        contract::control::deliveries::Api(control.clone()),
        contract::control::journal::Api(control),
    )
}
