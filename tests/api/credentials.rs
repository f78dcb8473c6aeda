//! Credentials: which are accepted, which are refused, and with which message.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use forge::app::Settings;

use crate::harness::{Service, WORLD};

#[tokio::test]
async fn both_schemes_are_case_insensitive() {
    let service = Service::start().await;
    for scheme in ["Bearer", "bearer", "BEARER", "token", "Token"] {
        let caller = service
            .anonymous()
            .header("Authorization", format!("{scheme} alice-classic"));
        let answer = caller.get("/").await.expect(200);
        let scopes = answer.header("x-oauth-scopes");
        assert_eq!(
            scopes,
            Some("admin:org, project, repo, workflow"),
            "{scheme}"
        );
    }
}

#[tokio::test]
async fn basic_authentication_accepts_a_token_as_user_name_or_as_password() {
    let service = Service::start().await;
    for credentials in [
        "alice:alice-classic",
        "x-access-token:alice-classic",
        "alice-classic:",
        "alice-classic:x-oauth-basic",
    ] {
        let basic = format!("Basic {}", STANDARD.encode(credentials));
        let caller = service.anonymous().header("Authorization", basic);
        for path in ["/user", "/repos/acme/widgets"] {
            caller.get(path).await.expect(200);
        }
    }
    for credentials in ["alice:wrong", "nobody:", "alice-classic:wrong", "alice"] {
        let basic = format!("Basic {}", STANDARD.encode(credentials));
        let caller = service.anonymous().header("Authorization", basic);
        let answer = caller.get("/versions").await.expect(401);
        assert_eq!(answer.message(), "Bad credentials", "{credentials}");
    }
}

#[tokio::test]
async fn an_invalid_credential_is_401_everywhere() {
    let service = Service::start().await;
    for value in [
        "Bearer nobody",
        "token nobody",
        "Bearer",
        "Basic eDp5",
        "Bearer ",
        "nobody",
        "Bearer a b",
    ] {
        let caller = service.anonymous().header("Authorization", value);
        for path in [
            "/",
            "/versions",
            "/nowhere",
            "/repos/acme/gadgets/git/ref/heads/main",
        ] {
            let answer = caller.get(path).await.expect(401);
            assert_eq!(answer.message(), "Bad credentials", "{value} on {path}");
            assert_eq!(
                answer.json()["documentation_url"],
                "https://docs.github.com/rest"
            );
        }
    }
}

#[tokio::test]
async fn an_installation_token_expires_after_an_hour() {
    let service = Service::start().await;
    let caller = service.as_("ci-bot-installation");
    caller.get("/").await.expect(200);
    service.clock.advance(3599);
    caller.get("/").await.expect(200);
    service.clock.advance(1);
    assert_eq!(
        caller.get("/").await.expect(401).message(),
        "Bad credentials"
    );
}

#[tokio::test]
async fn a_json_web_token_needs_the_bearer_scheme() {
    let service = Service::start().await;
    let jwt = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiI2MDAxIn0.c2lnbmF0dXJl";
    let bearer = service
        .anonymous()
        .header("Authorization", format!("Bearer {jwt}"));
    let message = bearer.get("/").await.expect(401).message();
    assert_eq!(message, "A JSON web token could not be decoded");
    let token = service
        .anonymous()
        .header("Authorization", format!("token {jwt}"));
    assert_eq!(
        token.get("/").await.expect(401).message(),
        "Bad credentials"
    );
}

#[tokio::test]
async fn a_header_says_when_a_personal_access_token_expires() {
    let world = WORLD
        .replace(
            "value: alice-classic}",
            "expires_at: 2026-04-01T12:00:05Z, value: alice-classic}",
        )
        .replace(
            "value: alice-fine}",
            "expires_at: 2026-04-02T00:00:00Z, value: alice-fine}",
        );
    let service = Service::with(&world, Settings::default()).await;
    for (token, expected) in [
        ("alice-classic", Some("2026-04-01 12:00:05 UTC")),
        ("alice-fine", Some("2026-04-02 00:00:00 UTC")),
        ("alice-scopeless", None),
        ("ci-bot-installation", None),
    ] {
        for path in ["/", "/repos/acme/gadgets", "/repos/acme/nothing"] {
            let answer = service.as_(token).get(path).await;
            let expiration = answer.header("github-authentication-token-expiration");
            assert_eq!(expiration, expected, "{token} on {path}");
        }
    }
}

#[tokio::test]
async fn the_scopes_header_depends_on_the_kind_of_token() {
    let service = Service::start().await;
    for (token, scopes) in [
        ("alice-scopeless", Some("")),
        ("bob-oauth", Some("read:org, read:project, repo")),
        ("alice-fine", None),
        ("alice-app-user", Some("")),
        ("ci-bot-installation", None),
    ] {
        let answer = service.as_(token).get("/").await.expect(200);
        assert_eq!(answer.header("x-oauth-scopes"), scopes, "{token}");
    }
    let answer = service.as_("alice-app-user").get("/").await;
    assert_eq!(answer.header("x-oauth-client-id"), Some("Iv23ciBot"));
}

#[tokio::test]
async fn two_authorization_headers_are_400() {
    let service = Service::start().await;
    for second in ["Bearer alice-classic", "Bearer nobody", ""] {
        let caller = service.as_("alice-classic").header("Authorization", second);
        let answer = caller.get("/versions").await.expect(400);
        let expected = "The request has more than one Authorization header";
        assert_eq!(answer.message(), expected);
    }
}
