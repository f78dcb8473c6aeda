//! The response with a page of comments.

use serde::Serialize;

use crate::contract::problem::Problem;
use crate::contract::reply::{Outcome, Reply};
use crate::heavy;

/// The size in bytes beyond which serializing a page would delay other requests.
const INLINE_BYTES: usize = 1 << 20;

/// The limit in bytes of the renderings of a page.
const MOST_RENDERED: usize = 16 << 20;

/// Replaces a rendering beyond the limit.
const OMITTED_TEXT: &str = "This page is too large to show every comment rendered.";

/// The response with a page of a list. A large one is serialized on a blocking thread.
pub async fn page<T: Serialize + Send + 'static>(
    bytes: usize,
    views: impl FnOnce() -> Outcome<Vec<T>> + Send + 'static,
) -> Outcome<Reply<200, Vec<T>>> {
    if bytes <= INLINE_BYTES {
        return Ok(Reply::new(views()?));
    }
    let write = move || serde_json::to_vec(&views()?).map_err(Problem::internal);
    let json = heavy::compute(write).await.map_err(Problem::internal)??;
    Ok(Reply::new(Vec::new()).written(json))
}

/// Limits the renderings of a page. A client gets an omitted one by requesting its comment or
/// review alone.
pub struct Renderings {
    remaining: usize,
}

impl Default for Renderings {
    fn default() -> Self {
        Self {
            remaining: MOST_RENDERED,
        }
    }
}

impl Renderings {
    pub fn limit(&mut self, rendered: [&mut Option<String>; 2]) {
        for rendered in rendered.into_iter().flatten() {
            match self.remaining.checked_sub(rendered.len()) {
                Some(rest) => self.remaining = rest,
                None => OMITTED_TEXT.clone_into(rendered),
            }
        }
    }
}
