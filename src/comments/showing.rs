//! A page of comments on its way out.

use serde::Serialize;

use crate::contract::problem::Problem;
use crate::contract::reply::{Outcome, Reply};
use crate::heavy;

/// Bytes of comments beyond which writing them would hold up other requests.
const WRITTEN_IN_PLACE: usize = 1 << 20;

/// Bytes that the renderings of a page may have.
const MOST_RENDERED: usize = 16 << 20;

/// In place of a rendering beyond that.
const LEFT_OUT: &str = "This page is too large to show every comment rendered.";

/// The answer with a page of a list. Much of it is written on a thread that may block.
pub async fn page<T: Serialize + Send + 'static>(
    bytes: usize,
    shown: impl FnOnce() -> Outcome<Vec<T>> + Send + 'static,
) -> Outcome<Reply<200, Vec<T>>> {
    if bytes <= WRITTEN_IN_PLACE {
        return Ok(Reply::new(shown()?));
    }
    let write = move || serde_json::to_vec(&shown()?).map_err(Problem::internal);
    let json = heavy::compute(write).await.map_err(Problem::internal)??;
    Ok(Reply::new(Vec::new()).written(json))
}

/// The renderings of a page have a limit. Those beyond it are left out; each can be had
/// with its comment or review alone.
pub struct Renderings {
    left: usize,
}

impl Default for Renderings {
    fn default() -> Self {
        Self {
            left: MOST_RENDERED,
        }
    }
}

impl Renderings {
    pub fn limit(&mut self, rendered: [&mut Option<String>; 2]) {
        for rendered in rendered.into_iter().flatten() {
            match self.left.checked_sub(rendered.len()) {
                Some(rest) => self.left = rest,
                None => LEFT_OUT.clone_into(rendered),
            }
        }
    }
}
