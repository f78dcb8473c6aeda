//! Git over HTTP: clone, fetch and push with any Git client. The protocol is in
//! `git/transport`; this room has access control, the listed references, and the push transaction.

mod list;
mod operations;
mod rows;
mod rules;
mod view;

use std::sync::Arc;

use crate::app::App;
use git::transport::closures::Closures;

pub use crate::git_transport::view::GitReply;

/// The two services of a Git server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// For fetches and clones.
    UploadPack,
    /// For pushes.
    ReceivePack,
}

impl Service {
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "git-upload-pack" => Some(Self::UploadPack),
            "git-receive-pack" => Some(Self::ReceivePack),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::UploadPack => "git-upload-pack",
            Self::ReceivePack => "git-receive-pack",
        }
    }
}

/// Serves Git clients.
pub struct GitTransport {
    app: Arc<App>,
    closures: Closures,
}

impl GitTransport {
    pub fn new(app: Arc<App>) -> Self {
        let closures = Closures::new(app.settings.cache);
        Self { app, closures }
    }
}
