//! The files of a repository: reading here, changing in `changing.rs`.

mod changing;

use poem::http::Method;
use serde_json::{Value, json};

use crate::git_refs::seed::gadgets;
use crate::harness::{Answer, Service};

const REPO: &str = "/repos/acme/gadgets";
const HIDDEN: &str = "/repos/acme/widgets";
const CONTENTS: &str = "/repos/acme/gadgets/contents";

async fn get(service: &Service, rest: &str) -> Answer {
    service.anonymous().get(&format!("{REPO}/{rest}")).await
}

async fn get_as(service: &Service, rest: &str, form: &str) -> Answer {
    let accept = format!("application/vnd.github.{form}");
    let client = service.anonymous().header("Accept", accept);
    client.get(&format!("{REPO}/{rest}")).await
}

async fn send(service: &Service, method: Method, path: &str, body: Value) -> Answer {
    let path = format!("{CONTENTS}/{path}");
    let alice = service.as_("alice-classic");
    alice.send(method, &path, Some(body.to_string())).await
}

/// Creates a branch with a commit of these tree entries on top of `base`.
async fn create_branch(service: &Service, name: &str, base: &str, entries: Value) {
    let alice = service.as_("alice-classic");
    let post = |folder: &'static str, body: Value| {
        let alice = alice.clone();
        async move {
            let created = alice.post(&format!("{REPO}/git/{folder}"), body).await;
            created.expect(201).json()["sha"].clone()
        }
    };
    let tree = post("trees", json!({"base_tree": base, "tree": entries})).await;
    let commit = json!({"message": "Build", "tree": tree, "parents": [base]});
    let sha = post("commits", commit).await;
    let reference = json!({"ref": format!("refs/heads/{name}"), "sha": sha});
    alice
        .post(&format!("{REPO}/git/refs"), reference)
        .await
        .expect(201);
}

#[tokio::test]
async fn get_content_200_of_a_file_at_any_commit() {
    let (service, history) = gadgets().await;
    let file = get(&service, "contents/README.md").await.expect(200).json();
    assert_eq!(file["type"], "file");
    assert_eq!(file["content"], "dHdvCg==\n");
    assert_eq!(file["encoding"], "base64");
    assert_eq!(file["size"], 4);
    assert_eq!(file["path"], "README.md");
    let url = file["url"].as_str().unwrap();
    assert!(
        url.ends_with("/repos/acme/gadgets/contents/README.md?ref=main"),
        "{url}"
    );
    for name in ["v1", &history.root, &history.root[..7]] {
        let old = get(&service, &format!("contents/README.md?ref={name}")).await;
        assert_eq!(old.expect(200).json()["content"], "b25lCg==\n", "{name}");
    }
    let raw = get_as(&service, "contents/README.md", "raw")
        .await
        .expect(200);
    assert_eq!(raw.text, "two\n");
    let raw = get_as(&service, "contents/README.md", "v3.raw+json").await;
    assert_eq!(raw.expect(200).text, "two\n");
}

#[tokio::test]
async fn get_content_200_of_a_directory_as_a_list_or_an_object() {
    let (service, history) = gadgets().await;
    let path = format!("contents/.github?ref={}", history.after_workflow);
    let list = get(&service, &path).await.expect(200).json();
    assert_eq!(list[0]["path"], ".github/workflows");
    assert_eq!(list[0]["type"], "dir");
    assert_eq!(list[0]["download_url"], Value::Null);
    let deep = format!(
        "contents/.github/workflows/ci.yml?ref={}",
        history.after_workflow
    );
    let deep = get(&service, &deep).await.expect(200).json();
    assert_eq!(deep["name"], "ci.yml");
    let object = get_as(&service, &path, "object+json")
        .await
        .expect(200)
        .json();
    assert_eq!(object["type"], "dir");
    assert_eq!(object["entries"][0]["path"], ".github/workflows");
    let file = get_as(&service, "contents/README.md", "object").await;
    assert_eq!(file.expect(200).json()["content"], "dHdvCg==\n");
}

#[tokio::test]
async fn get_content_200_of_links_and_submodules() {
    let (service, history) = gadgets().await;
    let module = "f".repeat(40);
    let modules = "[submodule \"lib\"]\n\tpath = lib\n\turl = https://example.org/lib.git\n";
    let entries = json!([
        {"path": "docs/link", "mode": "120000", "type": "blob", "content": "../README.md"},
        {"path": "broken", "mode": "120000", "type": "blob", "content": "../../nothing"},
        {"path": "lib", "mode": "160000", "type": "commit", "sha": module},
        {"path": ".gitmodules", "mode": "100644", "type": "blob", "content": modules},
    ]);
    create_branch(&service, "links", &history.main, entries).await;
    let link = get(&service, "contents/docs/link?ref=links")
        .await
        .expect(200)
        .json();
    assert_eq!(link["type"], "file");
    assert_eq!(link["path"], "docs/link");
    assert_eq!(link["content"], "dHdvCg==\n");
    let broken = get(&service, "contents/broken?ref=links")
        .await
        .expect(200)
        .json();
    assert_eq!(broken["type"], "symlink");
    assert_eq!(broken["target"], "../../nothing");
    let lib = get(&service, "contents/lib?ref=links")
        .await
        .expect(200)
        .json();
    assert_eq!(lib["type"], "submodule");
    assert_eq!(lib["submodule_git_url"], "https://example.org/lib.git");
    assert_eq!(lib["sha"], module);
    assert_eq!(lib["git_url"], Value::Null);
}

#[tokio::test]
async fn get_content_200_without_the_content_of_a_large_file() {
    let (service, history) = gadgets().await;
    let text = "x".repeat(1024 * 1024 + 1);
    let object = git::objects::Object::blob(text.clone().into_bytes());
    let transaction = service.app.db.begin().await.unwrap();
    let objects = std::slice::from_ref(&object);
    git::store::store_objects(&transaction, 2002, objects)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    let entries = json!([{"path": "large", "mode": "100644", "sha": object.sha().to_string()}]);
    create_branch(&service, "large", &history.main, entries).await;
    let file = get(&service, "contents/large?ref=large")
        .await
        .expect(200)
        .json();
    assert_eq!(file["encoding"], "none");
    assert_eq!(file["content"], "");
    assert_eq!(file["size"], text.len());
    let raw = get_as(&service, "contents/large?ref=large", "raw").await;
    assert_eq!(raw.expect(200).text.len(), text.len());
}

#[tokio::test]
async fn get_content_404_when_the_path_or_the_commit_does_not_exist() {
    let (service, _) = gadgets().await;
    get(&service, "contents/nothing").await.expect(404);
    get(&service, "contents/README.md/deeper").await.expect(404);
    let none = get(&service, "contents/README.md?ref=nothing")
        .await
        .expect(404);
    assert_eq!(none.message(), "No commit found for the ref nothing");
    let empty = format!("{HIDDEN}/contents/README.md");
    let empty = service.as_("alice-classic").get(&empty).await.expect(404);
    assert_eq!(empty.message(), "This repository is empty.");
}

#[tokio::test]
async fn get_root_content_200_with_the_entries() {
    let (service, _) = gadgets().await;
    for path in ["contents", "contents/"] {
        let list = get(&service, path).await.expect(200).json();
        assert_eq!(list[0]["name"], "README.md");
        assert_eq!(list[0]["size"], 4);
    }
    let object = get_as(&service, "contents", "object")
        .await
        .expect(200)
        .json();
    assert_eq!(object["entries"][0]["name"], "README.md");
}

#[tokio::test]
async fn get_root_content_404_when_the_repository_is_hidden_or_empty() {
    let (service, _) = gadgets().await;
    let hidden = format!("{HIDDEN}/contents");
    service.anonymous().get(&hidden).await.expect(404);
    service.as_("alice-classic").get(&hidden).await.expect(404);
}

#[tokio::test]
async fn get_readme_200_with_the_preferred_of_several() {
    let (service, history) = gadgets().await;
    let readme = get(&service, "readme").await.expect(200).json();
    assert_eq!(readme["path"], "README.md");
    assert_eq!(readme["content"], "dHdvCg==\n");
    let old = get_as(&service, "readme?ref=v1", "raw").await.expect(200);
    assert_eq!(old.text, "one\n");
    let file = |path: &str| json!({"path": path, "mode": "100644", "content": "x"});
    let entries = json!([
        file(".github/readme.rst"),
        file("docs/README"),
        file("docs/readme.md")
    ]);
    create_branch(&service, "more", &history.main, entries).await;
    let readme = get(&service, "readme?ref=more").await.expect(200).json();
    assert_eq!(readme["path"], ".github/readme.rst");
    let readme = get(&service, "readme/docs?ref=more")
        .await
        .expect(200)
        .json();
    assert_eq!(readme["path"], "docs/readme.md");
}

#[tokio::test]
async fn get_readme_404_when_there_is_no_readme() {
    let (service, history) = gadgets().await;
    let entries = json!([{"path": "README.md", "sha": null}, {"path": "a", "mode": "100644", "content": "x"}]);
    create_branch(&service, "without", &history.main, entries).await;
    get(&service, "readme?ref=without").await.expect(404);
    let hidden = format!("{HIDDEN}/readme");
    service.anonymous().get(&hidden).await.expect(404);
}

#[tokio::test]
async fn get_readme_in_directory_200_with_the_readme_of_the_directory() {
    let (service, history) = gadgets().await;
    let entries = json!([{"path": "a/b/README.md", "mode": "100644", "content": "deep\n"}]);
    create_branch(&service, "deep", &history.main, entries).await;
    let readme = get_as(&service, "readme/a/b?ref=deep", "raw").await;
    assert_eq!(readme.expect(200).text, "deep\n");
}

#[tokio::test]
async fn get_readme_in_directory_404_when_there_is_no_readme() {
    let (service, _) = gadgets().await;
    get(&service, "readme/docs").await.expect(404);
    get(&service, "readme/README.md").await.expect(404);
}
