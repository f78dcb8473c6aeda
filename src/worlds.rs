//! The worlds that this process serves: `main`, which it was started with, and those that
//! the control API makes, one for each test.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use poem::Response;
use poem::endpoint::BoxEndpoint;

use crate::app::App;
use crate::contract::values::Timestamp;
use crate::web;

/// The name of the world that the server was started with.
pub const MAIN: &str = "main";

/// All worlds by name.
pub struct Worlds(RwLock<BTreeMap<String, Arc<ServedWorld>>>);

/// A world and the endpoint that serves it.
pub struct ServedWorld {
    pub name: String,
    pub app: Arc<App>,
    pub endpoint: BoxEndpoint<'static, Response>,
    pub created_at: Timestamp,
}

impl Worlds {
    /// Serves one world, `main`.
    pub fn new(main: &Arc<App>) -> Arc<Self> {
        let world = ServedWorld {
            name: MAIN.to_owned(),
            app: main.clone(),
            endpoint: web::router(main),
            created_at: main.clock.now(),
        };
        let worlds = BTreeMap::from([(world.name.clone(), Arc::new(world))]);
        Arc::new(Self(RwLock::new(worlds)))
    }

    pub fn get(&self, name: &str) -> Option<Arc<ServedWorld>> {
        let worlds = self.0.read().unwrap_or_else(PoisonError::into_inner);
        worlds.get(name).cloned()
    }

    /// Every world, in the order of their names.
    pub fn all(&self) -> Vec<Arc<ServedWorld>> {
        let worlds = self.0.read().unwrap_or_else(PoisonError::into_inner);
        worlds.values().cloned().collect()
    }
}
