//! Fetches that name very many objects: each is looked up once, a few at a time.

use git::Sha;
use git::objects::{Object, Tag};
use git::store::store_objects;
use git::transport::listing::targets;
use git::transport::negotiation::CommonObjects;
use git::transport::objects::Starts;
use storage::entities::git_object::ObjectKind;

use crate::counting::Counting;
use crate::database::{Db, with_repository};

/// Names of objects that do not exist.
fn unknown(count: u32) -> Vec<Sha> {
    let name = |number: u32| {
        let mut bytes = [7; Sha::BYTES];
        bytes[..4].copy_from_slice(&number.to_be_bytes());
        Sha::from_bytes(bytes)
    };
    (0..count).map(name).collect()
}

async fn stored(db: &Db, objects: &[Object]) {
    let transaction = db.begin().await;
    let stored = store_objects(&transaction, db.repository_id, objects);
    stored.await.unwrap();
    transaction.commit().await.unwrap();
}

/// A tag of an object, with a message of so many bytes.
fn tag(target: Sha, target_kind: ObjectKind, number: usize, message: usize) -> Object {
    let tag = Tag {
        target,
        target_kind,
        name: format!("v{number}").into_bytes(),
        tagger: Some(b"A <a@b> 1 +0000".to_vec()),
        more: Vec::new(),
        message: Some(vec![b'm'; message]),
    };
    tag.write()
}

#[tokio::test]
async fn unknown_wants_are_refused_after_a_few_queries() {
    with_repository(async |db| {
        let counting = Counting::new(db.database());
        let wants = unknown(50_000);
        let starts = Starts::of(&counting, db.repository_id, &wants);
        starts.await.unwrap().unwrap_err();
        assert!(counting.queries() <= 10, "{}", counting.queries());
    })
    .await;
}

#[tokio::test]
async fn a_repeated_name_is_looked_up_once() {
    with_repository(async |db| {
        let blob = Object::blob(b"one\n".to_vec());
        stored(db, std::slice::from_ref(&blob)).await;
        let counting = Counting::new(db.database());
        let names = vec![blob.sha(); 50_000];
        let common = CommonObjects::find(&counting, db.repository_id, &names);
        assert_eq!(common.await.unwrap().objects, [blob.sha()]);
        let starts = Starts::of(&counting, db.repository_id, &names);
        assert_eq!(starts.await.unwrap().unwrap().blobs, [blob.sha()]);
        assert_eq!(counting.queries(), 2);
    })
    .await;
}

#[tokio::test]
async fn tags_of_tags_are_followed_to_a_limit() {
    with_repository(async |db| {
        let blob = Object::blob(b"one\n".to_vec());
        let mut objects = vec![tag(blob.sha(), ObjectKind::Blob, 0, 1), blob];
        objects.swap(0, 1);
        for number in 1..1000 {
            let last = objects[objects.len() - 1].sha();
            objects.push(tag(last, ObjectKind::Tag, number, 1));
        }
        stored(db, &objects).await;
        let counting = Counting::new(db.database());
        let short = [objects[90].sha()];
        let starts = Starts::of(&counting, db.repository_id, &short);
        assert_eq!(starts.await.unwrap().unwrap().tags.len(), 90);
        let counting = Counting::new(db.database());
        let long = [objects[1000].sha()];
        let starts = Starts::of(&counting, db.repository_id, &long);
        let refusal = starts.await.unwrap().unwrap_err();
        assert!(refusal.to_string().contains("nested too deeply"));
        assert!(counting.queries() <= 400, "{}", counting.queries());
    })
    .await;
}

#[tokio::test]
async fn large_tags_are_read_a_few_at_a_time() {
    with_repository(async |db| {
        let blob = Object::blob(b"one\n".to_vec());
        let tags = (0..10).map(|number| tag(blob.sha(), ObjectKind::Blob, number, 1_000_000));
        let tags: Vec<Object> = tags.collect();
        stored(db, &tags).await;
        let names: Vec<Sha> = tags.iter().map(Object::sha).collect();
        let counting = Counting::new(db.database());
        let found = targets(&counting, db.repository_id, &names);
        assert_eq!(found.await.unwrap().len(), 10);
        assert!(counting.queries() >= 4, "{}", counting.queries());
    })
    .await;
}
