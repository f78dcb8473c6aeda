//! The control API: what it does to a world, and what clients of the world see of it.

mod clock;
mod deliveries;
mod faults;

use forgewright::app::Settings;

use crate::harness::{Answer, Service, WORLD};

/// A service with the control API.
async fn start() -> Service {
    with(WORLD, Settings::default()).await
}

async fn with(world: &str, settings: Settings) -> Service {
    let settings = Settings {
        control: true,
        ..settings
    };
    Service::with(world, settings).await
}

/// Where the main world is controlled.
fn main(path: &str) -> String {
    format!("/_forgewright/worlds/main/{path}")
}

/// Fails unless the world is unknown to an operation.
fn expect_unknown_world(answer: Answer) {
    let message = answer.expect(404).message();
    assert_eq!(message, "There is no world named 'nowhere'");
}
