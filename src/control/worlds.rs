//! Making, listing and removing worlds.

use async_trait::async_trait;

use super::Control;
use crate::contract::control::worlds::{Operations, World};
use crate::contract::control::{ControlCall, WORLDS_PATH};
use crate::contract::reply::{Outcome, Reply};
use crate::contract::values::Url;
use crate::worlds::{MAIN, ServedWorld};

#[async_trait]
impl Operations for Control {
    async fn list_worlds(&self, call: ControlCall) -> Outcome<Reply<200, Vec<World>>> {
        let worlds = self.worlds.all();
        Ok(Reply::new(
            worlds.iter().map(|world| shown(&call, world)).collect(),
        ))
    }

    async fn get_world(&self, call: ControlCall, world: String) -> Outcome<Reply<200, World>> {
        let world = self.world(&world)?;
        Ok(Reply::new(shown(&call, &world)))
    }
}

fn shown(call: &ControlCall, world: &ServedWorld) -> World {
    let origin = &call.origin;
    let url = match world.name.as_str() {
        MAIN => origin.to_string(),
        name => format!("{origin}{WORLDS_PATH}/{name}"),
    };
    World {
        name: world.name.clone(),
        url: Url(url),
        created_at: world.created_at,
    }
}
