//! Adding repositories to an installation, and removing them.

use forge::app::Settings;
use sea_orm::{EntityTrait, PaginatorTrait, QueryFilter};
use storage::entities::installation_repository;

use super::{ids, start};
use crate::harness::Service;

fn path(installation: i64, repository: i64) -> String {
    format!("/user/installations/{installation}/repositories/{repository}")
}

async fn installed_repositories(service: &Service) -> Vec<i64> {
    let caller = service.as_("ci-bot-on-acme");
    let answer = caller.get("/installation/repositories").await.expect(200);
    ids(&answer, "repositories")
}

#[tokio::test]
async fn add_installation_repository_204_idempotently() {
    let service = start().await;
    let caller = service.as_("alice-classic");
    service.clock.advance(60);
    assert_eq!(caller.put(&path(7001, 2004)).await.expect(204).text, "");
    assert_eq!(installed_repositories(&service).await, [2001, 2002, 2004]);
    service.clock.advance(60);
    caller.put(&path(7001, 2004)).await.expect(204);
    assert_eq!(installed_repositories(&service).await, [2001, 2002, 2004]);
    let answer = service.as_("alice-ci-bot").get("/user/installations").await;
    let installation = &answer.expect(200).json()["installations"][0];
    assert_eq!(installation["updated_at"], "2026-03-10T09:31:00Z");
}

#[tokio::test]
async fn add_installation_repository_204_without_a_change_when_the_app_is_on_all_repositories() {
    let service = start().await;
    let caller = service.as_("alice-classic");
    caller.put(&path(7002, 2003)).await.expect(204);
    let rows = installation_repository::Entity::find()
        .filter(installation_repository::COLUMN.installation_id.eq(7002))
        .count(service.app.db.reads())
        .await
        .unwrap();
    assert_eq!(rows, 0);
}

#[tokio::test]
async fn add_installation_repository_401_without_a_token() {
    let service = start().await;
    service.anonymous().put(&path(7001, 2004)).await.expect(401);
}

#[tokio::test]
async fn add_installation_repository_403_without_a_classic_token_with_the_repo_scope() {
    let service = start().await;
    for (token, message) in [
        (
            "alice-fine",
            "Resource not accessible by personal access token",
        ),
        ("alice-ci-bot", "Resource not accessible by integration"),
        ("ci-bot-on-acme", "Resource not accessible by integration"),
        (
            "alice-oauth",
            "You must authenticate with a personal access token (classic)",
        ),
        (
            "alice-public-only",
            "Your token has not been granted the required scopes to execute this operation",
        ),
    ] {
        let answer = service.as_(token).put(&path(7001, 2004)).await.expect(403);
        assert_eq!(answer.message(), message, "{token}");
    }
    assert_eq!(installed_repositories(&service).await, [2001, 2002]);
}

#[tokio::test]
async fn add_installation_repository_403_when_the_user_is_not_an_admin_of_the_repository() {
    let service = start().await;
    for (token, repository) in [
        ("bob-classic", 2004),
        ("carol-classic", 2001),
        ("mallory-classic", 2002),
    ] {
        let answer = service.as_(token).put(&path(7001, repository)).await;
        assert_eq!(
            answer.expect(403).message(),
            "Must have admin rights to Repository.",
            "{token}"
        );
    }
}

#[tokio::test]
async fn add_installation_repository_403_when_suspended() {
    let world = super::WORLD.replace(
        "repositories: [widgets, gadgets]}",
        "repositories: [widgets, gadgets], suspended_by: alice}",
    );
    let service = Service::with(&world, Settings::default()).await;
    let answer = service.as_("alice-classic").put(&path(7001, 2004)).await;
    assert_eq!(
        answer.expect(403).message(),
        "This installation has been suspended"
    );
}

#[tokio::test]
async fn add_installation_repository_404_when_installation_or_repository_is_absent_or_hidden() {
    let service = start().await;
    for (token, installation, repository) in [
        ("alice-classic", 7001, 9999),
        ("alice-classic", 9999, 2004),
        ("alice-classic", 7001, 2003),
        ("alice-classic", 7003, 2004),
        ("mallory-classic", 7001, 2004),
    ] {
        let answer = service
            .as_(token)
            .put(&path(installation, repository))
            .await;
        let answer = answer.expect(404);
        assert_eq!(answer.message(), "Not Found", "{installation} {repository}");
    }
}

#[tokio::test]
async fn remove_installation_repository_204_when_another_repository_remains() {
    let service = start().await;
    let caller = service.as_("alice-classic");
    assert_eq!(caller.delete(&path(7001, 2001)).await.expect(204).text, "");
    assert_eq!(installed_repositories(&service).await, [2002]);
    let bot = service.as_("ci-bot-on-acme");
    bot.get("/repos/acme/widgets").await.expect(404);
    caller.put(&path(7001, 2001)).await.expect(204);
    bot.get("/repos/acme/widgets").await.expect(200);
}

#[tokio::test]
async fn remove_installation_repository_401_without_a_token() {
    let service = start().await;
    service
        .anonymous()
        .delete(&path(7001, 2001))
        .await
        .expect(401);
}

#[tokio::test]
async fn remove_installation_repository_403_with_any_other_kind_of_token_scope_or_role() {
    let service = start().await;
    for token in [
        "alice-fine",
        "alice-ci-bot",
        "ci-bot-on-acme",
        "alice-oauth",
        "alice-public-only",
        "bob-classic",
        "carol-classic",
    ] {
        service
            .as_(token)
            .delete(&path(7001, 2001))
            .await
            .expect(403);
    }
    assert_eq!(installed_repositories(&service).await, [2001, 2002]);
}

#[tokio::test]
async fn remove_installation_repository_404_when_the_repository_is_not_in_the_installation() {
    let service = start().await;
    let caller = service.as_("alice-classic");
    for (installation, repository) in [(7001, 2004), (9999, 2001), (7001, 9999), (7003, 2001)] {
        caller
            .delete(&path(installation, repository))
            .await
            .expect(404);
    }
    service
        .as_("mallory-classic")
        .delete(&path(7001, 2001))
        .await
        .expect(404);
}

#[tokio::test]
async fn remove_installation_repository_422_when_the_app_is_on_all_repositories() {
    let service = start().await;
    let answer = service.as_("alice-classic").delete(&path(7002, 2003)).await;
    assert_eq!(
        answer.expect(422).message(),
        "The app is installed on all repositories, so none of them can be removed."
    );
}

#[tokio::test]
async fn remove_installation_repository_422_when_it_is_the_last_repository() {
    let service = start().await;
    let caller = service.as_("alice-classic");
    caller.delete(&path(7001, 2001)).await.expect(204);
    let answer = caller.delete(&path(7001, 2002)).await.expect(422);
    assert_eq!(
        answer.message(),
        "The last repository of an installation cannot be removed."
    );
    assert_eq!(installed_repositories(&service).await, [2002]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn remove_installation_repository_422_for_one_of_two_concurrent_removals_of_the_last_two() {
    let service = start().await;
    let caller = service.as_("alice-classic");
    for _ in 0..10 {
        let (first, second) = tokio::join!(
            caller.delete("/user/installations/7001/repositories/2001"),
            caller.delete("/user/installations/7001/repositories/2002"),
        );
        let mut statuses = [first.status.as_u16(), second.status.as_u16()];
        statuses.sort_unstable();
        assert_eq!(statuses, [204, 422]);
        assert_eq!(installed_repositories(&service).await.len(), 1);
        for repository in [2001, 2002] {
            caller.put(&path(7001, repository)).await.expect(204);
        }
    }
}
