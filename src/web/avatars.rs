//! Avatars: a pattern for each account, drawn from its id. Every id has one, so that none tells
//! whether the account exists.

use std::fmt::Write as _;

use poem::http::header;
use poem::{Endpoint, Response, endpoint::make_sync};
use sha2::{Digest, Sha256};

use super::failures;
use contract::problem::Problem;

/// The cells of a row and of a column. The right half mirrors the left one.
const CELLS: usize = 5;

/// The picture of an id never changes.
const FOREVER: &str = "public, max-age=31536000, immutable";

/// `GET /avatars/u/{id}`
pub fn avatar() -> impl Endpoint<Output = Response> {
    make_sync(|request| {
        let id = request.raw_path_param("id").and_then(|id| id.parse().ok());
        match id {
            Some(id) => Response::builder()
                .content_type("image/svg+xml")
                .header(header::CACHE_CONTROL, FOREVER)
                .header(header::CONTENT_SECURITY_POLICY, "default-src 'none'")
                .header("cross-origin-resource-policy", "cross-origin")
                .body(picture(id)),
            None => failures::response(&Problem::NotFound, None),
        }
    })
}

/// A symmetric pattern of squares in one color, with a margin of a cell.
fn picture(id: u64) -> String {
    let digest = Sha256::digest(id.to_be_bytes());
    let hue = u16::from_be_bytes([digest[0], digest[1]]) % 360;
    let columns = CELLS.div_ceil(2);
    let mut squares = String::new();
    for (column, row) in (0..columns).flat_map(|column| (0..CELLS).map(move |row| (column, row))) {
        if digest[2 + column * CELLS + row] % 2 == 1 {
            continue;
        }
        let mirrored = CELLS - 1 - column;
        let _ = write!(squares, "M{} {}h1v1h-1z", column + 1, row + 1);
        if mirrored != column {
            let _ = write!(squares, "M{} {}h1v1h-1z", mirrored + 1, row + 1);
        }
    }
    let size = CELLS + 2;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {size} {size}\" \
         shape-rendering=\"crispEdges\"><rect width=\"{size}\" height=\"{size}\" \
         fill=\"#f0f0f0\"/><path fill=\"hsl({hue} 55% 45%)\" d=\"{squares}\"/></svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_depends_on_its_id_alone_and_is_small() {
        assert_eq!(picture(1), picture(1));
        assert_ne!(picture(1), picture(2));
        for id in [0, 1001, u64::MAX] {
            assert!(picture(id).len() < 1024, "{id}");
        }
    }
}
