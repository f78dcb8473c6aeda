//! Reading commits, branches and tags: lists here, one commit in `single.rs`, comparisons in
//! `comparing.rs`, long messages in `long.rs`.

mod comparing;
pub mod long;
mod single;

use serde_json::Value;

use crate::git_refs::seed::{add_branches, gadgets, start};
use crate::harness::{Answer, Service};

const REPO: &str = "/repos/acme/gadgets";
const HIDDEN: &str = "/repos/acme/widgets";

async fn get(service: &Service, rest: &str) -> Answer {
    service.anonymous().get(&format!("{REPO}/{rest}")).await
}

fn shas(answer: &Answer) -> Vec<String> {
    values(&answer.json(), "sha")
}

fn values(list: &Value, key: &str) -> Vec<String> {
    let items = list.as_array().unwrap().iter();
    items
        .map(|item| item[key].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn list_commits_200_from_a_branch_tag_or_sha_newest_first() {
    let (service, history) = gadgets().await;
    let main = get(&service, "commits").await.expect(200);
    assert_eq!(shas(&main), [history.main.clone(), history.root.clone()]);
    let first = &main.json()[0];
    assert_eq!(first["commit"]["message"], "A commit\n\nWhy");
    assert_eq!(first["author"], Value::Null);
    assert_eq!(first["parents"][0]["sha"], history.root);
    let side = [history.side.clone(), history.root.clone()];
    for name in [
        "side",
        "heads/side",
        "refs/heads/side",
        &history.side,
        &history.side[..8],
    ] {
        let list = get(&service, &format!("commits?sha={name}"))
            .await
            .expect(200);
        assert_eq!(shas(&list), side, "{name}");
    }
    let tag = get(&service, "commits?sha=v1").await.expect(200);
    assert_eq!(shas(&tag), [history.root]);
}

#[tokio::test]
async fn list_commits_200_filtered_by_path_author_and_date() {
    let (service, history) = gadgets().await;
    let list = |query: &'static str| {
        let path = format!("commits?sha={}&{query}", history.after_workflow);
        let service = &service;
        async move { shas(&get(service, &path).await.expect(200)) }
    };
    assert_eq!(list("path=.github").await, [history.workflow.as_str()]);
    assert_eq!(
        list("path=.github/workflows/ci.yml").await,
        [history.workflow.as_str()]
    );
    let readme = [
        history.after_workflow.clone(),
        history.main.clone(),
        history.root.clone(),
    ];
    assert_eq!(list("path=README.md").await, readme);
    assert_eq!(
        list("path=README.md&per_page=1&page=2").await,
        [history.main.as_str()]
    );
    assert!(list("path=nothing").await.is_empty());
    assert_eq!(list("author=tess@example.com").await.len(), 4);
    assert!(list("author=alice").await.is_empty());
    assert!(list("committer=alice").await.is_empty());
    assert_eq!(list("since=2023-11-14T00:00:00Z").await.len(), 4);
    assert!(list("until=2023-11-14T00:00:00Z").await.is_empty());
    assert!(list("since=2024-01-01T00:00:00Z").await.is_empty());
}

#[tokio::test]
async fn list_commits_200_in_pages_with_links() {
    let (service, history) = gadgets().await;
    let path = format!("commits?sha={}&per_page=2", history.after_workflow);
    let first = get(&service, &path).await.expect(200);
    assert_eq!(
        shas(&first),
        [history.after_workflow.clone(), history.workflow.clone()]
    );
    let link = first.header("link").unwrap();
    assert!(link.contains("page=2>; rel=\"next\""), "{link}");
    assert!(link.contains("page=2>; rel=\"last\""), "{link}");
    let second = get(&service, &format!("{path}&page=2")).await.expect(200);
    assert_eq!(shas(&second), [history.main, history.root]);
    let third = get(&service, &format!("{path}&page=9")).await.expect(200);
    assert!(shas(&third).is_empty());
}

/// An author with an email address of this service is shown with the account.
#[tokio::test]
async fn list_commits_200_with_the_accounts_of_authors() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    let body = serde_json::json!({"message": "Mine", "tree": history.tree});
    let created = alice
        .post(&format!("{REPO}/git/commits"), body)
        .await
        .expect(201);
    let sha = created.json()["sha"].as_str().unwrap().to_owned();
    let list = get(&service, &format!("commits?sha={sha}"))
        .await
        .expect(200)
        .json();
    assert_eq!(list[0]["author"]["login"], "alice");
    assert_eq!(list[0]["committer"]["id"], 1001);
    let list = get(&service, &format!("commits?sha={sha}&author=ALICE")).await;
    assert_eq!(shas(&list.expect(200)), [sha]);
}

#[tokio::test]
async fn list_commits_404_and_409_when_the_name_is_unknown_or_the_repository_hidden_or_empty() {
    let (service, _) = gadgets().await;
    get(&service, "commits?sha=nothing").await.expect(404);
    let hidden = format!("{HIDDEN}/commits");
    service.anonymous().get(&hidden).await.expect(404);
    service.as_("alice-classic").get(&hidden).await.expect(409);
}

#[tokio::test]
async fn list_commits_422_when_a_date_is_invalid() {
    let (service, _) = gadgets().await;
    get(&service, "commits?since=yesterday").await.expect(422);
}

#[tokio::test]
async fn list_branches_200_in_pages() {
    let (service, history) = gadgets().await;
    let list = get(&service, "branches").await.expect(200).json();
    assert_eq!(values(&list, "name"), ["main", "side"]);
    assert_eq!(list[0]["commit"]["sha"], history.main);
    assert_eq!(list[0]["protected"], false);
    assert_eq!(list[0]["protection"]["enabled"], false);
    let checks = &list[0]["protection"]["required_status_checks"];
    assert_eq!(checks["enforcement_level"], "off");
    let url = list[0]["protection_url"].as_str().unwrap();
    assert!(
        url.ends_with("/repos/acme/gadgets/branches/main/protection"),
        "{url}"
    );
    let protected = get(&service, "branches?protected=true").await.expect(200);
    assert_eq!(protected.text, "[]");
    let all = get(&service, "branches?protected=false").await.expect(200);
    assert_eq!(all.json(), list);
    let second = get(&service, "branches?per_page=1&page=2")
        .await
        .expect(200);
    assert_eq!(values(&second.json(), "name"), ["side"]);
    let link = second.header("link").unwrap();
    assert!(link.contains("rel=\"prev\""), "{link}");
}

#[tokio::test]
async fn list_branches_200_with_an_empty_list() {
    let service = start().await;
    assert_eq!(get(&service, "branches").await.expect(200).text, "[]");
    assert_eq!(get(&service, "tags").await.expect(200).text, "[]");
}

#[tokio::test]
async fn list_branches_422_when_protected_is_neither_true_nor_false() {
    let (service, _) = gadgets().await;
    let path = format!("{REPO}/branches?protected=perhaps");
    service.anonymous().get(&path).await.expect(422);
}

#[tokio::test]
async fn list_branches_404_when_the_repository_is_hidden() {
    let (service, _) = gadgets().await;
    let hidden = format!("{HIDDEN}/branches");
    service.anonymous().get(&hidden).await.expect(404);
}

#[tokio::test]
async fn get_branch_200_when_the_name_has_a_slash() {
    let (service, history) = gadgets().await;
    let transaction = service.app.db.begin().await.unwrap();
    let names = ["refs/heads/feature/a".to_owned()].into_iter();
    add_branches(&transaction, &history.side, names).await;
    transaction.commit().await.unwrap();
    for path in ["branches/feature/a", "branches/feature%2Fa"] {
        let branch = get(&service, path).await.expect(200).json();
        assert_eq!(branch["name"], "feature/a");
        assert_eq!(branch["commit"]["sha"], history.side);
        assert_eq!(branch["protection"]["enabled"], false);
    }
}

#[tokio::test]
async fn get_branch_404_when_the_branch_does_not_exist() {
    let (service, _) = gadgets().await;
    let none = get(&service, "branches/nothing").await.expect(404);
    assert_eq!(none.message(), "Branch not found");
    let hidden = format!("{HIDDEN}/branches/main");
    let hidden = service.anonymous().get(&hidden).await.expect(404);
    assert_eq!(hidden.message(), "Not Found");
}

#[tokio::test]
async fn list_tags_200_with_the_tagged_commits() {
    let (service, history) = gadgets().await;
    let tag = serde_json::json!({"ref": "refs/tags/v0", "sha": history.main});
    let alice = service.as_("alice-classic");
    alice
        .post(&format!("{REPO}/git/refs"), tag)
        .await
        .expect(201);
    let tag = serde_json::json!({"ref": "refs/tags/v2", "sha": history.tag_of_tag});
    alice
        .post(&format!("{REPO}/git/refs"), tag)
        .await
        .expect(201);
    let list = get(&service, "tags").await.expect(200).json();
    assert_eq!(values(&list, "name"), ["v2", "v1", "v0"]);
    assert_eq!(list[0]["commit"]["sha"], history.root);
    assert_eq!(list[1]["commit"]["sha"], history.root);
    assert_eq!(list[2]["commit"]["sha"], history.main);
}
