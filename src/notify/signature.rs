//! How a receiver knows that a webhook is ours: an HMAC of its bytes, under the
//! secret that the app and the service share.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The value of `X-Hub-Signature-256`; None if the secret cannot be used.
pub fn of(secret: &str, payload: &[u8]) -> Option<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).ok()?;
    mac.update(payload);
    Some(format!(
        "sha256={}",
        hex::encode(mac.finalize().into_bytes())
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of GitHub's documentation on validating deliveries.
    #[test]
    fn the_published_example_comes_out() {
        assert_eq!(
            of("It's a Secret to Everybody", b"Hello, World!").as_deref(),
            Some("sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17")
        );
    }
}
