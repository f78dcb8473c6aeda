//! `forgewright openapi`: the documents, for generators that have no server.

use clap::{Args, ValueEnum};

use super::{Failure, print};
use crate::contract;
use crate::openapi_yaml;

#[derive(Debug, Args)]
pub struct OpenapiCommand {
    /// Which document
    #[arg(value_enum, default_value = "service")]
    document: Document,

    /// In which form
    #[arg(long, value_enum, default_value = "yaml")]
    format: Format,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Document {
    /// The operations of the specification
    Service,
    /// What real clients need around them
    Companion,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    Yaml,
    Json,
}

pub fn run(command: &OpenapiCommand) -> Result<(), Failure> {
    let document = match command.document {
        Document::Service => contract::service(),
        Document::Companion => contract::companion(),
    };
    let text = match command.format {
        Format::Yaml => openapi_yaml::write(document).map_err(Failure::Other)?,
        Format::Json => format!("{document:#}\n"),
    };
    print::all(format_args!("{text}"))
}
