//! JSON web tokens. The corpus has one that was really signed; whatever else
//! passes for signed must say the same.

use forgewright::access::app_jwt::{check_times, claimed, verify};
use forgewright::contract::values::Timestamp;

use super::text;

const KEY: &str = include_str!("../../api/apps/test-only-key.pub.pem");
const SIGNED: &str = include_str!("../corpus/jwt/signed");

pub fn jwt(data: &[u8]) {
    let token = text(data);
    let signed = verify(&token, KEY).is_ok();
    let what = |token: &str| token.rsplit_once('.').map(|(what, _)| what.to_owned());
    assert!(!signed || what(&token) == what(SIGNED), "forged: {token}");
    let Ok(claims) = claimed(&token) else {
        return;
    };
    for now in [0, 1_773_144_000] {
        let early = check_times(&claims, Timestamp(now)).is_ok();
        let late = check_times(&claims, Timestamp(now + 661)).is_ok();
        assert!(!(early && late), "a token lives for ten minutes: {token}");
    }
}
