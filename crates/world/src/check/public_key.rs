//! Whether a text is a public RSA key in PEM, as PKCS #8 or as PKCS #1.
//! Note: the key is parsed here before the library that will use it sees it, because the
//! library's ASN.1 reader recurses as deep as its input says.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jsonwebtoken::DecodingKey;
use rsa::pkcs1::{ALGORITHM_ID, RsaPublicKey};
use rsa::pkcs8::spki::SubjectPublicKeyInfoRef;

/// A key of 16384 bits takes three quarters of it.
const MAX_PEM: usize = 4_096;

pub fn is_public_rsa_key(pem: &str) -> bool {
    if pem.len() > MAX_PEM {
        return false;
    }
    let well_formed = match decoded(pem, "PUBLIC KEY") {
        Some(der) => is_subject_key(&der),
        None => decoded(pem, "RSA PUBLIC KEY").is_some_and(|der| is_rsa_key(&der)),
    };
    well_formed && DecodingKey::from_rsa_pem(pem.as_bytes()).is_ok()
}

/// The DER in a PEM with this label, whatever the length of its lines.
fn decoded(pem: &str, label: &str) -> Option<Vec<u8>> {
    let body = pem
        .trim()
        .strip_prefix(&format!("-----BEGIN {label}-----"))?
        .strip_suffix(&format!("-----END {label}-----"))?;
    let packed: String = body.split_ascii_whitespace().collect();
    STANDARD.decode(packed).ok()
}

fn is_subject_key(der: &[u8]) -> bool {
    let Ok(info) = SubjectPublicKeyInfoRef::try_from(der) else {
        return false;
    };
    let key = info.subject_public_key.as_bytes();
    info.algorithm == ALGORITHM_ID && key.is_some_and(is_rsa_key)
}

fn is_rsa_key(der: &[u8]) -> bool {
    RsaPublicKey::try_from(der).is_ok()
}
