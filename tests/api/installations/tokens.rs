//! Revoking an installation token, and its hour.

use std::sync::Arc;

use forgewright::app::{App, Settings};
use forgewright::entropy::SeededEntropy;
use forgewright::web;
use poem::test::TestClient;

use super::start;

const TOKEN: &str = "/installation/token";
const OWN: &str = "/installation/repositories";

#[tokio::test]
async fn revoke_installation_token_204_and_never_again() {
    let service = start().await;
    let caller = service.as_("ci-bot-on-acme");
    assert_eq!(caller.delete(TOKEN).await.expect(204).text, "");
    for path in [OWN, "/repos/acme/gadgets", "/zen"] {
        let answer = caller.get(path).await.expect(401);
        assert_eq!(answer.message(), "Bad credentials", "{path}");
    }
    caller.delete(TOKEN).await.expect(401);
    service.clock.advance(365 * 86_400);
    caller.get(OWN).await.expect(401);
}

#[tokio::test]
async fn revoke_installation_token_204_on_every_server_process_at_once() {
    let service = start().await;
    let other = App::new(
        service.app.db.clone(),
        Arc::new(service.clock.clone()),
        Arc::new(SeededEntropy::new(8)),
        Settings::default(),
    );
    let other = TestClient::new(web::router(&other));
    let ask = async || {
        let request = other.get(OWN);
        let answer = request.header("Authorization", "Bearer ci-bot-on-acme");
        answer.send().await.0.status().as_u16()
    };
    assert_eq!(ask().await, 200);
    service
        .as_("ci-bot-on-acme")
        .delete(TOKEN)
        .await
        .expect(204);
    assert_eq!(ask().await, 401);
}

#[tokio::test]
async fn revoke_installation_token_204_leaves_other_tokens_alone() {
    let service = start().await;
    service
        .as_("ci-bot-on-acme")
        .delete(TOKEN)
        .await
        .expect(204);
    service.as_("ci-bot-on-vault").get(OWN).await.expect(200);
}

#[tokio::test]
async fn revoke_installation_token_401_without_a_token() {
    let service = start().await;
    let answer = service.anonymous().delete(TOKEN).await.expect(401);
    assert_eq!(answer.message(), "Requires authentication");
}

#[tokio::test]
async fn revoke_installation_token_403_with_any_other_token() {
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
async fn revoke_installation_token_403_when_suspended() {
    let service = start().await;
    let answer = service.as_("suspended-bot").delete(TOKEN).await.expect(403);
    assert_eq!(answer.message(), "This installation has been suspended");
}

#[tokio::test]
async fn list_installation_repositories_401_when_the_hour_of_the_token_is_over() {
    let service = start().await;
    let caller = service.as_("ci-bot-on-acme");
    service.clock.advance(3599);
    caller.get(OWN).await.expect(200);
    service.clock.advance(1);
    let answer = caller.get(OWN).await.expect(401);
    assert_eq!(answer.message(), "Bad credentials");
}
