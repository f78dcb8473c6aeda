//! Whether a text is a public RSA key in PEM, as PKCS #8 or as PKCS #1.
//! The rule that surprises: the key is taken apart here before the library that will
//! use it sees it, because its ASN.1 reader recurses as deep as its input says.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jsonwebtoken::DecodingKey;

/// A key of 16384 bits takes three quarters of it.
const MAX_PEM: usize = 4_096;

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
/// The object identifier `rsaEncryption`, and the empty parameters after it.
const RSA_ENCRYPTION: &[u8] = &[
    0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
];

pub fn is_public_rsa_key(pem: &str) -> bool {
    if pem.len() > MAX_PEM {
        return false;
    }
    let shaped = match armoured(pem, "PUBLIC KEY") {
        Some(der) => subject_key(&der).is_some(),
        None => armoured(pem, "RSA PUBLIC KEY").is_some_and(|der| rsa_key(&der).is_some()),
    };
    shaped && DecodingKey::from_rsa_pem(pem.as_bytes()).is_ok()
}

fn armoured(pem: &str, label: &str) -> Option<Vec<u8>> {
    let body = pem
        .trim()
        .strip_prefix(&format!("-----BEGIN {label}-----"))?
        .strip_suffix(&format!("-----END {label}-----"))?;
    let packed: String = body.split_ascii_whitespace().collect();
    STANDARD.decode(packed).ok()
}

fn subject_key(der: &[u8]) -> Option<()> {
    let (algorithm, rest) = take(only(der, SEQUENCE)?, SEQUENCE)?;
    let bits = only(rest, BIT_STRING).filter(|_| algorithm == RSA_ENCRYPTION)?;
    rsa_key(bits.strip_prefix(&[0])?)
}

/// Modulus and exponent.
fn rsa_key(der: &[u8]) -> Option<()> {
    let (_, rest) = take(only(der, SEQUENCE)?, INTEGER)?;
    only(rest, INTEGER).map(|_| ())
}

fn only(bytes: &[u8], tag: u8) -> Option<&[u8]> {
    take(bytes, tag)
        .filter(|(_, rest)| rest.is_empty())
        .map(|(content, _)| content)
}

/// The content of the first value, which has that tag, and what follows it.
fn take(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (found, rest) = bytes.split_first()?;
    let (first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(*first), rest),
        0x81 => rest
            .split_first()
            .map(|(low, rest)| (usize::from(*low), rest))?,
        0x82 => rest
            .split_first_chunk()
            .map(|(length, rest)| (usize::from(u16::from_be_bytes(*length)), rest))?,
        _ => return None,
    };
    (*found == tag).then(|| rest.split_at_checked(length))?
}
