//! Trees: one level as Git stores it, and recursively.

use git::store::store_objects;
use git::tree::{Mode, Tree, TreeEntry};
use serde_json::{Value, json};
use storage::entities::git_object::ObjectKind;

use super::seed::{GADGETS, gadgets, insert_ref};
use crate::harness::Service;

const TREES: &str = "/repos/acme/gadgets/git/trees";

async fn get(service: &Service, name: &str) -> Value {
    let path = format!("{TREES}/{name}");
    service.anonymous().get(&path).await.expect(200).json()
}

fn paths(tree: &Value) -> Vec<&str> {
    let entries = tree["tree"].as_array().unwrap();
    entries
        .iter()
        .map(|entry| entry["path"].as_str().unwrap())
        .collect()
}

/// Stores a tree. Returns its SHA.
async fn store(service: &Service, entries: Vec<TreeEntry>) -> String {
    let tree = Tree { entries }.write();
    let transaction = service.app.db.begin().await.unwrap();
    store_objects(&transaction, GADGETS, std::slice::from_ref(&tree))
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    tree.sha().to_string()
}

fn entry(mode: Mode, name: &str, sha: &str) -> TreeEntry {
    TreeEntry {
        mode,
        name: name.into(),
        sha: sha.parse().unwrap(),
    }
}

#[tokio::test]
async fn get_tree_200_as_git_stores_it() {
    let (service, history) = gadgets().await;
    let module = "f".repeat(40);
    let entries = vec![
        entry(Mode::Executable, "run", &history.blob),
        entry(Mode::Submodule, "module", &module),
        entry(Mode::Tree, "sub", &history.tree),
        entry(Mode::File, "sub.txt", &history.other_blob),
    ];
    let sha = store(&service, entries).await;
    let body = get(&service, &sha).await;
    assert_eq!(body["sha"], sha);
    assert_eq!(body["truncated"], false);
    let url = body["url"].as_str().unwrap();
    let git = url.strip_suffix(&format!("/trees/{sha}")).unwrap();
    assert_eq!(
        body["tree"],
        json!([
            {"path": "module", "mode": "160000", "type": "commit", "sha": module},
            {"path": "run", "mode": "100755", "type": "blob", "sha": history.blob, "size": 6,
             "url": format!("{git}/blobs/{}", history.blob)},
            {"path": "sub.txt", "mode": "100644", "type": "blob", "sha": history.other_blob, "size": 7,
             "url": format!("{git}/blobs/{}", history.other_blob)},
            {"path": "sub", "mode": "040000", "type": "tree", "sha": history.tree,
             "url": format!("{git}/trees/{}", history.tree)},
        ])
    );
}

#[tokio::test]
async fn get_tree_200_with_subtrees_for_any_value_of_recursive() {
    let (service, history) = gadgets().await;
    let top = get(&service, &history.workflow).await;
    assert_eq!(paths(&top), [".github", "README.md"]);
    for value in ["1", "0", "false", ""] {
        let all = get(&service, &format!("{}?recursive={value}", history.workflow)).await;
        let expected = [
            ".github",
            ".github/workflows",
            ".github/workflows/ci.yml",
            "README.md",
        ];
        assert_eq!(paths(&all), expected, "{value}");
        assert_eq!(all["truncated"], false);
    }
}

/// The answer has the SHA of a commit: for a tag, that of the tagged commit.
#[tokio::test]
async fn get_tree_200_by_commit_branch_and_tag() {
    let (service, history) = gadgets().await;
    for (name, sha) in [
        (&*history.main, &history.main),
        ("main", &history.main),
        ("heads%2Fmain", &history.main),
        ("v1", &history.root),
        (&*history.tag_of_tag, &history.root),
    ] {
        let body = get(&service, name).await;
        assert_eq!(body["sha"], **sha, "{name}");
        assert_eq!(paths(&body), ["README.md"], "{name}");
    }
}

#[tokio::test]
async fn get_tree_200_follows_a_branch_that_moves() {
    let (service, history) = gadgets().await;
    assert_eq!(get(&service, "side").await["sha"], history.side);
    let path = "/repos/acme/gadgets/git/refs/heads/side";
    let body = json!({"sha": history.main, "force": true});
    let alice = service.as_("alice-classic");
    alice.patch(path, body).await.expect(200);
    assert_eq!(get(&service, "side").await["sha"], history.main);
}

#[tokio::test]
async fn get_tree_200_truncated_when_it_is_too_large() {
    let (service, history) = gadgets().await;
    let files = (0..40_000).map(|number| format!("{number:06}"));
    let files = files.map(|name| entry(Mode::File, &name, &history.blob));
    let wide = store(&service, files.collect()).await;
    let body = get(&service, &wide).await;
    assert_eq!(body["truncated"], true);
    let listed = body["tree"].as_array().unwrap().len();
    assert!((20_000..40_000).contains(&listed), "{listed}");
    assert!(body["tree"].to_string().len() < 7_500_000);
    // Twenty levels of trees, each with the next one twice, have a million entries.
    let mut deep = history.tree.clone();
    for _ in 0..20 {
        let twice = ["one", "two"].map(|name| entry(Mode::Tree, name, &deep));
        deep = store(&service, twice.into()).await;
    }
    let body = get(&service, &format!("{deep}?recursive=1")).await;
    assert_eq!(body["truncated"], true);
    assert_eq!(paths(&body)[..2], ["one", "one/one"]);
}

/// An import stores all subtrees. If one is missing nevertheless, the rest is listed.
#[tokio::test]
async fn get_tree_200_truncated_when_a_subtree_is_missing() {
    let (service, history) = gadgets().await;
    let entries = vec![
        entry(Mode::Tree, "gone", &"a".repeat(40)),
        entry(Mode::File, "here", &history.blob),
    ];
    let sha = store(&service, entries).await;
    let body = get(&service, &format!("{sha}?recursive=1")).await;
    assert_eq!(paths(&body), ["gone", "here"]);
    assert_eq!(body["truncated"], true);
}

#[tokio::test]
async fn get_tree_304_when_nothing_changed() {
    let (service, history) = gadgets().await;
    let path = format!("{TREES}/{}", history.tree);
    let answer = service.anonymous().get(&path).await.expect(200);
    let conditional = service
        .anonymous()
        .header("If-None-Match", answer.header("etag").unwrap());
    conditional.get(&path).await.expect(304);
}

#[tokio::test]
async fn get_tree_401_404_and_409() {
    let (service, history) = gadgets().await;
    let path = format!("{TREES}/{}", history.tree);
    service.as_("nobody").get(&path).await.expect(401);
    for name in [&history.tree[..7], &"0".repeat(40), "nowhere", "a..b"] {
        let path = format!("{TREES}/{name}");
        service.anonymous().get(&path).await.expect(404);
    }
    let hidden = format!("/repos/acme/widgets/git/trees/{}", history.tree);
    service.anonymous().get(&hidden).await.expect(404);
    let empty = service.as_("alice-classic").get(&hidden).await.expect(409);
    assert_eq!(empty.message(), "Git Repository is empty.");
}

#[tokio::test]
async fn get_tree_422_when_the_object_is_not_a_tree() {
    let (service, history) = gadgets().await;
    let tag = "refs/tags/loose";
    insert_ref(&service, GADGETS, tag, &history.blob, ObjectKind::Blob).await;

    for name in [&*history.blob, "loose"] {
        let path = format!("{TREES}/{name}");
        let answer = service.anonymous().get(&path).await.expect(422);
        assert_eq!(answer.message(), "Object is not a tree", "{name}");
    }
}
