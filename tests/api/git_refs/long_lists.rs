//! A streamed list equals one that is not streamed.

use std::sync::Arc;

use poem::http::Method;
use serde_json::{Value, json};

use super::seed::{History, add_branches, gadgets};
use super::{MATCHING, REFS, names};
use crate::harness::Service;

const MANY: usize = 2500;

/// A repository with so many branches that their list is streamed.
async fn crowded() -> (Service, History) {
    let (service, history) = gadgets().await;
    let on = service.app.db.begin().await.unwrap();
    let names = (0..MANY).map(|number| format!("refs/heads/many/é\"{number}"));
    add_branches(&on, &history.main, names).await;
    on.commit().await.unwrap();
    (service, history)
}

#[tokio::test]
async fn list_matching_refs_200_shows_all_of_a_long_list() {
    let (service, _history) = crowded().await;
    let alice = service.as_("alice-classic");
    let answer = alice.get(MATCHING).await.expect(200);
    let found = names(&answer);
    assert_eq!(found.len(), MANY + 3);
    assert!(found.is_sorted());
    // Its parts, listed separately, have the same items.
    let mut parts: Vec<Value> = Vec::new();
    for first in 1..=9 {
        let path = format!("{MATCHING}/heads/many/%C3%A9%22{first}");
        parts.extend(items(&alice.get(&path).await.expect(200).json()));
    }
    let zero = format!("{MATCHING}/heads/many/%C3%A9%220");
    parts.extend(items(&alice.get(&zero).await.expect(200).json()));
    let mut whole = items(&answer.json());
    whole.retain(|item| item["ref"].as_str().unwrap().contains("/many/"));
    let name = |item: &Value| item["ref"].as_str().unwrap().to_owned();
    whole.sort_by_key(name);
    parts.sort_by_key(name);
    // The parts that begin with 1 or 2 are long enough to be streamed too.
    assert_eq!(parts, whole);
}

/// Both parts of a list are longer than what is read at a time, and so are they together.
#[tokio::test]
async fn list_matching_refs_200_shows_all_branches_after_all_full_names() {
    let (service, history) = gadgets().await;
    let on = service.app.db.begin().await.unwrap();
    let full = (0..1500).map(|number| format!("refs/many/{number}"));
    let branches = (0..MANY).map(|number| format!("refs/heads/many{number}"));
    let all = full.chain(branches);
    add_branches(&on, &history.main, all.clone()).await;
    on.commit().await.unwrap();
    let path = format!("{MATCHING}/many");
    let answer = service.as_("alice-classic").get(&path).await.expect(200);
    let mut expected: Vec<_> = all.collect();
    expected[..1500].sort();
    expected[1500..].sort();
    assert_eq!(names(&answer), expected);
}

fn items(list: &Value) -> Vec<Value> {
    list.as_array().unwrap().clone()
}

#[tokio::test]
async fn list_refs_200_and_find_refs_200_show_all_of_a_long_list() {
    let (service, _history) = crowded().await;
    let alice = service.as_("alice-classic");
    let all = alice.get(MATCHING).await.expect(200);
    assert_eq!(alice.get(REFS).await.expect(200).text, all.text);
    let heads = alice.get(&format!("{MATCHING}/heads/many")).await;
    let found = alice.get(&format!("{REFS}/heads/many")).await.expect(200);
    assert_eq!(found.text, heads.text);
}

#[tokio::test]
async fn list_matching_refs_304_of_a_long_list_until_it_changes() {
    let (service, history) = crowded().await;
    let alice = service.as_("alice-classic");
    let first = alice.get(MATCHING).await.expect(200);
    let tag = first.header("etag").unwrap().to_owned();
    assert!(tag.starts_with('"') && tag.len() > 40, "{tag}");
    let conditional = alice.header("If-None-Match", tag.clone());
    let same = conditional.get(MATCHING).await.expect(304);
    assert_eq!(same.text, "");
    assert_eq!(same.header("etag"), Some(&*tag));
    let new = json!({"ref": "refs/heads/zebra", "sha": history.main});
    let alice = service.as_("alice-classic");
    alice.post(REFS, new).await.expect(201);
    let changed = conditional.get(MATCHING).await.expect(200);
    assert_ne!(changed.header("etag"), Some(&*tag));
    assert_eq!(names(&changed).len(), MANY + 4);
    // On another host the URLs differ, and so does the ETag.
    let elsewhere = alice.header("Host", "forge.example").get(MATCHING).await;
    assert_ne!(elsewhere.header("etag"), changed.header("etag"));
}

#[tokio::test]
async fn list_matching_refs_200_of_a_long_list_has_no_body_for_head() {
    let (service, _history) = crowded().await;
    let alice = service.as_("alice-classic");
    let whole = alice.get(MATCHING).await.expect(200);
    let head = alice.send(Method::HEAD, MATCHING, None).await.expect(200);
    assert_eq!(head.text, "");
    assert_eq!(head.header("etag"), whole.header("etag"));
}

/// A caller whose lists wait for permits does not block other callers.
#[tokio::test(flavor = "multi_thread")]
async fn list_matching_refs_200_does_not_exhaust_the_permits_of_other_callers() {
    let (service, _history) = crowded().await;
    let service = Arc::new(service);
    let most = service.app.db.heavy();
    let alice = storage::limits::Subject::User(1001);
    let permits = service.app.permits.of(alice);
    let mut held = Vec::new();
    for _ in 0..(most / 2).max(1) {
        held.push(permits.acquire().await.unwrap());
    }
    let waiting = service.clone();
    let waiting = tokio::spawn(async move {
        let alice = waiting.as_("alice-classic");
        alice.get(&format!("{MATCHING}/heads/many")).await
    });
    let other = service.as_("bob-classic").get(MATCHING).await.expect(200);
    assert_eq!(names(&other).len(), MANY + 3);
    assert!(
        !waiting.is_finished(),
        "the list did not wait for its permit"
    );
    drop(held);
    waiting.await.unwrap().expect(200);
}
