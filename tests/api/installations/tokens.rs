//! Revocation and expiry of installation tokens.

use std::sync::Arc;

use forge::app::Settings;
use forge::router;
use forgewright::web;
use poem::test::TestClient;
use storage::entropy::SeededEntropy;

use super::start;

const TOKEN: &str = "/installation/token";
const REPOSITORIES: &str = "/installation/repositories";

#[tokio::test]
async fn revoke_installation_token_204_and_the_token_is_invalid_from_then_on() {
    let service = start().await;
    let caller = service.as_("ci-bot-on-acme");
    assert_eq!(caller.delete(TOKEN).await.expect(204).text, "");
    for path in [REPOSITORIES, "/repos/acme/gadgets", "/zen"] {
        let answer = caller.get(path).await.expect(401);
        assert_eq!(answer.message(), "Bad credentials", "{path}");
    }
    caller.delete(TOKEN).await.expect(401);
    service.clock.advance(365 * 86_400);
    caller.get(REPOSITORIES).await.expect(401);
}

#[tokio::test]
async fn revoke_installation_token_204_on_every_server_process_immediately() {
    let service = start().await;
    let other_process = router::app(
        service.app.db.clone(),
        Arc::new(service.clock.clone()),
        Arc::new(SeededEntropy::new(8)),
        Settings::default(),
    );
    let other_process = TestClient::new(web::router(&other_process));
    let get_status = async || {
        let request = other_process.get(REPOSITORIES);
        let request = request.header("Authorization", "Bearer ci-bot-on-acme");
        request.send().await.0.status().as_u16()
    };
    assert_eq!(get_status().await, 200);
    service
        .as_("ci-bot-on-acme")
        .delete(TOKEN)
        .await
        .expect(204);
    assert_eq!(get_status().await, 401);
}

#[tokio::test]
async fn revoke_installation_token_204_keeps_other_tokens_valid() {
    let service = start().await;
    service
        .as_("ci-bot-on-acme")
        .delete(TOKEN)
        .await
        .expect(204);
    service
        .as_("ci-bot-on-vault")
        .get(REPOSITORIES)
        .await
        .expect(200);
}

#[tokio::test]
async fn revoke_installation_token_401_without_a_token() {
    let service = start().await;
    let answer = service.anonymous().delete(TOKEN).await.expect(401);
    assert_eq!(answer.message(), "Requires authentication");
}

#[tokio::test]
async fn revoke_installation_token_403_without_an_installation_token() {
    let service = start().await;
    for token in ["alice-classic", "alice-oauth", "alice-fine", "alice-ci-bot"] {
        let answer = service.as_(token).delete(TOKEN).await.expect(403);
        assert_eq!(
            answer.message(),
            "You must authenticate with an installation access token in order to revoke it."
        );
        service.as_(token).get("/user").await.expect(200);
    }
}

#[tokio::test]
async fn revoke_installation_token_204_when_suspended() {
    let service = start().await;
    let caller = service.as_("suspended-bot");
    caller.get(REPOSITORIES).await.expect(403);
    caller.delete(TOKEN).await.expect(204);
    caller.get(REPOSITORIES).await.expect(401);
}

#[tokio::test]
async fn list_installation_repositories_401_when_the_token_has_expired() {
    let service = start().await;
    let caller = service.as_("ci-bot-on-acme");
    service.clock.advance(3599);
    caller.get(REPOSITORIES).await.expect(200);
    service.clock.advance(1);
    let answer = caller.get(REPOSITORIES).await.expect(401);
    assert_eq!(answer.message(), "Bad credentials");
}
