//! Signs webhooks with an HMAC under the secret that the app and the service share. Old
//! receivers only check the SHA-1 header.

use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use sha2::Sha256;

/// The signature headers of a payload.
pub fn headers(secret: &str, payload: &[u8]) -> Vec<(&'static str, String)> {
    let old = hmac_hex::<Hmac<Sha1>>(secret, payload).map(|mac| format!("sha1={mac}"));
    let new = hmac_hex::<Hmac<Sha256>>(secret, payload).map(|mac| format!("sha256={mac}"));
    let signatures = [("X-Hub-Signature", old), ("X-Hub-Signature-256", new)];
    let usable = signatures
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)));
    usable.collect()
}

/// The HMAC in hexadecimal; None if the secret cannot be used.
fn hmac_hex<M: Mac + KeyInit>(secret: &str, payload: &[u8]) -> Option<String> {
    let mut mac = <M as KeyInit>::new_from_slice(secret.as_bytes()).ok()?;
    mac.update(payload);
    Some(hex::encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of GitHub's documentation on validating deliveries; the SHA-1 value is
    /// from OpenSSL.
    #[test]
    fn githubs_example_has_the_published_signature() {
        let signed = headers("It's a Secret to Everybody", b"Hello, World!");
        assert_eq!(
            signed,
            [
                (
                    "X-Hub-Signature",
                    "sha1=01dc10d0c83e72ed246219cdd91669667fe2ca59".to_owned()
                ),
                (
                    "X-Hub-Signature-256",
                    "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
                        .to_owned()
                ),
            ]
        );
    }
}
