//! The operations of the control API, one file for each part of its contract.

mod journal;
mod worlds;

use std::sync::Arc;

use poem_openapi::OpenApi;

use crate::contract;
use crate::contract::problem::Problem;
use crate::contract::reply::Outcome;
use crate::journal::Journal;
use crate::worlds::{ServedWorld, Worlds};

/// What the control API uses of a world while it serves requests.
#[derive(Debug, Default)]
pub struct Tools {
    pub journal: Arc<Journal>,
}

/// The control API of a server.
pub struct Control {
    worlds: Arc<Worlds>,
}

impl Control {
    /// The world that a path names.
    fn world(&self, name: &str) -> Outcome<Arc<ServedWorld>> {
        self.worlds.get(name).ok_or_else(|| {
            Problem::Absent(format!("There is no world named '{}'", name.escape_debug()).into())
        })
    }
}

/// Every endpoint of the control document, with its operations behind it.
pub fn all(worlds: &Arc<Worlds>) -> impl OpenApi + use<> {
    let control = Arc::new(Control {
        worlds: worlds.clone(),
    });
    (
        contract::control::worlds::Api(control.clone()),
        contract::control::journal::Api(control),
    )
}
