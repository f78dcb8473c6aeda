//! Token values: generated here, stored only as a hash.
//!
//! A value is the prefix of its kind, random characters from a cryptographic
//! source, and six characters of checksum, so that scanners can tell a real
//! token from a look-alike.

use storage::entities::token::TokenKind;
use storage::entropy::Entropy;

const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A new token value.
pub fn generate(kind: TokenKind, entropy: &dyn Entropy) -> String {
    match kind {
        TokenKind::Classic => with_checksum("ghp_", &letters(entropy, 30)),
        TokenKind::Oauth => with_checksum("gho_", &letters(entropy, 30)),
        TokenKind::AppUser => with_checksum("ghu_", &letters(entropy, 30)),
        TokenKind::Installation => with_checksum("ghs_", &letters(entropy, 30)),
        TokenKind::FineGrained => {
            let head = format!("github_pat_{}_", letters(entropy, 22));
            with_checksum(&head, &letters(entropy, 53))
        }
    }
}

/// A new token of the control API.
pub fn generate_control(entropy: &dyn Entropy) -> String {
    with_checksum("fwc_", &letters(entropy, 30))
}

/// The last characters of a token, for lists.
pub fn hint(value: &str) -> String {
    let last: Vec<_> = value.chars().rev().take(4).collect();
    last.into_iter().rev().collect()
}

/// Letters and digits, uniformly distributed: bytes that would favour some are
/// thrown away.
fn letters(entropy: &dyn Entropy, count: usize) -> String {
    let mut letters = String::with_capacity(count);
    while letters.len() < count {
        let mut bytes = [0; 64];
        entropy.fill(&mut bytes);
        let fair = bytes.iter().filter(|byte| **byte < 248);
        let drawn = fair.map(|byte| char::from(BASE62[usize::from(byte % 62)]));
        letters.extend(drawn.take(count - letters.len()));
    }
    letters
}

fn with_checksum(head: &str, random: &str) -> String {
    let mut sum = crc32fast::hash(random.as_bytes());
    let mut digits = [b'0'; 6];
    for digit in digits.iter_mut().rev() {
        *digit = BASE62[(sum % 62) as usize];
        sum /= 62;
    }
    let checksum: String = digits.into_iter().map(char::from).collect();
    format!("{head}{random}{checksum}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use storage::entropy::SeededEntropy;

    #[test]
    fn each_kind_has_its_prefix_and_length() {
        let entropy = SeededEntropy::new(1);
        for (kind, prefix, length) in [
            (TokenKind::Classic, "ghp_", 40),
            (TokenKind::Oauth, "gho_", 40),
            (TokenKind::AppUser, "ghu_", 40),
            (TokenKind::Installation, "ghs_", 40),
            (TokenKind::FineGrained, "github_pat_", 93),
        ] {
            let token = generate(kind, &entropy);
            assert!(token.starts_with(prefix), "{token}");
            assert_eq!(token.len(), length, "{token}");
            assert_ne!(token, generate(kind, &entropy));
        }
    }

    #[test]
    fn the_checksum_is_that_of_the_random_part() {
        assert_eq!(
            with_checksum("ghp_", "zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ"),
            "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"
        );
    }

    #[test]
    fn a_hint_is_the_end_of_a_token() {
        assert_eq!(hint("ghp_abcdefgh"), "efgh");
    }
}
