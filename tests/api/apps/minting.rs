//! New installation tokens, with full and with narrowed access.

use poem::http::Method;
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::{Value, json};
use storage::entities::token;

use super::{as_app, now, signed, start};
use crate::harness::{Answer, Service};

const MINT: &str = "/app/installations/7001/access_tokens";

async fn mint(service: &Service, body: Value) -> Answer {
    as_app(service).post(MINT, body).await
}

/// The repositories that a new token lists, and its selection.
async fn accessible_repositories(service: &Service, minted: &Answer) -> (Vec<i64>, Value) {
    let token = minted.json()["token"].as_str().unwrap().to_owned();
    let answer = service.as_(&token).get("/installation/repositories").await;
    let body = answer.expect(200).json();
    let repositories = body["repositories"].as_array().unwrap().iter();
    let ids = repositories
        .map(|repository| repository["id"].as_i64().unwrap())
        .collect();
    (ids, body["repository_selection"].clone())
}

#[tokio::test]
async fn create_installation_token_201_with_full_access_without_a_body() {
    let service = start().await;
    for body in [None, Some(""), Some("{}"), Some("{\"permissions\": {}}")] {
        let body = body.map(str::to_owned);
        let answer = as_app(&service).send(Method::POST, MINT, body).await;
        let answer = answer.expect(201);
        let token = answer.json();
        assert!(token["token"].as_str().unwrap().starts_with("ghs_"));
        assert_eq!(token["expires_at"], "2026-03-10T10:30:00Z");
        assert_eq!(
            token["permissions"],
            json!({"contents": "write", "metadata": "read", "pull_requests": "read"})
        );
        assert_eq!(token["repository_selection"], "selected");
        assert_eq!(token.get("repositories"), None);
        let (ids, selection) = accessible_repositories(&service, &answer).await;
        assert_eq!((ids, selection), (vec![2001, 2002], json!("selected")));
    }
}

#[tokio::test]
async fn create_installation_token_201_deletes_tokens_that_expired_a_day_ago() {
    let service = start().await;
    let minted = mint(&service, json!({})).await.expect(201).json();
    let expired = async || {
        token::Entity::find()
            .filter(token::Column::InstallationId.eq(7001))
            .filter(token::Column::ExpiresAt.lte(now() + 3600))
            .count(service.app.db.reads())
            .await
            .unwrap()
    };
    for (hours, kept) in [(24, true), (2, false)] {
        service.clock.advance(hours * 3600);
        let at = service.app.clock.now().0;
        let claims = json!({"iat": at - 60, "exp": at + 540, "iss": "Iv23ciBot"});
        let app = service.as_(&signed(&claims));
        app.post(MINT, json!({})).await.expect(201);
        assert_eq!(expired().await > 0, kept, "{hours}");
        let token = minted["token"].as_str().unwrap();
        let list = service.as_(token).get("/installation/repositories").await;
        list.expect(401);
    }
}

#[tokio::test]
async fn create_installation_token_201_for_all_repositories_of_an_account() {
    let service = start().await;
    let path = "/app/installations/7002/access_tokens";
    let answer = as_app(&service).post(path, json!({})).await.expect(201);
    assert_eq!(answer.json()["repository_selection"], "all");
    assert_eq!(
        accessible_repositories(&service, &answer).await,
        (vec![2003], json!("all"))
    );
}

#[tokio::test]
async fn create_installation_token_201_narrowed_to_some_repositories() {
    let service = start().await;
    for body in [
        json!({"repositories": ["Widgets"]}),
        json!({"repository_ids": [2001]}),
        json!({"repositories": ["widgets"], "repository_ids": [2001]}),
    ] {
        let answer = mint(&service, body).await.expect(201);
        let token = answer.json();
        assert_eq!(token["repository_selection"], "selected");
        assert_eq!(token["repositories"].as_array().unwrap().len(), 1);
        assert_eq!(token["repositories"][0]["full_name"], "acme/widgets");
        let (ids, selection) = accessible_repositories(&service, &answer).await;
        assert_eq!((ids, selection), (vec![2001], json!("selected")));
    }
    let both = json!({"repositories": ["widgets"], "repository_ids": [2002]});
    let both = mint(&service, both).await.expect(201);
    assert_eq!(
        accessible_repositories(&service, &both).await.0,
        [2001, 2002]
    );
    let none = json!({"repositories": [], "repository_ids": []});
    let none = mint(&service, none).await.expect(201);
    assert_eq!(
        accessible_repositories(&service, &none).await.0,
        [2001, 2002]
    );
}

#[tokio::test]
async fn create_installation_token_201_narrowed_loses_a_repository_that_its_installation_loses() {
    let service = start().await;
    let body = json!({"repositories": ["widgets"]});
    let answer = mint(&service, body).await.expect(201);
    let removal = "/user/installations/7001/repositories/2001";
    service
        .as_("alice-classic")
        .delete(removal)
        .await
        .expect(204);
    assert_eq!(accessible_repositories(&service, &answer).await.0, [0; 0]);
    let token = answer.json()["token"].as_str().unwrap().to_owned();
    service
        .as_(&token)
        .get("/repos/acme/widgets")
        .await
        .expect(404);
}

#[tokio::test]
async fn create_installation_token_201_narrowed_to_some_permissions_keeps_metadata() {
    let service = start().await;
    let body = json!({"permissions": {"contents": "read"}});
    let answer = mint(&service, body).await.expect(201);
    assert_eq!(
        answer.json()["permissions"],
        json!({"contents": "read", "metadata": "read"})
    );
    let token = answer.json()["token"].as_str().unwrap().to_owned();
    let caller = service.as_(&token);
    caller.get("/repos/acme/widgets").await.expect(200);
    let comments = "/repos/acme/widgets/pulls/comments";
    let answer = caller.get(comments).await.expect(403);
    assert_eq!(answer.message(), "Resource not accessible by integration");
}

#[tokio::test]
async fn create_installation_token_201_with_the_single_files_of_that_permission() {
    let service = start().await;
    let keys = [
        "single_file",
        "has_multiple_single_files",
        "single_file_paths",
    ];
    let shown = |answer: Answer| {
        let token = answer.expect(201).json();
        keys.map(|key| token.get(key).cloned())
    };
    assert_eq!(shown(mint(&service, json!({})).await), [None, None, None]);
    for (paths, first, several) in [
        (json!([]), None, false),
        (json!([".ci.yml"]), Some(json!(".ci.yml")), false),
        (
            json!([".ci.yml", "docs/ci.md"]),
            Some(json!(".ci.yml")),
            true,
        ),
    ] {
        let permissions = json!({"contents": "read", "metadata": "read", "single_file": "read"});
        let sql = format!(
            "UPDATE installation SET permissions = '{permissions}', single_file_paths = '{paths}' \
             WHERE id = 7001"
        );
        service.execute(&sql).await;
        let expected = [first, Some(json!(several)), Some(paths)];
        assert_eq!(shown(mint(&service, json!({})).await), expected);
        let narrowed = json!({"permissions": {"contents": "read"}});
        assert_eq!(shown(mint(&service, narrowed).await), [None, None, None]);
    }
}

#[tokio::test]
async fn create_installation_token_201_expires_after_an_hour() {
    let service = start().await;
    let answer = mint(&service, json!({})).await.expect(201);
    let token = answer.json()["token"].as_str().unwrap().to_owned();
    let caller = service.as_(&token);
    service.clock.advance(3599);
    caller.get("/installation/repositories").await.expect(200);
    service.clock.advance(1);
    let answer = caller.get("/installation/repositories").await.expect(401);
    assert_eq!(answer.message(), "Bad credentials");
}

#[tokio::test]
async fn create_installation_token_201_can_be_revoked_without_revoking_others() {
    let service = start().await;
    let first = mint(&service, json!({})).await.expect(201);
    let second = mint(&service, json!({})).await.expect(201);
    assert_ne!(first.json()["token"], second.json()["token"]);
    let token = first.json()["token"].as_str().unwrap().to_owned();
    service
        .as_(&token)
        .delete("/installation/token")
        .await
        .expect(204);
    service
        .as_(&token)
        .delete("/installation/token")
        .await
        .expect(401);
    assert_eq!(
        accessible_repositories(&service, &second).await.0,
        [2001, 2002]
    );
}

#[tokio::test]
async fn create_installation_token_400_when_the_body_cannot_be_parsed() {
    let service = start().await;
    for (body, message) in [
        ("{", "Problems parsing JSON"),
        (
            "{\"permissions\": \"invalid_data\"}",
            "Problems parsing JSON",
        ),
        ("[]", "Body should be a JSON object"),
    ] {
        let body = Some(body.to_owned());
        let answer = as_app(&service).send(Method::POST, MINT, body).await;
        assert_eq!(answer.expect(400).message(), message);
    }
}

#[tokio::test]
async fn create_installation_token_401_with_any_other_token() {
    let service = start().await;
    for token in ["alice-classic", "alice-ci-bot", "ci-bot-on-acme"] {
        let answer = service.as_(token).post(MINT, json!({})).await.expect(401);
        assert_eq!(answer.message(), "A JSON web token could not be decoded");
    }
    service.anonymous().post(MINT, json!({})).await.expect(401);
}

#[tokio::test]
async fn create_installation_token_403_when_suspended() {
    let service = start().await;
    let path = "/app/installations/7003/access_tokens";
    let answer = as_app(&service).post(path, json!({})).await.expect(403);
    assert_eq!(answer.message(), "This installation has been suspended");
}

#[tokio::test]
async fn create_installation_token_404_when_the_installation_belongs_to_another_app_or_is_absent() {
    let service = start().await;
    for installation in [7004, 9999] {
        let path = format!("/app/installations/{installation}/access_tokens");
        let answer = as_app(&service).post(&path, json!({})).await.expect(404);
        assert_eq!(answer.message(), "Not Found");
    }
}

#[tokio::test]
async fn create_installation_token_422_when_a_permission_is_not_granted() {
    let service = start().await;
    for permissions in [
        json!({"pull_requests": "write"}),
        json!({"issues": "read"}),
        json!({"contents": "admin"}),
    ] {
        let answer = mint(&service, json!({"permissions": permissions})).await;
        assert_eq!(
            answer.expect(422).message(),
            "The permissions requested are not granted to this installation."
        );
    }
    let answer = mint(&service, json!({"permissions": {"contents": "all"}})).await;
    assert!(answer.expect(422).message().starts_with("Invalid request."));
}

#[tokio::test]
async fn create_installation_token_422_when_a_repository_is_not_installed() {
    let service = start().await;
    for body in [
        json!({"repositories": ["gizmos"]}),
        json!({"repositories": ["widgets", "nothing"]}),
        json!({"repositories": ["acme/widgets"]}),
        json!({"repository_ids": [2003]}),
        json!({"repository_ids": [2001, 2004]}),
    ] {
        let answer = mint(&service, body).await.expect(422);
        assert_eq!(
            answer.message(),
            "There is at least one repository that does not exist or is not accessible to the \
             parent installation."
        );
    }
}

#[tokio::test]
async fn create_installation_token_422_when_there_are_too_many_repositories() {
    let service = start().await;
    let many: Vec<_> = (1..=501).collect();
    let answer = mint(&service, json!({"repository_ids": many})).await;
    let message = answer.expect(422).message();
    assert!(message.contains("No more than 500 items"), "{message}");
    let some: Vec<_> = (1..=300).collect();
    let names: Vec<_> = (1..=300).map(|number| format!("r{number}")).collect();
    let answer = mint(
        &service,
        json!({"repository_ids": some, "repositories": names}),
    )
    .await;
    answer.expect(422);
}
