//! Imports repositories from GitHub, or from any server with its API, into the folder of a
//! world: Git data by `git clone --mirror`, everything else through the REST API.

mod accounts;
pub mod address;
mod answers;
mod apps;
pub mod client;
mod gathered;
mod issues;
mod left_out;
mod list;
mod mirror;
mod organizations;
pub mod progress;
mod projects;
mod pulls;
mod reports;
mod run;
mod store;
mod text;
pub mod token;

pub use gathered::{ImportLimits, parse_since};
pub use left_out::LeftOut;
pub use list::{Api, ListBody};
pub use run::{Import, WorldWriter};
pub use store::{AnswerStore, StoreError, write_whole};

use client::RequestFailed;

/// Why an import ended early. What it has read stays, and the same command goes on there.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error(transparent)]
    Request(#[from] RequestFailed),
    #[error(transparent)]
    AnswerStore(#[from] StoreError),
    #[error("{0}")]
    Server(String),
    #[error("{0}")]
    Gathered(String),
    #[error("git: {0}")]
    Git(String),
    #[error(transparent)]
    Io(#[from] std::io::Error),
}
