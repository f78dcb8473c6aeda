//! Git objects: creating blobs, trees, commits and tags, and reading blobs. Reading commits,
//! tags and trees is in `git_refs/`.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::git_refs::seed::{GADGETS, History, WIDGETS, archive, create_history, gadgets, start};
use crate::harness::{Answer, Service};

const GIT: &str = "/repos/acme/gadgets/git";
/// The empty tree, which always exists.
const EMPTY: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const HIDDEN: &str = "/repos/acme/widgets/git";

async fn post(service: &Service, folder: &str, body: Value) -> Answer {
    let path = format!("{GIT}/{folder}");
    service.as_("alice-classic").post(&path, body).await
}

/// A valid body for each operation that creates an object.
fn bodies(history: &History) -> [(&'static str, Value); 4] {
    let entry = json!({"path": "a", "mode": "100644", "type": "blob", "content": "x"});
    let root = &history.root;
    [
        ("blobs", json!({"content": "x"})),
        ("trees", json!({"tree": [entry]})),
        ("commits", json!({"message": "One", "tree": history.tree})),
        (
            "tags",
            json!({"tag": "v9", "message": "Nine", "object": root, "type": "commit"}),
        ),
    ]
}

/// Expects 403 for a reader, and for an administrator of an archived repository.
async fn expect_403(index: usize) {
    let (service, history) = gadgets().await;
    let (folder, body) = bodies(&history)[index].clone();
    let path = format!("{GIT}/{folder}");
    let reader = service
        .as_("alice-fine-metadata")
        .post(&path, body.clone())
        .await;
    reader.expect(403);
    archive(&service, GADGETS).await;
    post(&service, folder, body).await.expect(403);
}

/// Expects 404 from a hidden repository and 409 from an empty one.
async fn expect_404_and_409(index: usize) {
    let service = start().await;
    let history = create_history(&service, WIDGETS).await;
    let (folder, body) = bodies(&history)[index].clone();
    let hidden = format!("{HIDDEN}/{folder}");
    let stranger = service.as_("mallory-classic");
    stranger.post(&hidden, body.clone()).await.expect(404);
    let empty = post(&service, folder, body).await.expect(409);
    assert_eq!(empty.message(), "Git Repository is empty.");
}

#[tokio::test]
async fn create_blob_201_and_get_blob_200_with_the_same_content() {
    let (service, _) = gadgets().await;
    let created = post(&service, "blobs", json!({"content": "grüße\n"})).await;
    let created = created.expect(201);
    let url = created.json()["url"].as_str().unwrap().to_owned();
    assert_eq!(created.header("location"), Some(&*url));
    let again = json!({"content": "Z3LDvMOf\nZQo=", "encoding": "base64"});
    let again = post(&service, "blobs", again).await.expect(201);
    assert_eq!(again.json(), created.json());
    let sha = created.json()["sha"].as_str().unwrap().to_owned();
    let path = format!("{GIT}/blobs/{sha}");
    let blob = service.anonymous().get(&path).await.expect(200).json();
    assert_eq!(blob["content"], "Z3LDvMOfZQo=\n");
    assert_eq!(blob["size"], 8);
    assert_eq!(blob["url"], url);
    let raw = service
        .anonymous()
        .header("Accept", "application/vnd.github.raw");
    let raw = raw.get(&path).await.expect(200);
    assert_eq!(raw.text, "grüße\n");
    let media = "application/vnd.github.raw; charset=utf-8";
    assert_eq!(raw.header("content-type"), Some(media));
    assert_eq!(
        raw.header("x-github-media-type"),
        Some("github.v3; param=raw")
    );
}

#[tokio::test]
async fn get_blob_200_in_lines_of_sixty_characters() {
    let (service, _) = gadgets().await;
    let created = post(&service, "blobs", json!({"content": "x".repeat(100_000)})).await;
    let sha = created.expect(201).json()["sha"]
        .as_str()
        .unwrap()
        .to_owned();
    let blob = service.anonymous().get(&format!("{GIT}/blobs/{sha}")).await;
    let blob = blob.expect(200).json();
    let content = blob["content"].as_str().unwrap();
    let lines: Vec<_> = content.split_terminator('\n').collect();
    assert!(lines[..lines.len() - 1].iter().all(|line| line.len() == 60));
    assert_eq!(blob["size"], 100_000);
    let decoded = BASE64_STANDARD.decode(lines.concat()).unwrap();
    assert_eq!(decoded, "x".repeat(100_000).as_bytes());
}

#[tokio::test]
async fn get_blob_200_and_304_when_it_is_sent_piece_by_piece() {
    let (service, _) = gadgets().await;
    let text: String = (0..50_000).map(|number| format!("{number}\n")).collect();
    let created = post(&service, "blobs", json!({"content": text})).await;
    let path = created.expect(201).header("location").unwrap().to_owned();
    let path = path.split_once("/repos/").unwrap().1;
    let raw = "application/vnd.github.raw";
    let get = async |accept: &'static str, tag: Option<String>| {
        let mut request = service.anonymous().header("Accept", accept);
        if let Some(tag) = tag {
            request = request.header("If-None-Match", &tag);
        }
        request.get(&format!("/repos/{path}")).await
    };
    for accept in [raw, "application/json"] {
        let whole = get(accept, None).await.expect(200);
        let tag = whole.header("etag").unwrap().to_owned();
        assert_eq!(accept == raw, whole.text == text);
        get(accept, Some(tag)).await.expect(304);
    }
}

#[tokio::test]
async fn get_blob_404_and_409_when_the_blob_is_absent_or_the_repository_empty() {
    let (service, history) = gadgets().await;
    for sha in [&history.main, "HEAD", &"0".repeat(40)] {
        let path = format!("{GIT}/blobs/{sha}");
        service.anonymous().get(&path).await.expect(404);
    }
    let hidden = format!("{HIDDEN}/blobs/{}", history.blob);
    service.anonymous().get(&hidden).await.expect(404);
    service.as_("alice-classic").get(&hidden).await.expect(409);
}

#[tokio::test]
async fn create_blob_403_for_readers_and_archived_repositories() {
    expect_403(0).await;
}

#[tokio::test]
async fn create_blob_404_and_409_for_hidden_and_empty_repositories() {
    expect_404_and_409(0).await;
}

#[tokio::test]
async fn create_blob_422_when_the_content_does_not_match_the_encoding() {
    let (service, _) = gadgets().await;
    let bad = json!({"content": "%", "encoding": "base64"});
    post(&service, "blobs", bad).await.expect(422);
    post(&service, "blobs", json!({})).await.expect(422);
    let bad = json!({"content": "x", "encoding": "latin-1"});
    post(&service, "blobs", bad).await.expect(422);
}

#[tokio::test]
async fn create_tree_201_based_on_another_tree() {
    let (service, history) = gadgets().await;
    let body = json!({"base_tree": history.main, "tree": [
        {"path": "docs/a.md", "mode": "100644", "type": "blob", "content": "A\n"},
        {"path": "run", "mode": "100755", "type": "blob", "sha": history.blob},
        {"path": "README.md", "mode": "100644", "type": "blob", "sha": null},
    ]});
    let created = post(&service, "trees", body).await.expect(201).json();
    let entries = created["tree"].as_array().unwrap();
    let shown: Vec<_> = entries
        .iter()
        .map(|entry| {
            (
                entry["path"].as_str().unwrap(),
                entry["mode"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(shown, [("docs", "040000"), ("run", "100755")]);
    let path = format!(
        "{GIT}/trees/{}?recursive=1",
        created["sha"].as_str().unwrap()
    );
    let whole = service.anonymous().get(&path).await.expect(200).json();
    assert_eq!(whole["tree"][1]["path"], "docs/a.md");
    let without = json!({"base_tree": created["sha"], "tree": [
        {"path": "docs/a.md", "mode": "100644", "type": "blob", "sha": null},
    ]});
    let left = post(&service, "trees", without).await.expect(201).json();
    assert_eq!(left["tree"].as_array().unwrap().len(), 1, "{left}");
}

#[tokio::test]
async fn create_tree_403_for_readers_and_archived_repositories() {
    expect_403(1).await;
}

#[tokio::test]
async fn create_tree_404_and_409_for_hidden_and_empty_repositories() {
    expect_404_and_409(1).await;
}

/// The same as in a push, whether the file comes with the tree or was there before.
#[tokio::test]
async fn create_tree_422_when_git_refuses_what_it_reads() {
    let (service, _) = gadgets().await;
    let text = "[submodule \"a\"]\npath = -a\nurl = x\n";
    let blob = post(&service, "blobs", json!({"content": text})).await;
    let sha = blob.expect(201).json()["sha"].clone();
    let tree = async |entry: Value| post(&service, "trees", json!({"tree": [entry]})).await;
    for mode in ["100644", "100755"] {
        let stored = json!({"path": "lib/.gitmodules", "mode": mode, "sha": sha});
        let message = "tree.path `lib/.gitmodules` has a submodule with an unsafe path";
        assert_eq!(tree(stored).await.expect(422).message(), message);
        let new = json!({"path": "lib/.gitmodules", "mode": mode, "content": text});
        assert_eq!(tree(new).await.expect(422).message(), message);
    }
    let large = json!({"content": "#\n".repeat(600_000)});
    let large = post(&service, "blobs", large).await.expect(201).json();
    for entry in [
        json!({"path": "lib/modules", "mode": "100644", "sha": sha}),
        json!({"path": "modules", "mode": "100644", "sha": large["sha"]}),
        json!({"path": ".gitmodules", "mode": "100644", "content": text.replace("-a", "a")}),
    ] {
        tree(entry).await.expect(201);
    }
    let large = json!({"path": ".gitattributes", "mode": "100644", "sha": large["sha"]});
    tree(large).await.expect(422);
}

#[tokio::test]
async fn create_tree_422_when_an_entry_is_invalid() {
    let (service, history) = gadgets().await;
    let file =
        |path: &str, sha: &str| json!({"path": path, "mode": "100644", "type": "blob", "sha": sha});
    for entry in [
        file("a", &"0".repeat(40)),
        file("a", &history.tree),
        file("../a", &history.blob),
        file(".git/a", &history.blob),
        file("a/GIT~1", &history.blob),
        file(&"a/".repeat(10_000), &history.blob),
        file(&format!("{}a", "a/".repeat(1025)), &history.blob),
        json!({"path": ".gitmodules", "mode": "120000", "sha": history.blob}),
        json!({"path": ".gitmodules", "mode": "040000", "sha": history.tree}),
        json!({"path": ".gitmodules", "mode": "160000", "sha": history.main}),
        json!({"path": ".gitmodules/a", "mode": "100644", "sha": history.blob}),
        file("a", EMPTY),
        file(".gitmodules", EMPTY),
        file("", &history.blob),
        json!({"path": "a", "mode": "100644", "type": "tree", "sha": history.blob}),
        json!({"path": "a", "mode": "100644"}),
        json!({"path": "a", "mode": "100600", "sha": history.blob}),
        json!({"path": "nothing", "sha": null}),
    ] {
        let body = json!({"tree": [entry]});
        let answer = post(&service, "trees", body.clone()).await;
        assert_eq!(answer.status, 422, "{body} {}", answer.text);
    }
    let missing = json!({"base_tree": history.blob, "tree": [file("a", &history.blob)]});
    post(&service, "trees", missing).await.expect(422);
    post(&service, "trees", json!({"tree": []}))
        .await
        .expect(422);
}

#[tokio::test]
async fn create_tree_201_with_thousands_of_paths_in_a_few_folders() {
    let (service, history) = gadgets().await;
    let entries = (0..11_000).map(|number| {
        let path = format!("{}/{number:05}", number % 3);
        json!({"path": path, "mode": "100644", "sha": history.blob})
    });
    let body = json!({"tree": entries.collect::<Vec<_>>()});
    let tree = post(&service, "trees", body).await.expect(201).json();
    assert_eq!(tree["tree"].as_array().unwrap().len(), 3);
    let sha = tree["tree"][0]["sha"].as_str().unwrap();
    let path = format!("{GIT}/trees/{sha}");
    let folder = service.as_("alice-classic").get(&path).await;
    let folder = folder.expect(200).json();
    assert_eq!(folder["tree"].as_array().unwrap().len(), 3667);
}

#[tokio::test]
async fn create_commit_201_by_the_caller_unless_an_author_is_given() {
    let (service, history) = gadgets().await;
    let body = json!({"message": "Say it", "tree": history.tree, "parents": [history.main]});
    let created = post(&service, "commits", body.clone()).await.expect(201);
    let commit = created.json();
    assert_eq!(
        commit["author"]["email"],
        "1001+alice@users.noreply.invalid"
    );
    assert_eq!(commit["author"]["date"], "2026-03-10T09:30:00Z");
    assert_eq!(commit["parents"][0]["sha"], history.main);
    assert_eq!(commit["message"], "Say it");
    assert_eq!(created.header("location"), commit["url"].as_str());
    let mut signed = body;
    signed["author"] =
        json!({"name": "Bob", "email": "b@c.d", "date": "2026-01-02T03:04:05+02:00"});
    signed["signature"] =
        json!("-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\n");
    let commit = post(&service, "commits", signed).await.expect(201).json();
    assert_eq!(commit["author"]["date"], "2026-01-02T01:04:05Z");
    assert_eq!(commit["committer"]["name"], commit["committer"]["name"]);
    assert_eq!(commit["verification"]["reason"], "unknown_key");
    let payload = commit["verification"]["payload"].as_str().unwrap();
    assert!(
        payload.contains("author Bob <b@c.d> 1767315845 +0200\n"),
        "{payload}"
    );
    assert!(payload.ends_with("\n\nSay it"), "{payload}");
}

/// The new commit is part of the history, so a fast-forward to it is possible.
#[tokio::test]
async fn create_commit_201_and_a_branch_can_be_moved_to_it() {
    let (service, history) = gadgets().await;
    let body = json!({"message": "Next", "tree": history.tree, "parents": [history.main]});
    let created = post(&service, "commits", body).await.expect(201).json();
    let moved = service
        .as_("alice-classic")
        .patch(
            &format!("{GIT}/refs/heads/main"),
            json!({"sha": created["sha"]}),
        )
        .await;
    moved.expect(200);
    let empty = json!({"message": "Nothing", "tree": EMPTY});
    post(&service, "commits", empty).await.expect(201);
}

#[tokio::test]
async fn create_commit_403_for_readers_and_archived_repositories() {
    expect_403(2).await;
}

#[tokio::test]
async fn create_commit_404_and_409_for_hidden_and_empty_repositories() {
    expect_404_and_409(2).await;
}

#[tokio::test]
async fn create_commit_422_when_a_field_is_missing_or_invalid() {
    let (service, history) = gadgets().await;
    let tree = &history.tree;
    for body in [
        json!({"message": "x"}),
        json!({"tree": tree}),
        json!({"message": " ", "tree": tree}),
        json!({"message": "a\u{0}b", "tree": tree}),
        json!({"message": "x", "tree": history.blob}),
        json!({"message": "x", "tree": "0".repeat(40)}),
        json!({"message": "x", "tree": tree, "parents": [tree]}),
        json!({"message": "x", "tree": tree, "parents": ["main"]}),
        json!({"message": "x", "tree": tree, "author": {"name": "<>", "email": "a@b"}}),
        json!({"message": "x", "tree": tree, "author": {"name": "A", "email": "a@b", "date": "now"}}),
        json!({"message": "x", "tree": tree, "signature": "tree 1"}),
    ] {
        let answer = post(&service, "commits", body.clone()).await;
        assert_eq!(answer.status, 422, "{body} {}", answer.text);
    }
}

#[tokio::test]
async fn create_tag_201_of_a_commit() {
    let (service, history) = gadgets().await;
    let body = json!({"tag": "v2", "message": "Two", "object": history.main, "type": "commit"});
    let created = post(&service, "tags", body).await.expect(201).json();
    assert_eq!(created["tag"], "v2");
    assert_eq!(created["object"]["sha"], history.main);
    assert_eq!(
        created["tagger"]["email"],
        "1001+alice@users.noreply.invalid"
    );
    let reference = json!({"ref": "refs/tags/v2", "sha": created["sha"]});
    post(&service, "refs", reference).await.expect(201);
}

#[tokio::test]
async fn create_tag_403_for_readers_and_archived_repositories() {
    expect_403(3).await;
}

#[tokio::test]
async fn create_tag_404_and_409_for_hidden_and_empty_repositories() {
    expect_404_and_409(3).await;
}

#[tokio::test]
async fn create_tag_422_when_a_field_is_invalid() {
    let (service, history) = gadgets().await;
    for (tag, object, kind) in [
        ("v 2", &history.main, "commit"),
        ("v2", &history.tree, "commit"),
        ("v2", &history.main, "tag"),
        ("v2", &"0".repeat(40), "commit"),
    ] {
        let body = json!({"tag": tag, "message": "Two", "object": object, "type": kind});
        post(&service, "tags", body).await.expect(422);
    }
}
