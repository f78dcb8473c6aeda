//! HOW. One folder for each contract file, with the same small files in each:
//! `operations.rs` is the walk (identify, resolve, check, do, show), `rules.rs`
//! the pure decisions, `store.rs` the queries, `view.rs` the shapes that go out.
//! No area knows another.

pub mod lookups;

use std::sync::Arc;

use poem_openapi::OpenApi;

use crate::app::App;
use crate::contract;

/// Every endpoint of both documents, with its operations behind it.
pub fn all(app: &Arc<App>) -> impl OpenApi + use<> {
    contract::lookups::Api(Arc::new(lookups::Lookups::new(app.clone())))
}
