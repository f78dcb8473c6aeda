//! What is known of one table outlives changes of others.

use forgewright::database::{Database, Learnt, Options, footprint};
use forgewright::entities::{account, pull, token};
use poem::http::Method;
use sea_orm::{ConnectionTrait, EntityTrait};
use serde_json::json;

use super::private_database::OnServer;
use super::{COMMENTS, Scene, count, set};

#[tokio::test]
async fn what_is_known_of_other_tables_outlives_our_commits_and_not_those_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}/test.db", folder.path().display());
    Database::migrate(&url).await.unwrap();
    let db = Database::connect(&url, Options::default()).await.unwrap();
    let beside = Database::connect(&url, Options::default()).await.unwrap();
    let learn_of_tokens = async || {
        let since = db.watch().moment().await.unwrap();
        let (rows, read) = footprint::of(token::Entity::find().all(db.reads())).await;
        rows.unwrap();
        db.watch().learnt(&since, read).await.unwrap()
    };
    let of_tokens = learn_of_tokens().await;
    let since = db.watch().moment().await.unwrap();
    let (_, read) = footprint::of(count(db.reads(), "ours")).await;
    let of_settings = db.watch().learnt(&since, read).await.unwrap();
    let holds = async |what| db.watch().moment().await.unwrap().confirms(what);
    assert!(holds(&of_tokens).await && holds(&of_settings).await);

    set(&db, "ours".to_owned()).await;
    assert!(holds(&of_tokens).await, "tokens did not change");
    assert!(!holds(&of_settings).await, "settings did");

    set(&beside, "theirs".to_owned()).await;
    assert!(
        !holds(&of_tokens).await,
        "nobody knows what another has changed"
    );

    let again = learn_of_tokens().await;
    set(&beside, "theirs, then ours".to_owned()).await;
    set(&db, "ours, then theirs".to_owned()).await;
    assert!(
        !holds(&again).await,
        "a commit of ours does not hide one before it"
    );
    db.close().await.unwrap();
    beside.close().await.unwrap();
}

/// Other tests commit on the same server, and then nobody knows what has changed: so it
/// is enough that tokens are known once.
#[tokio::test]
async fn on_postgresql_what_is_known_of_other_tables_outlives_our_commits_too() {
    let Some(server) = OnServer::empty().await else {
        return;
    };
    let url = server.url();
    Database::migrate(&url).await.unwrap();
    let db = Database::connect(&url, Options::default()).await.unwrap();
    let beside = Database::connect(&url, Options::default()).await.unwrap();
    let holds = async |what: Learnt| db.watch().moment().await.unwrap().confirms(&what);
    let mut outlived = 0;
    for time in 0..200 {
        let since = db.watch().moment().await.unwrap();
        let (_, of_tokens) = footprint::of(token::Entity::find().all(db.reads())).await;
        let (_, of_settings) = footprint::of(count(db.reads(), "ours")).await;
        let of_tokens = db.watch().learnt(&since, of_tokens).await;
        let of_settings = db.watch().learnt(&since, of_settings).await;
        let Some((of_tokens, of_settings)) = of_tokens.zip(of_settings) else {
            continue;
        };
        set(&db, format!("ours {time}")).await;
        assert!(!holds(of_settings).await, "settings changed");
        outlived += u32::from(holds(of_tokens).await);
        set(&beside, format!("theirs {time}")).await;
        assert!(
            !holds(of_tokens).await,
            "nobody knows what another has changed"
        );
    }
    assert!(outlived > 0, "tokens did not change");
    db.close().await.unwrap();
    beside.close().await.unwrap();
}

/// Otherwise a commit of another process right behind it could be taken for it.
#[tokio::test]
async fn a_change_that_leaves_everything_as_it_was_is_counted_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}/test.db", folder.path().display());
    Database::migrate(&url).await.unwrap();
    let db = Database::connect(&url, Options::default()).await.unwrap();
    set(&db, "ours".to_owned()).await;
    let since = db.watch().moment().await.unwrap();
    let (_, of_settings) = footprint::of(count(db.reads(), "ours")).await;
    let (_, of_tokens) = footprint::of(token::Entity::find().all(db.reads())).await;
    let transaction = db.begin().await.unwrap();
    let same = "UPDATE setting SET value = value";
    let outcome = transaction.execute_unprepared(same).await.unwrap();
    assert!(outcome.rows_affected() > 0);
    transaction.commit().await.unwrap();
    let now = db.watch().moment().await.unwrap();
    assert!(!now.confirms(&since.learnt(of_settings)));
    assert!(now.confirms(&since.learnt(of_tokens)));
    db.close().await.unwrap();
}

/// Except in another second than the last: then the pull request is touched.
#[tokio::test]
async fn a_comment_changes_nothing_of_what_the_next_one_stands_on() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}/test.db", folder.path().display());
    let scene = Scene::without_readers(&url).await;
    let writer = &scene.servers[0];
    let topic = "/repos/acme/widgets/git/ref/heads/topic";
    let (_, topic) = writer.get(topic, "alice").await;
    let db = &writer.app.db;
    let mut outlived = false;
    for number in 0..10 {
        let since = db.watch().moment().await.unwrap();
        let (pulls, of_pulls) = footprint::of(pull::Entity::find().all(db.reads())).await;
        let (accounts, of_accounts) = footprint::of(account::Entity::find().all(db.reads())).await;
        assert!(pulls.is_ok() && accounts.is_ok());
        let body = json!({
            "body": format!("Comment {number}"), "commit_id": topic["object"]["sha"],
            "path": "a", "line": 1, "side": "RIGHT",
        });
        let (status, _) = writer.ask(Method::POST, COMMENTS, "alice", body).await;
        assert_eq!(status, 201);
        let now = db.watch().moment().await.unwrap();
        assert!(now.confirms(&since.learnt(of_accounts)));
        outlived |= now.confirms(&since.learnt(of_pulls));
    }
    assert!(outlived);
    scene.close().await;
}
