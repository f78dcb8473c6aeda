//! JSON web tokens. The corpus contains one with a valid signature; any other token that
//! verifies must have the same content.

use contract::values::Timestamp;
use forge::access::app_jwt::{check_times, claimed, verify};

use super::text;

const KEY: &str = include_str!("../../api/apps/test-only-key.pub.pem");
const SIGNED: &str = include_str!("../corpus/jwt/signed");

pub fn jwt(data: &[u8]) {
    let token = text(data);
    let signed = verify(&token, KEY).is_ok();
    let content = |token: &str| {
        token
            .rsplit_once('.')
            .map(|(content, _)| content.to_owned())
    };
    assert!(
        !signed || content(&token) == content(SIGNED),
        "forged: {token}"
    );
    let Ok(claims) = claimed(&token) else {
        return;
    };
    for now in [0, 1_773_144_000] {
        let early = check_times(&claims, Timestamp(now)).is_ok();
        let late = check_times(&claims, Timestamp(now + 661)).is_ok();
        assert!(!(early && late), "valid for more than ten minutes: {token}");
    }
}
