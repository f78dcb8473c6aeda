//! JSON web tokens with RS256 signatures (RFC 7515 and RFC 7518), the only ones that apps send,
//! and the RSA keys that sign and verify them.

use std::sync::Once;

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result as JwtResult};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind, EncodingKey, Header, Validation};
use rsa::pkcs1::{self, DecodeRsaPrivateKey, EncodeRsaPrivateKey};
use rsa::pkcs8::{DecodePrivateKey, SubjectPublicKeyInfoRef};
use rsa::rand_core::OsRng;
use rsa::sha2::{Digest, Sha256};
use rsa::signature::{self, Signer, Verifier};
use rsa::traits::PublicKeyParts;
use rsa::{BigUint, Pkcs1v15Sign, RsaPrivateKey, RsaPublicKey};
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};

/// The largest modulus. This bounds the time to verify a signature.
const MOST_BITS: usize = 16_384;

/// The longest public key in PEM; one of the largest modulus takes three quarters of it.
const LONGEST_PUBLIC_KEY: usize = 4_096;

/// The claims of a token, not verified.
pub fn claims<T: DeserializeOwned>(jwt: &str) -> Option<T> {
    let token = jsonwebtoken::dangerous::insecure_decode::<T>(jwt).ok()?;
    (token.header.alg == Algorithm::RS256).then_some(token.claims)
}

/// Whether the token has an RS256 signature by this key.
pub fn is_signed_by(jwt: &str, key: &RsaPublicKey) -> bool {
    provide();
    let [modulus, exponent] = [key.n(), key.e()].map(BigUint::to_bytes_be);
    let key = DecodingKey::from_rsa_raw_components(&modulus, &exponent);
    let mut validation = Validation::new(Algorithm::RS256);
    validation.required_spec_claims.clear();
    validation.validate_exp = false;
    validation.validate_aud = false;
    jsonwebtoken::decode::<IgnoredAny>(jwt, &key, &validation).is_ok()
}

/// A token with these claims, signed.
pub fn sign(claims: &impl Serialize, key: &RsaPrivateKey) -> Option<String> {
    provide();
    let key = EncodingKey::from_rsa_der(key.to_pkcs1_der().ok()?.as_bytes());
    jsonwebtoken::encode(&Header::new(Algorithm::RS256), claims, &key).ok()
}

/// Lets `jsonwebtoken` use the RSA implementation that also generates keys. Its own providers
/// bring every other algorithm, which no app uses.
fn provide() {
    static PROVIDER: CryptoProvider = CryptoProvider {
        signer_factory: |algorithm, key| signer(*algorithm, key),
        verifier_factory: |algorithm, key| verifier(*algorithm, key),
        key_utils: KeyUtils::new_unimplemented(),
    };
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // Nothing else in the process installs one.
        let _ = PROVIDER.install_default();
    });
}

struct Rs256<K>(K);

fn signer(algorithm: Algorithm, key: &EncodingKey) -> JwtResult<Box<dyn JwtSigner>> {
    let key = RsaPrivateKey::from_pkcs1_der(key.as_bytes());
    match (algorithm, key) {
        (Algorithm::RS256, Ok(key)) => Ok(Box::new(Rs256(key))),
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    }
}

fn verifier(algorithm: Algorithm, key: &DecodingKey) -> JwtResult<Box<dyn JwtVerifier>> {
    let DecodingKeyKind::RsaModulusExponent { n, e } = key.kind() else {
        return Err(ErrorKind::InvalidKeyFormat.into());
    };
    let [modulus, exponent] = [n, e].map(|number| BigUint::from_bytes_be(number));
    let key = RsaPublicKey::new_with_max_size(modulus, exponent, MOST_BITS);
    match (algorithm, key) {
        (Algorithm::RS256, Ok(key)) => Ok(Box::new(Rs256(key))),
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    }
}

impl Signer<Vec<u8>> for Rs256<RsaPrivateKey> {
    fn try_sign(&self, message: &[u8]) -> Result<Vec<u8>, signature::Error> {
        let signed = self
            .0
            .sign_with_rng(&mut OsRng, scheme(), &Sha256::digest(message));
        signed.map_err(|_| signature::Error::new())
    }
}

impl JwtSigner for Rs256<RsaPrivateKey> {
    fn algorithm(&self) -> Algorithm {
        Algorithm::RS256
    }
}

impl Verifier<Vec<u8>> for Rs256<RsaPublicKey> {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        let verified = self.0.verify(scheme(), &Sha256::digest(message), signature);
        verified.map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for Rs256<RsaPublicKey> {
    fn algorithm(&self) -> Algorithm {
        Algorithm::RS256
    }
}

/// A public RSA key in PEM, as PKCS #8 or as PKCS #1, without other text around it.
pub fn public_key(text: &str) -> Option<RsaPublicKey> {
    let text = text.trim();
    let alone = text.starts_with("-----BEGIN ")
        && text.ends_with("-----")
        && text.matches("-----").count() == 4;
    if !alone || text.len() > LONGEST_PUBLIC_KEY {
        return None;
    }
    let pem = pem::parse(text).ok()?;
    let der = match pem.tag() {
        "PUBLIC KEY" => {
            let key = SubjectPublicKeyInfoRef::try_from(pem.contents()).ok()?;
            if key.algorithm != pkcs1::ALGORITHM_ID {
                return None;
            }
            key.subject_public_key.as_bytes()?
        }
        "RSA PUBLIC KEY" => pem.contents(),
        _ => return None,
    };
    let key = pkcs1::RsaPublicKey::try_from(der).ok()?;
    let [modulus, exponent] =
        [key.modulus, key.public_exponent].map(|number| BigUint::from_bytes_be(number.as_bytes()));
    RsaPublicKey::new_with_max_size(modulus, exponent, MOST_BITS).ok()
}

/// A private RSA key in PEM, as PKCS #1 or as PKCS #8.
pub fn private_key(text: &[u8]) -> Option<RsaPrivateKey> {
    let pem = pem::parse(text).ok()?;
    match pem.tag() {
        "RSA PRIVATE KEY" => RsaPrivateKey::from_pkcs1_der(pem.contents()).ok(),
        "PRIVATE KEY" => RsaPrivateKey::from_pkcs8_der(pem.contents()).ok(),
        _ => None,
    }
}

fn scheme() -> Pkcs1v15Sign {
    Pkcs1v15Sign::new::<Sha256>()
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use rsa::pkcs1::{EncodeRsaPublicKey, UintRef};
    use rsa::pkcs8::{EncodePrivateKey, EncodePublicKey, LineEnding};
    use serde_json::{Value, json};

    use super::*;

    /// Of no other use.
    const PRIVATE_KEY: &str = "\
-----BEGIN RSA PRIVATE KEY-----
MIICXQIBAAKBgQDGy9PciyMkckbBYJfByLOII4kY+MB/ZjoZ9o5ROURWgpDMKfeF
vTblTQS3e8WR4AmS4MXDxE+9dHRGA27bvlqN0CL9cB+l1vXNwTKyb7hgrF7UW0nB
o3R/YvhwOXQEQa3HifQUy34bpKAXo9Iw88Ikb1vTgOYWi/b+NhmNlWWqEwIDAQAB
AoGBALNPXIycL5mLPgjkwF15U35jVyDgFnmTUqriemIG/n3tjP+qhunpzp8rRire
CEnYw6no9ljrNGWVqd8Q76hjXTbdf2SUSOHZ/oasky23IqZxYxPBhrZTlX6fTP/q
KQESSX1xxl0V39y0lyx2wr4+NFLgzs58ePaawJ04/SRkT2NJAkEA+2sAhksxy3b+
l/52SsmKuGcEEhLyuZrWoPTY/q6U/TQGzHgrJ6bs8ZekR1r6MfGOwcvFIJCJxbCz
SP0WIhXS7wJBAMprUS1QIgJbIDNgocRQTvKs24ES2Mt5vgJq1ncxf0+5a2Tmj5Ci
WY7nEKtes8Ig42Z4tCzuaO491ttYWqLrix0CQQDQZ9kueORU6VWPPqJlyfzQcKxC
IyzKx9wD3hKFwsfDv72m/jGfk9IzTWUitPpSLg8M+9Fy9f0OPzPOW+Rd6sNHAkBm
1SpCSOleJQkw0LCd2OaipmpFIlv80vZSqBAYMY8p41rJwc/BfJje3kg7pzrPLoIX
9s4h3WR1U/kpKbOx/NOJAkBztt+KHGmjxcTchxiyJh6GjWsAW45umtfeoCxGoD+z
m0S4IS2b94gcsOKvxgZYENBP0y6KuSWdcf8Y2Cy9u2as
-----END RSA PRIVATE KEY-----
";

    /// Signed by OpenSSL with this key.
    const CONTENT: &str = "eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJJdjIzZGVtbyJ9";
    const SIGNATURE: &str = "E-0QGwZmFkJAuaKeNBakyrBA0LJEF0cbkkGdultwMpir5Zdr8IPrIv_IPnD89WvXFn3-RSZKXvQ2Wl71\
        JxGZ4XjRIRfel1OxUQA1sa0OJrqDCY6gCKarxXSu2ivkprd8xMgQIK3Kv5v9iUjHiYthUM8UUjyw9Qs_SUt2FMbeZAA";

    fn key() -> RsaPrivateKey {
        private_key(PRIVATE_KEY.as_bytes()).unwrap()
    }

    #[test]
    fn a_signature_equals_that_of_openssl_and_covers_header_and_claims() {
        let (key, claim) = (key(), json!({"iss": "Iv23demo"}));
        let token = format!("{CONTENT}.{SIGNATURE}");
        assert_eq!(sign(&claim, &key).unwrap(), token);
        assert_eq!(claims::<Value>(&token).unwrap(), claim);
        let key = RsaPublicKey::from(&key);
        assert!(is_signed_by(&token, &key));
        let header = |alg: &str| URL_SAFE_NO_PAD.encode(json!({"alg": alg}).to_string());
        let (_, signed_claims) = CONTENT.split_once('.').unwrap();
        for other in [
            format!("{}.{signed_claims}.{SIGNATURE}", header("RS256")),
            format!("{}.{signed_claims}.{SIGNATURE}", header("RS512")),
            format!("{}.{signed_claims}.", header("none")),
            format!("{CONTENT}a.{SIGNATURE}"),
            format!("{CONTENT}.{}", &SIGNATURE[1..]),
            format!("{token}="),
            format!("{CONTENT}."),
            CONTENT.to_owned(),
            SIGNATURE.to_owned(),
        ] {
            assert!(!is_signed_by(&other, &key), "{other}");
        }
        let other_algorithm = format!("{}.{signed_claims}.{SIGNATURE}", header("HS256"));
        assert_eq!(claims::<Value>(&other_algorithm), None);
    }

    #[test]
    fn keys_are_read_from_both_of_their_formats() {
        let key = key();
        let pem = key.to_pkcs8_pem(LineEnding::CRLF).unwrap();
        assert_eq!(private_key(pem.as_bytes()).unwrap(), key);
        let public = RsaPublicKey::from(&key);
        let pem = public.to_pkcs1_pem(LineEnding::LF).unwrap();
        assert_eq!(public_key(&pem).unwrap(), public);
        let pem = public.to_public_key_pem(LineEnding::LF).unwrap();
        assert_eq!(public_key(&pem).unwrap(), public);
        let body = pem.replace('\n', "").replace("KEY-----", "KEY-----\n");
        let long_line = body.replace("-----END", "\n-----END");
        assert_eq!(public_key(&long_line).unwrap(), public);
        for other in [
            &format!("{pem}{pem}"),
            &format!("A key:\n{pem}"),
            PRIVATE_KEY,
        ] {
            assert_eq!(public_key(other), None, "{other}");
        }
        assert_eq!(private_key(pem.as_bytes()), None);
    }

    #[test]
    fn the_size_of_a_public_key_is_bounded() {
        let of_bytes = |count: usize| {
            let modulus = vec![0xff; count];
            let key = pkcs1::RsaPublicKey {
                modulus: UintRef::new(&modulus).unwrap(),
                public_exponent: UintRef::new(&[1, 0, 1]).unwrap(),
            };
            let body = pkcs1::der::Encode::to_der(&key).unwrap();
            pem::encode(&pem::Pem::new("RSA PUBLIC KEY", body))
        };
        assert!(public_key(&of_bytes(MOST_BITS / 8)).is_some());
        assert!(public_key(&of_bytes(MOST_BITS / 8 + 1)).is_none());
        let long = of_bytes(LONGEST_PUBLIC_KEY);
        assert!(long.len() > LONGEST_PUBLIC_KEY && public_key(&long).is_none());
    }
}
