//! `forgewright openapi`: prints the OpenAPI documents, for generators that run without a
//! server.

use clap::{Args, ValueEnum};

use super::{Failure, print};
use contract::document::yaml;

#[derive(Debug, Args)]
pub struct OpenapiCommand {
    /// The document to print
    #[arg(value_enum, default_value = "service")]
    document: Document,

    /// The output format
    #[arg(long, value_enum, default_value = "yaml")]
    format: Format,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Document {
    /// The operations of the specification
    Service,
    /// Further operations that real clients need
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
        Format::Yaml => yaml::write(document).map_err(Failure::Other)?,
        Format::Json => format!("{document:#}\n"),
    };
    print::all(format_args!("{text}"))
}
