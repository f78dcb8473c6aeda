//! The claims that an app must sign, and the errors for other tokens.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use super::{claims, now, signed, start};

const UNDECODABLE: &str = "A JSON web token could not be decoded";

const PATHS: [&str; 6] = [
    "/app",
    "/app/installations",
    "/app/installations/7001",
    "/orgs/acme/installation",
    "/users/alice/installation",
    "/repos/acme/widgets/installation",
];

fn claims_with(key: &str, value: Value) -> Value {
    let mut claims = claims();
    claims[key] = value;
    claims
}

#[tokio::test]
async fn get_app_200_for_the_claims_that_client_libraries_sign() {
    let service = start().await;
    for claims in [
        json!({"iat": now() - 30, "exp": now() + 570, "iss": 6001}),
        json!({"iat": now() - 60, "exp": now() + 300, "iss": "6001"}),
        json!({"iat": now() - 60, "exp": now() + 600, "iss": "Iv23ciBot"}),
        json!({"iat": now() + 60, "exp": now() + 600, "iss": "Iv23ciBot"}),
        json!({"iat": now() as f64 - 0.5, "exp": now() as f64 + 60.5, "iss": 6001}),
    ] {
        service.as_(&signed(&claims)).get("/app").await.expect(200);
    }
    let jwt = signed(&claims());
    for scheme in ["Bearer", "bearer", "BEARER"] {
        let caller = service.anonymous();
        let caller = caller.header("Authorization", format!("{scheme} {jwt}"));
        caller.get("/app").await.expect(200);
    }
}

#[tokio::test]
async fn get_app_401_when_the_claims_are_wrong() {
    let service = start().await;
    let expired = "'Expiration time' claim ('exp') must be a numeric value representing the \
                   future time at which the assertion expires";
    let too_late = "'Expiration time' claim ('exp') is too far in the future";
    let not_yet = "'Issued at' claim ('iat') must be an Integer representing the time that the \
                   assertion was issued";
    for (claims, message) in [
        (claims_with("exp", json!(now())), expired),
        (claims_with("exp", json!("soon")), expired),
        (claims_with("exp", Value::Null), expired),
        (claims_with("exp", json!(now() + 601)), too_late),
        (claims_with("iat", json!(now() + 61)), not_yet),
        (claims_with("iat", json!("today")), not_yet),
        (
            claims_with("iss", json!("nobody")),
            "'Issuer' claim ('iss') must be an Integer",
        ),
        (
            claims_with("iss", json!("a\u{0}b")),
            "'Issuer' claim ('iss') must be an Integer",
        ),
        (
            claims_with("iss", Value::Null),
            "Missing 'issuer' claim ('iss') in assertion",
        ),
        (claims_with("iss", json!(9999)), "Integration not found"),
        (claims_with("iss", json!("Iv23other")), UNDECODABLE),
    ] {
        let answer = service.as_(&signed(&claims)).get("/app").await.expect(401);
        assert_eq!(answer.message(), message, "{claims}");
        assert_eq!(
            answer.json()["documentation_url"],
            "https://docs.github.com/rest"
        );
    }
}

#[tokio::test]
async fn get_app_401_when_the_jwt_is_forged_unsigned_or_truncated() {
    let service = start().await;
    let jwt = signed(&claims());
    let mut parts: Vec<_> = jwt.split('.').collect();
    let other = claims_with("iss", json!(6001));
    let other = URL_SAFE_NO_PAD.encode(other.to_string());
    parts[1] = &other;
    let forged = parts.join(".");
    let none = URL_SAFE_NO_PAD.encode("{\"alg\":\"none\"}");
    let unsigned = format!("{none}.{}.", jwt.split('.').nth(1).unwrap());
    let encode = |text: String| URL_SAFE_NO_PAD.encode(text);
    let header = encode("{\"typ\":\"JWT\",\"alg\":\"HS256\"}".to_owned());
    let content = format!("{header}.{}", encode(claims().to_string()));
    let mut shared = Hmac::<Sha256>::new_from_slice(super::PUBLIC_KEY.as_bytes()).unwrap();
    shared.update(content.as_bytes());
    let code = shared.finalize().into_bytes();
    let confused = format!("{content}.{}", URL_SAFE_NO_PAD.encode(code));
    let cut = jwt[..jwt.len() - 8].to_owned();
    for token in [forged, unsigned, confused, cut, "eyJ.eyJ.x".to_owned()] {
        let answer = service.as_(&token).get("/app").await.expect(401);
        assert_eq!(answer.message(), UNDECODABLE, "{token}");
    }
}

#[tokio::test]
async fn get_app_401_when_the_scheme_is_not_bearer() {
    let service = start().await;
    let caller = service.anonymous();
    let caller = caller.header("Authorization", format!("token {}", signed(&claims())));
    caller.get("/app").await.expect(401);
}

#[tokio::test]
async fn every_app_operation_is_401_with_any_other_token() {
    let service = start().await;
    for path in PATHS {
        for token in ["alice-classic", "alice-ci-bot", "ci-bot-on-acme"] {
            let answer = service.as_(token).get(path).await.expect(401);
            assert_eq!(answer.message(), UNDECODABLE, "{token} at {path}");
        }
        let answer = service.anonymous().get(path).await.expect(401);
        assert_eq!(answer.message(), "Requires authentication", "{path}");
    }
}

#[tokio::test]
async fn a_jwt_is_refused_where_an_access_token_is_needed() {
    let service = start().await;
    let caller = service.as_(&signed(&claims()));
    for path in ["/user", "/user/installations", "/installation/repositories"] {
        caller.get(path).await.expect(403);
    }
    caller.get("/repos/acme/widgets").await.expect(404);
    caller.get("/repos/acme/gadgets").await.expect(200);
}
