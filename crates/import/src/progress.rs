//! What an import tells while it runs.

use std::time::Duration;

pub trait Progress: Send + Sync {
    /// A step began: `acme/gadgets: pull requests`.
    fn step(&self, name: &str);

    /// Items of the step that are done. The total is unknown at first.
    fn done(&self, done: usize, total: Option<usize>);

    fn retrying(&self, reason: &str, wait: Duration);

    fn limited(&self, wait: Duration);
}
