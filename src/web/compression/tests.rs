//! Tests of content negotiation and compression.

use std::io::Read;

use super::*;

fn preferred(accepted: &[&'static str]) -> Option<Encoding> {
    let mut request = HeaderMap::new();
    for value in accepted {
        request.append(header::ACCEPT_ENCODING, HeaderValue::from_static(value));
    }
    Encoding::preferred(&request)
}

#[test]
fn the_caller_chooses_the_encoding() {
    let (gzip, brotli) = (Some(Encoding::Gzip), Some(Encoding::Brotli));
    for (accepted, expected) in [
        (&["gzip"][..], gzip),
        (&["GZIP"], gzip),
        (&["x-gzip"], gzip),
        (&["br"], brotli),
        (&["gzip, deflate, br, zstd"], gzip),
        (&["gzip;q=0.5, br"], brotli),
        (&["br;q=0.5", "gzip;q=0.8"], gzip),
        (&["*"], gzip),
        (&["gzip;q=0, *"], brotli),
        (&["gzip;q=0.5, identity"], None),
        (&["identity"], None),
        (&["gzip;q=0"], None),
        (&["gzip;q=x"], None),
        (&["gzip;q=NaN"], None),
        (&["gzip;q=2"], None),
        (&["deflate, zstd"], None),
        (&[""], None),
        (&[], None),
    ] {
        assert_eq!(preferred(accepted), expected, "{accepted:?}");
    }
}

#[test]
fn what_is_compressed_can_be_read_again() {
    let text = "refs/heads/main ".repeat(10_000).into_bytes();
    for size in [1, MIN_BYTES, text.len()] {
        let text = &text[..size];
        let mut read = Vec::new();
        let gzip = compressed(text, Encoding::Gzip).unwrap();
        flate2::read::GzDecoder::new(&*gzip)
            .read_to_end(&mut read)
            .unwrap();
        assert_eq!(read, text);
        read.clear();
        let brotli = compressed(text, Encoding::Brotli).unwrap();
        brotli::Decompressor::new(&*brotli, 4096)
            .read_to_end(&mut read)
            .unwrap();
        assert_eq!(read, text);
    }
}

#[tokio::test]
async fn a_stream_is_compressed_piece_by_piece() {
    let text = "refs/heads/main ".repeat(10_000).into_bytes();
    for encoding in [Encoding::Gzip, Encoding::Brotli] {
        let pieces = Body::from_async_read(io::Cursor::new(text.clone()));
        let mut response = Response::builder().header("etag", "\"a\"").body(pieces);
        compress_stream(&mut response, encoding);
        assert_eq!(response.header("etag"), Some("W/\"a\""));
        let bytes = response.into_body().into_vec().await.unwrap();
        assert!(bytes.len() < text.len() / 10);
        let mut decompressed = Vec::new();
        let outcome = match encoding {
            Encoding::Gzip => flate2::read::GzDecoder::new(&*bytes).read_to_end(&mut decompressed),
            Encoding::Brotli => {
                brotli::Decompressor::new(&*bytes, 4096).read_to_end(&mut decompressed)
            }
        };
        outcome.unwrap();
        assert_eq!(decompressed, text);
    }
}

#[tokio::test]
async fn a_compressed_answer_has_a_weak_tag_and_a_short_one_is_left_alone() {
    let answer = |body: String| Response::builder().header("etag", "\"a\"").body(body);
    let mut long = answer("x".repeat(MIN_BYTES));
    compress(&mut long, Some(Encoding::Gzip)).await.unwrap();
    assert_eq!(long.header("etag"), Some("W/\"a\""));
    assert_eq!(long.header("content-encoding"), Some("gzip"));
    let mut short = answer("x".into());
    compress(&mut short, Some(Encoding::Gzip)).await.unwrap();
    assert_eq!(short.header("etag"), Some("\"a\""));
    assert_eq!(short.header("content-encoding"), None);
    assert_eq!(short.into_body().into_string().await.unwrap(), "x");
}
