//! The repositories of an installation that a user can access.

use serde_json::Value;

use super::{ids, permissions, start};

fn repositories_of(installation: i64) -> String {
    format!("/user/installations/{installation}/repositories")
}

#[tokio::test]
async fn list_user_installation_repositories_200_with_the_permissions_of_the_user() {
    let service = start().await;
    let all = ["admin", "maintain", "push", "triage", "pull"].as_slice();
    for (token, installation, expected) in [
        ("alice-ci-bot", 7001, vec![(2001, all), (2002, all)]),
        ("alice-ci-bot", 7002, vec![(2003, all)]),
        ("dana-ci-bot", 7003, vec![(2005, all), (2006, all)]),
        (
            "bob-ci-bot",
            7001,
            vec![(2001, ["pull"].as_slice()), (2002, ["pull"].as_slice())],
        ),
        (
            "bob-ci-bot",
            7003,
            vec![(2006, ["triage", "pull"].as_slice())],
        ),
        (
            "carol-ci-bot",
            7001,
            vec![(2001, ["push", "triage", "pull"].as_slice())],
        ),
    ] {
        let answer = service
            .as_(token)
            .get(&repositories_of(installation))
            .await
            .expect(200);
        let body = answer.json();
        let listed: Vec<_> = body["repositories"]
            .as_array()
            .unwrap()
            .iter()
            .map(|repository| (repository["id"].as_i64().unwrap(), permissions(repository)))
            .collect();
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(id, granted)| (id, granted.iter().map(|&name| name.to_owned()).collect()))
            .collect();
        assert_eq!(listed, expected, "{token} in {installation}");
        assert_eq!(body["total_count"], expected.len());
        assert_eq!(body["repositories"][0].get("custom_properties"), None);
    }
}

#[tokio::test]
async fn list_user_installation_repositories_200_page_by_page() {
    let service = start().await;
    let caller = service.as_("alice-ci-bot");
    let path = format!("{}?per_page=1&page=2", repositories_of(7001));
    let second = caller.get(&path).await.expect(200);
    assert_eq!(ids(&second, "repositories"), [2002]);
    assert_eq!(second.json()["total_count"], 2);
    let past = caller
        .get(&format!("{}?page=3", repositories_of(7001)))
        .await;
    assert_eq!(ids(&past.expect(200), "repositories"), [0; 0]);
}

#[tokio::test]
async fn list_user_installation_repositories_304_when_nothing_changed() {
    let service = start().await;
    let caller = service.as_("carol-ci-bot");
    let answer = caller.get(&repositories_of(7001)).await.expect(200);
    let tag = answer.header("etag").unwrap();
    caller
        .header("If-None-Match", tag)
        .get(&repositories_of(7001))
        .await
        .expect(304);
}

#[tokio::test]
async fn list_user_installation_repositories_401_without_a_token() {
    let service = start().await;
    service
        .anonymous()
        .get(&repositories_of(7001))
        .await
        .expect(401);
}

#[tokio::test]
async fn list_user_installation_repositories_200_with_any_token_of_a_user() {
    let service = start().await;
    for (token, installation, expected) in [
        ("alice-classic", 7001, vec![2001, 2002]),
        ("alice-classic", 7004, vec![2001, 2002, 2004]),
        ("alice-classic", 7002, vec![2003]),
        ("alice-oauth", 7001, vec![2001, 2002]),
        ("alice-public-only", 7001, vec![2002]),
        ("alice-fine", 7004, vec![2001, 2002, 2004]),
        ("alice-fine-gizmos", 7004, vec![2002, 2004]),
        ("alice-fine-public", 7004, vec![2002]),
        ("bob-classic", 7003, vec![2006]),
        ("carol-classic", 7001, vec![2001]),
    ] {
        let answer = service.as_(token).get(&repositories_of(installation)).await;
        let answer = answer.expect(200);
        let found = ids(&answer, "repositories");
        assert_eq!(found, expected, "{token} in {installation}");
        assert_eq!(answer.json()["total_count"], expected.len());
    }
}

#[tokio::test]
async fn list_user_installation_repositories_200_follows_the_selection_of_a_fine_grained_token() {
    let service = start().await;
    let caller = service.as_("alice-fine-gizmos");
    let path = repositories_of(7001);
    let listed = caller.get(&path).await.expect(200);
    assert_eq!(ids(&listed, "repositories"), [2002]);
    let administrator = service.as_("alice-classic");
    let added = "/user/installations/7001/repositories/2004";
    administrator.put(added).await.expect(204);
    let listed = caller.get(&path).await.expect(200);
    assert_eq!(ids(&listed, "repositories"), [2002, 2004]);
}

#[tokio::test]
async fn list_user_installation_repositories_200_hides_a_private_template_like_its_repository() {
    let service = start().await;
    for (token, expected) in [
        ("alice-classic", Value::from(2001)),
        ("alice-fine", Value::from(2001)),
        ("alice-public-only", Value::Null),
        ("alice-fine-public", Value::Null),
    ] {
        let answer = service.as_(token).get(&repositories_of(7004)).await;
        let body = answer.expect(200).json();
        let mut listed = body["repositories"].as_array().unwrap().iter();
        let gadgets = listed.find(|item| item["id"] == 2002).unwrap();
        assert_eq!(gadgets["template_repository"]["id"], expected, "{token}");
    }
}

#[tokio::test]
async fn list_user_installation_repositories_403_with_an_installation_token() {
    let service = start().await;
    let caller = service.as_("ci-bot-on-acme");
    let answer = caller.get(&repositories_of(7001)).await;
    assert_eq!(
        answer.expect(403).message(),
        "Resource not accessible by integration"
    );
}

#[tokio::test]
async fn list_user_installation_repositories_403_when_the_token_may_not_read_metadata() {
    let service = start().await;
    let caller = service.as_("alice-fine-blind");
    let answer = caller.get(&repositories_of(7001)).await;
    assert_eq!(
        answer.expect(403).message(),
        "Resource not accessible by personal access token"
    );
}

#[tokio::test]
async fn list_user_installation_repositories_403_when_suspended() {
    let service = start().await;
    let answer = service
        .as_("bob-other-bot")
        .get(&repositories_of(7005))
        .await;
    assert_eq!(
        answer.expect(403).message(),
        "This installation has been suspended"
    );
}

#[tokio::test]
async fn list_user_installation_repositories_403_when_the_app_may_not_read_metadata() {
    let service = start().await;
    let answer = service
        .as_("bob-other-bot")
        .get(&repositories_of(7004))
        .await;
    assert_eq!(
        answer.expect(403).message(),
        "Resource not accessible by integration"
    );
}

#[tokio::test]
async fn list_user_installation_repositories_404_without_access_or_when_it_is_of_another_app() {
    let service = start().await;
    for (token, installation) in [
        ("alice-ci-bot", 9999),
        ("alice-ci-bot", 7003),
        ("alice-ci-bot", 7004),
        ("mallory-ci-bot", 7001),
        ("mallory-classic", 7001),
        ("alice-classic", 7003),
        ("alice-fine", 7002),
        ("alice-public-only", 7002),
        // It has no repositories, so that it is not listed either.
        ("alice-ci-bot", 7006),
        ("alice-classic", 7006),
    ] {
        let answer = service
            .as_(token)
            .get(&repositories_of(installation))
            .await
            .expect(404);
        assert_eq!(answer.message(), "Not Found", "{token} in {installation}");
    }
}
