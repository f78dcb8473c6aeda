//! App installations: the app signs a JSON web token, creates an installation token, uses it
//! and revokes it. octocrab sends an installation token only to relative URLs, so these tests
//! page by number instead of following links.

use std::fs;

use octocrab::Octocrab;
use octocrab::models::apps::CreateInstallationAccessToken;
use octocrab::models::{AppId, InstallationId, Repository};
use octocrab::params::repos::Reference;

use crate::{alice, by_token, refused, server};

const ACME: InstallationId = InstallationId(7001);

fn app() -> Octocrab {
    let key = fs::read(std::env::var("CLIENT_KEY").unwrap()).unwrap();
    let builder = Octocrab::builder().base_uri(server()).unwrap();
    builder
        .app_from_rsa_pem(AppId(6001), key)
        .unwrap()
        .build()
        .unwrap()
}

fn names(repositories: &[Repository]) -> Vec<&str> {
    repositories
        .iter()
        .map(|repository| repository.name.as_str())
        .collect()
}

#[tokio::test]
async fn the_app_finds_itself_and_its_installations() {
    let app = app();
    assert_eq!(
        app.apps().get().await.unwrap().slug.as_deref(),
        Some("ci-bot")
    );
    let installations = app
        .all_pages(app.apps().installations().send().await.unwrap())
        .await
        .unwrap();
    assert_eq!(
        installations.iter().map(|one| one.id).collect::<Vec<_>>(),
        [ACME]
    );
    assert_eq!(
        app.apps()
            .get_org_installation("acme")
            .await
            .unwrap()
            .account
            .login,
        "acme"
    );
    assert_eq!(
        app.apps()
            .get_repository_installation("acme", "gadgets")
            .await
            .unwrap()
            .id,
        ACME
    );
    refused(app.apps().installation(InstallationId(1)).await, 404);
}

#[tokio::test]
async fn an_installation_lists_its_repositories_and_works_with_them() {
    let installation = app().installation(ACME).unwrap();
    let first = installation
        .apps()
        .installation_repositories()
        .per_page(1)
        .send()
        .await
        .unwrap();
    let second = installation
        .apps()
        .installation_repositories()
        .per_page(1)
        .page(2u32)
        .send()
        .await
        .unwrap();
    assert_eq!(
        (first.total_count, names(&first.repositories)),
        (2, vec!["widgets"])
    );
    assert_eq!(names(&second.repositories), ["gadgets"]);
    assert_eq!(
        second.repositories[0].license.as_ref().unwrap().spdx_id,
        "MIT"
    );

    let branch = Reference::Branch("from-the-app".to_owned());
    let sha = crate::git_refs::tip("main").await;
    let created = installation
        .git("acme", "gadgets")
        .create_ref(&branch, sha)
        .await
        .unwrap();
    assert_eq!(created.ref_field, "refs/heads/from-the-app");
}

#[tokio::test]
async fn a_revoked_token_is_rejected() {
    let only = CreateInstallationAccessToken {
        repositories: Some(vec!["gadgets".to_owned()]),
        ..Default::default()
    };
    let token = app()
        .apps()
        .create_installation_access_token(ACME, &only)
        .await
        .unwrap();
    let narrow = by_token(&token.token);
    let reachable = narrow
        .apps()
        .installation_repositories()
        .send()
        .await
        .unwrap();
    assert_eq!(names(&reachable.repositories), ["gadgets"]);
    narrow.apps().revoke_installation_token().await.unwrap();
    let error = refused(narrow.apps().installation_repositories().send().await, 401);
    assert_eq!(error.message, "Bad credentials");
}

#[tokio::test]
async fn a_user_sees_the_installation_and_an_administrator_changes_it() {
    let through = by_token("alice-through-ci-bot");
    let page = through
        .current()
        .list_app_installations_accessible_to_user()
        .per_page(1)
        .send()
        .await
        .unwrap();
    let installations = through.all_pages(page).await.unwrap();
    assert_eq!(
        installations.iter().map(|one| one.id).collect::<Vec<_>>(),
        [ACME]
    );

    let alice = alice();
    alice
        .current()
        .add_repository_to_installation(ACME, 2004u64)
        .await
        .unwrap();
    let listed = through
        .current()
        .installation_repositories(ACME)
        .per_page(100)
        .send()
        .await
        .unwrap();
    assert_eq!(names(&listed.repositories), ["widgets", "gadgets", "parts"]);
    assert!(listed.repositories[0].permissions.as_ref().unwrap().admin);
    alice
        .current()
        .remove_repository_from_installation(ACME, 2004u64)
        .await
        .unwrap();
    refused(
        alice
            .current()
            .remove_repository_from_installation(ACME, 2004u64)
            .await,
        404,
    );
    let wrong = refused(alice.apps().installation_repositories().send().await, 403);
    assert!(
        wrong
            .message
            .starts_with("You must authenticate with an installation access token"),
        "{}",
        wrong.message
    );
}
