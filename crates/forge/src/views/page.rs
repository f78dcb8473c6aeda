//! Responses with long texts: their renderings are limited, and a large response is serialized
//! on a blocking thread. `contract/json.rs` limits the response as a whole.

use serde::Serialize;

use contract::json;
use contract::problem::Problem;
use contract::reply::{Outcome, Reply};
use storage::heavy;

/// The size in bytes beyond which serializing a response would delay other requests.
const INLINE_BYTES: usize = 1 << 20;

/// The limit in bytes of the renderings of a page.
const MOST_RENDERED: usize = 16 << 20;

/// Replaces a rendering beyond the limit.
const OMITTED_RENDERING: &str = "This page is too large to show every comment rendered.";

/// The response with a page of a list, whose texts have this many bytes.
pub async fn page<T: Serialize + Send + 'static>(
    bytes: usize,
    views: impl FnOnce() -> Outcome<Vec<T>> + Send + 'static,
) -> Outcome<Reply<200, Vec<T>>> {
    if bytes <= INLINE_BYTES {
        return Ok(Reply::new(views()?));
    }
    let write = move || json::to_vec(&views()?).map_err(Problem::internal);
    let json = written(bytes, write).await??;
    Ok(Reply::new(Vec::new()).written(json))
}

/// The response with a view, whose texts have this many bytes.
pub async fn reply<const STATUS: u16, T: Serialize + Send + 'static>(
    bytes: usize,
    view: T,
) -> Outcome<Reply<STATUS, T>> {
    if bytes <= INLINE_BYTES {
        return Ok(Reply::new(view));
    }
    let write = move || json::to_vec(&view).map(|json| (view, json));
    let (view, json) = written(bytes, write).await?.map_err(Problem::internal)?;
    Ok(Reply::new(view).written(json))
}

/// Serializes texts of this many bytes. They and their JSON are held meanwhile.
async fn written<T: Send + 'static>(
    bytes: usize,
    write: impl FnOnce() -> T + Send + 'static,
) -> Outcome<T> {
    let escaped = bytes.saturating_mul(6).min(json::LARGEST);
    heavy::with_permit(async {
        let _held = heavy::hold(bytes + escaped).await?;
        heavy::compute(write).await.map_err(Problem::internal)
    })
    .await
}

/// Limits the renderings of a page. A client gets an omitted one by requesting its comment,
/// review, issue or pull request alone.
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
                None => OMITTED_RENDERING.clone_into(rendered),
            }
        }
    }
}
