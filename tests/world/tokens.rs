//! Tokens are shown once, recognized on a second load, and stay revoked.

use sea_orm::{EntityTrait, QueryFilter};
use storage::entities::{app, installation, token};
use world::load::{WorldSource, demo_tokens};

use super::Setup;
use crate::support::database::with_database;
use crate::support::tables::dump;

#[tokio::test]
async fn generated_tokens_are_shown_once_and_stored_as_hashes() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        let text = "users: [{login: a}]\ntokens:\n  - {kind: classic, user: a, scopes: [repo]}\n  - {kind: classic, user: a, scopes: [repo]}\n";
        let loaded = setup.load(text).await;
        assert_eq!(loaded.tokens.len(), 2, "two equal items are two tokens");
        assert_ne!(loaded.tokens[0].value, loaded.tokens[1].value);
        assert!(loaded.tokens[0].value.starts_with("ghp_"));
        assert_eq!(loaded.tokens[0].description, "repo");
        assert!(!dump(&setup.db).await.contains(&loaded.tokens[0].value));
        assert!(!format!("{loaded:?}").contains(&loaded.tokens[0].value));
        assert_eq!(setup.load(text).await.tokens, []);
        let third = setup.load(&format!("{text}  - {{kind: classic, user: a, scopes: [repo]}}\n")).await;
        assert_eq!(third.tokens.len(), 1);
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_token_is_renewed_only_after_it_expires() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        let text = "users: [{login: a}]\napps: [{slug: s, owner: a}]\ninstallations: [{app: s, account: a}]\ntokens:\n  - {kind: installation, app: s, account: a, expires_in: 100, value: known}\n  - {kind: installation, app: s, account: a, expires_in: 100}\n";
        setup.load(text).await;
        setup.clock.advance(99);
        assert_eq!(setup.load(text).await.changed, 0);
        setup.clock.advance(1);
        let later = setup.load(text).await;
        assert_eq!((later.added, later.changed, later.tokens.len()), (1, 1, 1));
        assert_eq!(setup.load(text).await.tokens, []);
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_revoked_token_stays_revoked() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        let text = "users: [{login: a}]\ntokens: [{kind: classic, user: a, value: known}]\n";
        setup.load(text).await;
        let transaction = setup.db.begin().await.unwrap();
        let revoked = token::ActiveModel {
            revoked_at: sea_orm::Set(Some(5)),
            ..Default::default()
        };
        token::Entity::update_many()
            .set(revoked)
            .exec(&*transaction)
            .await
            .unwrap();
        transaction.commit().await.unwrap();
        assert_eq!(setup.load(text).await.changed, 0);
        let row = token::Entity::find()
            .one(setup.db.reads())
            .await
            .unwrap()
            .unwrap();
        assert_eq!(row.revoked_at, Some(5));
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn the_tokens_of_the_demo_are_marked_and_listed() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        setup.try_load(&WorldSource::demo()).await.unwrap();
        let marked = token::Entity::find()
            .filter(token::COLUMN.demo.eq(true))
            .all(setup.db.reads())
            .await
            .unwrap();
        let listed = demo_tokens();
        assert_eq!(marked.len(), listed.len());
        for prefix in ["ghp_", "github_pat_", "gho_", "ghu_", "ghs_"] {
            let is_listed = listed.iter().any(|token| token.value.starts_with(prefix));
            assert!(is_listed, "no token starts with {prefix}");
        }
        setup
            .load("users: [{login: own}]\ntokens: [{kind: classic, user: own, value: mine}]\n")
            .await;
        let all = token::Entity::find().all(setup.db.reads()).await.unwrap();
        assert_eq!(all.iter().filter(|row| !row.demo).count(), 1);
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn metadata_can_be_read_unless_the_file_says_none() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        let world = |permissions: &str| {
            format!(
                "users: [{{login: a}}]\n\
                 apps: [{{slug: ci, owner: a, permissions: {permissions}}}]\n\
                 installations: [{{app: ci, account: a, repository_selection: all}}]\n\
                 tokens: [{{kind: fine_grained, user: a, owner: a, permissions: {permissions}, value: fine}}]\n"
            )
        };
        for (permissions, stored) in [
            ("{contents: write}", r#"{"contents":"write","metadata":"read"}"#),
            ("{contents: write, metadata: none}", r#"{"contents":"write"}"#),
            ("{metadata: none}", "{}"),
        ] {
            setup.load(&world(permissions)).await;
            let reads = setup.db.reads();
            let app = app::Entity::find().one(reads).await.unwrap().unwrap();
            let installed = installation::Entity::find().one(reads).await.unwrap();
            let token = token::Entity::find().one(reads).await.unwrap().unwrap();
            assert_eq!(app.permissions, stored);
            assert_eq!(installed.unwrap().permissions, stored);
            assert_eq!(token.permissions, stored);
        }
        setup.db.close().await.unwrap();
    })
    .await;
}
