//! The fuzz targets. A target takes any bytes and panics if a property of its parser does not
//! hold. The fuzzer (`fuzz_targets/`) and the replay of the corpus (`../mod.rs`) run these
//! functions.
//!
//! A target does more than check for panics: it formats the parsed value and parses it again,
//! or compares the result with another implementation.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a violated property is a panic"
)]

mod addresses;
mod bodies;
mod diffs;
mod headers;
pub mod html;
mod jwt;
mod lists;
mod markup;
mod moments;
mod objects;
mod refs;
mod worlds;

/// The name of a fuzz target, which is also that of its corpus, and its function.
pub type Target = (&'static str, fn(&[u8]));

pub const ALL: [Target; 17] = [
    ("accept", headers::accept),
    ("authorization", headers::authorization),
    ("bodies", bodies::bodies),
    ("comments", markup::comments),
    ("cursors", lists::cursors),
    ("diffs", diffs::diffs),
    ("git_objects", objects::git_objects),
    ("idents", objects::idents),
    ("if_none_match", headers::if_none_match),
    ("inline", markup::inline),
    ("jwt", jwt::jwt),
    ("links", lists::links),
    ("moments", moments::moments),
    ("ref_names", refs::ref_names),
    ("request_paths", addresses::request_paths),
    ("webhook_urls", addresses::webhook_urls),
    ("world_files", worlds::world_files),
];

/// Runs the target with this name.
pub fn run(name: &str, data: &[u8]) {
    let (_, target) = ALL.iter().find(|(target, _)| *target == name).unwrap();
    target(data);
}

/// Converts any bytes to text, so that every input is useful.
fn text(data: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(data)
}

/// Splits an input into two texts at the first NUL.
fn two(data: &[u8]) -> (&[u8], &[u8]) {
    let at = data.iter().position(|byte| *byte == 0);
    at.map_or((data, &[]), |at| (&data[..at], &data[at + 1..]))
}
