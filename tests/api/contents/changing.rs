//! Creating, updating and deleting a file, each with a commit on a branch.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use poem::http::Method;
use serde_json::{Value, json};

use super::{CONTENTS, REPO, get, send};
use crate::git_refs::seed::{GADGETS, WIDGETS, archive, create_history, gadgets, start};
use crate::harness::{Answer, Service};

async fn put(service: &Service, path: &str, body: Value) -> Answer {
    send(service, Method::PUT, path, body).await
}

async fn delete(service: &Service, path: &str, body: Value) -> Answer {
    send(service, Method::DELETE, path, body).await
}

/// The body that writes a file with the content `x`.
fn file() -> Value {
    json!({"message": "Write", "content": "eA=="})
}

async fn sha_of(service: &Service, path: &str) -> Value {
    let found = get(service, &format!("contents/{path}")).await.expect(200);
    found.json()["sha"].clone()
}

#[tokio::test]
async fn create_or_update_file_201_with_a_commit_on_the_branch() {
    let (service, history) = gadgets().await;
    let created = put(&service, "docs/new%20file.md", file())
        .await
        .expect(201)
        .json();
    assert_eq!(created["content"]["path"], "docs/new file.md");
    assert_eq!(created["content"]["size"], 1);
    assert_eq!(created["commit"]["message"], "Write");
    assert_eq!(created["commit"]["parents"][0]["sha"], history.main);
    assert_eq!(created["commit"]["author"]["name"], "Alice Liddell");
    let shown = get(&service, "contents/docs/new%20file.md")
        .await
        .expect(200);
    assert_eq!(shown.json()["content"], "eA==\n");
    let branch = get(&service, "branches/main").await.expect(200).json();
    assert_eq!(branch["commit"]["sha"], created["commit"]["sha"]);
    let log = get(&service, "commits?path=docs").await.expect(200).json();
    assert_eq!(log[0]["sha"], created["commit"]["sha"]);
    assert_eq!(log.as_array().unwrap().len(), 1);
}

/// Files may be larger than the limit on other bodies.
#[tokio::test]
async fn create_or_update_file_201_with_a_large_file() {
    let (service, _) = gadgets().await;
    let body = json!({"message": "Write", "content": "eHh4".repeat(1 << 20)});
    let created = put(&service, "large.txt", body).await.expect(201).json();
    assert_eq!(created["content"]["size"], 3 << 20);
    let blob = json!({"content": "x".repeat(3 << 20)});
    let path = format!("{REPO}/git/blobs");
    let blob = service.as_("alice-classic").post(&path, blob).await;
    assert_eq!(blob.expect(201).json()["sha"], created["content"]["sha"]);
    let body = json!({"message": "Write", "content": "eHh4".repeat(8 << 20)});
    put(&service, "larger.txt", body).await.expect(413);
}

#[tokio::test]
async fn create_or_update_file_200_with_the_sha_of_the_replaced_file() {
    let (service, _) = gadgets().await;
    let mut body = file();
    body["sha"] = sha_of(&service, "README.md").await;
    body["branch"] = json!("main");
    body["committer"] = json!({"name": "C", "email": "c@d.e", "date": "2026-01-02T03:04:05Z"});
    let updated = put(&service, "README.md", body).await.expect(200).json();
    assert_eq!(updated["commit"]["committer"]["name"], "C");
    assert_eq!(updated["commit"]["author"]["name"], "C");
    assert_eq!(updated["commit"]["author"]["date"], "2026-01-02T03:04:05Z");
    let shown = get(&service, "contents/README.md").await.expect(200).json();
    assert_eq!(shown["sha"], updated["content"]["sha"]);
}

#[tokio::test]
async fn create_or_update_file_201_creates_the_first_commit_of_an_empty_repository() {
    let service = start().await;
    let created = put(&service, "README.md", file()).await.expect(201).json();
    assert_eq!(created["commit"]["parents"], json!([]));
    let branches = get(&service, "branches").await.expect(200).json();
    assert_eq!(branches[0]["name"], "main");
    assert_eq!(branches[0]["commit"]["sha"], created["commit"]["sha"]);
}

#[tokio::test]
async fn create_or_update_file_200_keeps_a_file_executable() {
    let (service, history) = gadgets().await;
    let entries = json!([{"path": "run", "mode": "100755", "content": "1"}]);
    super::create_branch(&service, "tools", &history.main, entries).await;
    let mut body = file();
    let old = get(&service, "contents/run?ref=tools").await.expect(200);
    body["sha"] = old.json()["sha"].clone();
    body["branch"] = json!("tools");
    put(&service, "run", body).await.expect(200);
    let tree = get(&service, "git/trees/tools").await.expect(200).json();
    assert_eq!(tree["tree"][1]["mode"], "100755");
}

#[tokio::test]
async fn create_or_update_file_403_for_readers_workflow_files_and_archived_repositories() {
    let (service, history) = gadgets().await;
    let path = format!("{CONTENTS}/a");
    let body = Some(file().to_string());
    let reader = service.as_("bob-classic");
    reader
        .send(Method::PUT, &path, body.clone())
        .await
        .expect(403);
    let flow = format!("{CONTENTS}/.github/workflows/ci.yml");
    let alice = service.as_("alice-repo-only");
    let refused = alice
        .send(Method::PUT, &flow, body.clone())
        .await
        .expect(403);
    assert!(refused.message().contains("workflow"), "{}", refused.text);
    let branch = get(&service, "branches/main").await.expect(200).json();
    assert_eq!(branch["commit"]["sha"], history.main, "nothing was written");
    alice
        .send(Method::PUT, &path, body.clone())
        .await
        .expect(201);
    archive(&service, GADGETS).await;
    alice.send(Method::PUT, &path, body).await.expect(403);
}

#[tokio::test]
async fn create_or_update_file_404_when_there_is_no_such_branch() {
    let (service, _) = gadgets().await;
    let mut body = file();
    body["branch"] = json!("nothing");
    let none = put(&service, "a", body.clone()).await.expect(404);
    assert_eq!(none.message(), "Branch nothing not found");
    let hidden = "/repos/acme/widgets/contents/a";
    let mallory = service.as_("mallory-classic");
    mallory
        .send(Method::PUT, hidden, Some(body.to_string()))
        .await
        .expect(404);
}

#[tokio::test]
async fn create_or_update_file_409_when_the_sha_does_not_match() {
    let (service, history) = gadgets().await;
    let mut body = file();
    body["sha"] = json!(history.blob);
    let other = put(&service, "README.md", body.clone()).await.expect(409);
    let message = format!("README.md does not match {}", history.blob);
    assert_eq!(other.message(), message);
    put(&service, "nothing.md", body).await.expect(409);
}

/// Of several concurrent updates of the same content, one succeeds.
#[tokio::test]
async fn create_or_update_file_409_for_all_but_one_of_concurrent_updates() {
    let (service, _) = gadgets().await;
    let sha = sha_of(&service, "README.md").await;
    let change = |content: &str| {
        let body = json!({"message": "Race", "content": content, "sha": sha});
        put(&service, "README.md", body)
    };
    let answers = tokio::join!(change("YQ=="), change("Yg=="), change("Yw=="));
    let mut statuses = [answers.0, answers.1, answers.2].map(|answer| answer.status.as_u16());
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409, 409]);
    let create = |path: &'static str| put(&service, path, file());
    let answers = tokio::join!(create("a"), create("b"), create("c"));
    for answer in [answers.0, answers.1, answers.2] {
        answer.expect(201);
    }
    let log = get(&service, "commits").await.expect(200).json();
    assert_eq!(log.as_array().unwrap().len(), 6);
}

#[tokio::test]
async fn create_or_update_file_422_when_a_field_is_missing_or_invalid() {
    let (service, _) = gadgets().await;
    let unnamed = put(&service, "README.md", file()).await.expect(422);
    let message = "Invalid request.\n\n\"sha\" wasn't supplied.";
    assert_eq!(unnamed.message(), message);
    for (path, body) in [
        ("a", json!({"content": "eA=="})),
        ("a", json!({"message": "x"})),
        ("a", json!({"message": "x", "content": "%"})),
        ("a", json!({"message": "", "content": "eA=="})),
        (
            "a",
            json!({"message": "x", "content": "eA==", "branch": "a..b"}),
        ),
        (
            "a",
            json!({"message": "x", "content": "eA==", "author": {"name": "A"}}),
        ),
        ("README.md/a", file()),
        ("a/../b", file()),
        (".git/config", file()),
    ] {
        let answer = put(&service, path, body.clone()).await;
        assert_eq!(answer.status, 422, "{path} {body} {}", answer.text);
    }
    let deep = format!("{}b", "a/".repeat(15_000));
    put(&service, &deep, file()).await.expect(422);
}

/// The same as in a push: a clone reads these files.
#[tokio::test]
async fn create_or_update_file_422_when_git_refuses_what_it_reads() {
    let (service, _) = gadgets().await;
    let write = |text: &str| json!({"message": "Write", "content": STANDARD.encode(text)});
    let unsafe_text = "[submodule \"a\"]\n\tpath = a\n\turl = -u./payload\n";
    for name in [".gitmodules", "lib/.gitmodules", ".GITMODULES", "gitmod~1"] {
        let refused = put(&service, name, write(unsafe_text)).await.expect(422);
        let message = "path has a submodule with an unsafe address";
        assert_eq!(refused.message(), message, "{name}");
    }
    let long = format!("* text\n{}\n", "a ".repeat(1024));
    let refused = put(&service, ".gitattributes", write(&long)).await;
    let message = "path has a line of 2048 bytes or more";
    assert_eq!(refused.expect(422).message(), message);
    let large = write(&"# 4567\n".repeat(150_000));
    let refused = put(&service, ".gitmodules", large).await.expect(422);
    assert_eq!(refused.message(), "path is larger than 1 MiB");
    for path in [".gitmodules/a", ".gitattributes/a"] {
        put(&service, path, write("x")).await.expect(422);
    }
    let usual = unsafe_text.replace("-u./payload", "../payload");
    for (path, text) in [
        (".gitmodules", &usual[..]),
        (".gitattributes", "* text\n"),
        ("modules", unsafe_text),
        (".gitmodules.md", unsafe_text),
    ] {
        put(&service, path, write(text)).await.expect(201);
    }
    let sha = sha_of(&service, ".gitmodules").await;
    let mut update = write(unsafe_text);
    update["sha"] = sha;
    put(&service, ".gitmodules", update).await.expect(422);
}

#[tokio::test]
async fn delete_file_200_with_a_commit() {
    let (service, history) = gadgets().await;
    let sha = sha_of(&service, "README.md").await;
    let body = json!({"message": "Remove", "sha": sha, "branch": "main"});
    let deleted = delete(&service, "README.md", body).await.expect(200).json();
    assert_eq!(deleted["content"], Value::Null);
    assert_eq!(deleted["commit"]["parents"][0]["sha"], history.main);
    assert_eq!(
        deleted["commit"]["tree"]["sha"],
        "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    );
    get(&service, "contents/README.md").await.expect(404);
    assert_eq!(get(&service, "contents").await.expect(200).text, "[]");
}

#[tokio::test]
async fn delete_file_403_for_readers_and_archived_repositories() {
    let (service, _) = gadgets().await;
    let sha = sha_of(&service, "README.md").await;
    let body = json!({"message": "Remove", "sha": sha});
    let path = format!("{CONTENTS}/README.md");
    let reader = service.as_("bob-classic");
    reader
        .send(Method::DELETE, &path, Some(body.to_string()))
        .await
        .expect(403);
    archive(&service, GADGETS).await;
    delete(&service, "README.md", body).await.expect(403);
}

#[tokio::test]
async fn delete_file_404_when_there_is_no_such_file_or_branch() {
    let (service, history) = gadgets().await;
    let body = json!({"message": "Remove", "sha": history.blob});
    delete(&service, "nothing", body.clone()).await.expect(404);
    let body = json!({"message": "Remove", "sha": history.blob, "branch": "nothing"});
    delete(&service, "README.md", body).await.expect(404);
}

#[tokio::test]
async fn delete_file_409_when_the_sha_does_not_match() {
    let (service, history) = gadgets().await;
    let body = json!({"message": "Remove", "sha": history.blob});
    delete(&service, "README.md", body).await.expect(409);
}

#[tokio::test]
async fn delete_file_422_when_a_field_is_missing() {
    let (service, _) = gadgets().await;
    delete(&service, "README.md", json!({"message": "x"}))
        .await
        .expect(422);
    delete(&service, "README.md", json!({})).await.expect(422);
}

/// A pull request follows its branch, as with any other update.
#[tokio::test]
async fn a_change_moves_the_head_of_a_pull_request() {
    let (service, history) = gadgets().await;
    crate::git_refs::seed::open_pull(&service, 1, "side", &history.side).await;
    let mut body = file();
    body["branch"] = json!("side");
    let created = put(&service, "a", body).await.expect(201).json();
    let pull = service.anonymous().get(&format!("{REPO}/pulls/1")).await;
    assert_eq!(
        pull.expect(200).json()["head"]["sha"],
        created["commit"]["sha"]
    );
}

#[tokio::test]
async fn an_installation_commits_as_its_bot() {
    let service = start().await;
    create_history(&service, WIDGETS).await;
    let bot = service.as_("ci-bot-installation");
    let path = "/repos/acme/widgets/contents/a";
    let created = bot.send(Method::PUT, path, Some(file().to_string())).await;
    let email = created.expect(201).json()["commit"]["author"]["email"].clone();
    let email = email.as_str().unwrap();
    assert!(
        email.ends_with("+ci-bot[bot]@users.noreply.invalid"),
        "{email}"
    );
}
