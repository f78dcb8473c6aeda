//! `forgewright reset`: returns a world that a running server serves to how it was loaded.

use clap::Args;
use poem::http::Method;

use super::Failure;
use super::control::ServerConfig;
use super::print::say;

#[derive(Debug, Args)]
pub struct ResetCommand {
    #[command(flatten)]
    server: ServerConfig,
}

pub async fn run(command: &ResetCommand) -> Result<(), Failure> {
    command.server.send(Method::POST, "reset", None).await?;
    say!(
        "Reset the world {} to its loaded state.",
        command.server.world()
    )
}
