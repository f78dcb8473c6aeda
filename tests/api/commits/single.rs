//! One commit, with the files that it changes.

use serde_json::{Value, json};

use super::{HIDDEN, REPO, get};
use crate::git_refs::seed::gadgets;
use crate::harness::{Answer, Service};

async fn get_as(service: &Service, path: &str, form: &str) -> Answer {
    let accept = format!("application/vnd.github.{form}");
    let client = service.anonymous().header("Accept", accept);
    client.get(&format!("{REPO}/{path}")).await
}

/// Creates a commit on top of `base` with these tree entries. Returns its SHA.
pub(super) async fn commit(service: &Service, base: &str, entries: Value) -> String {
    let alice = service.as_("alice-classic");
    let body = json!({"base_tree": base, "tree": entries});
    let tree = alice.post(&format!("{REPO}/git/trees"), body).await;
    let tree = tree.expect(201).json()["sha"].clone();
    let body = json!({"message": "Many\n\nOf them", "tree": tree, "parents": [base]});
    let created = alice.post(&format!("{REPO}/git/commits"), body).await;
    created.expect(201).json()["sha"]
        .as_str()
        .unwrap()
        .to_owned()
}

fn files(count: usize) -> Value {
    let entry = |number: usize| {
        let (path, content) = (format!("f{number:04}"), format!("{number}\n"));
        json!({"path": path, "mode": "100644", "content": content})
    };
    (0..count).map(entry).collect()
}

#[tokio::test]
async fn get_repository_commit_200_with_its_files() {
    let (service, history) = gadgets().await;
    for name in ["main", "heads/main", &history.main, &history.main[..7]] {
        let path = format!("commits/{name}");
        let commit = get(&service, &path).await.expect(200).json();
        assert_eq!(commit["sha"], history.main, "{name}");
        assert_eq!(
            commit["stats"],
            json!({"total": 2, "additions": 1, "deletions": 1})
        );
        let file = &commit["files"][0];
        assert_eq!(file["filename"], "README.md");
        assert_eq!(file["status"], "modified");
        assert_eq!(file["patch"], "@@ -1 +1 @@\n-one\n+two");
        let contents = file["contents_url"].as_str().unwrap();
        let end = format!(
            "/repos/acme/gadgets/contents/README.md?ref={}",
            history.main
        );
        assert!(contents.ends_with(&end), "{contents}");
    }
    let root = get(&service, "commits/v1").await.expect(200).json();
    assert_eq!(root["files"][0]["status"], "added");
    assert_eq!(root["parents"], json!([]));
}

#[tokio::test]
async fn get_repository_commit_200_as_a_diff_a_patch_and_a_sha() {
    let (service, history) = gadgets().await;
    let diff = get_as(&service, "commits/main", "diff").await.expect(200);
    assert_eq!(
        diff.text,
        "diff --git a/README.md b/README.md\nindex 5626abf..f719efd 100644\n\
         --- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-one\n+two\n"
    );
    assert_eq!(
        diff.header("content-type"),
        Some("application/vnd.github.diff; charset=utf-8")
    );
    let patch = get_as(&service, "commits/main", "v3.patch")
        .await
        .expect(200);
    let head = format!(
        "From {} Mon Sep 17 00:00:00 2001\nFrom: Tess Ter <tess@example.com>\n\
         Date: Tue, 14 Nov 2023 23:13:20 +0100\nSubject: [PATCH] A commit\n\nWhy\n---\n \
         README.md | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n",
        history.main
    );
    assert_eq!(patch.text, format!("{head}{}\n", diff.text));
    let sha = get_as(&service, "commits/main", "sha").await.expect(200);
    assert_eq!(sha.text, history.main);
    let json = service
        .anonymous()
        .header("Accept", "application/vnd.github.diff+json");
    let json = json.get(&format!("{REPO}/commits/main")).await;
    assert_eq!(json.expect(200).json()["sha"], history.main);
}

#[tokio::test]
async fn get_repository_commit_200_in_pages_of_files() {
    let (service, history) = gadgets().await;
    let sha = commit(&service, &history.main, files(310)).await;
    let first = get(&service, &format!("commits/{sha}")).await.expect(200);
    assert_eq!(first.json()["files"].as_array().unwrap().len(), 300);
    assert_eq!(first.json()["stats"]["additions"], 300);
    assert!(first.header("link").unwrap().contains("rel=\"next\""));
    let second = get(&service, &format!("commits/{sha}?page=2"))
        .await
        .expect(200);
    assert_eq!(second.json()["files"].as_array().unwrap().len(), 10);
    let small = get(&service, &format!("commits/{sha}?per_page=7&page=3")).await;
    let small = small.expect(200).json();
    assert_eq!(small["files"].as_array().unwrap().len(), 7);
    assert_eq!(small["files"][0]["filename"], "f0014");
}

#[tokio::test]
async fn get_repository_commit_406_when_the_diff_is_too_large() {
    let (service, history) = gadgets().await;
    let many = commit(&service, &history.main, files(301)).await;
    let answer = get_as(&service, &format!("commits/{many}"), "diff").await;
    let answer = answer.expect(406);
    assert!(answer.message().contains("maximum number of files (300)"));
    assert_eq!(answer.json()["errors"][0]["code"], "too_large");
    let long = json!([{"path": "long", "mode": "100644", "content": "x\n".repeat(20_001)}]);
    let long = commit(&service, &history.main, long).await;
    let answer = get_as(&service, &format!("commits/{long}"), "patch").await;
    let answer = answer.expect(406);
    assert!(answer.message().contains("maximum number of lines (20000)"));
    let shown = get(&service, &format!("commits/{long}")).await.expect(200);
    let file = &shown.json()["files"][0];
    assert_eq!(file["additions"], 20_001);
    assert_eq!(file.get("patch"), None);
}

#[tokio::test]
async fn get_repository_commit_404_and_409_when_the_repository_is_hidden_or_empty() {
    let (service, _) = gadgets().await;
    let hidden = format!("{HIDDEN}/commits/main");
    service.anonymous().get(&hidden).await.expect(404);
    service.as_("alice-classic").get(&hidden).await.expect(409);
}

#[tokio::test]
async fn get_repository_commit_422_when_the_name_is_not_that_of_a_commit() {
    let (service, history) = gadgets().await;
    for name in ["nothing", &"0".repeat(40), &history.tree] {
        let answer = get(&service, &format!("commits/{name}")).await.expect(422);
        assert_eq!(answer.message(), format!("No commit found for SHA: {name}"));
    }
}

#[tokio::test]
async fn an_operation_without_other_media_types_answers_json() {
    let (service, _) = gadgets().await;
    for form in ["diff", "patch", "sha", "object", "raw"] {
        let answer = get_as(&service, "branches", form).await.expect(200);
        let media = answer.header("content-type");
        assert_eq!(media, Some("application/json; charset=utf-8"), "{form}");
        assert!(answer.json().is_array());
    }
    let both = "application/vnd.github.diff, application/json";
    let both = service.anonymous().header("Accept", both);
    both.get(&format!("{REPO}/branches")).await.expect(200);
}
