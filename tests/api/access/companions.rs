//! Operations around the service that lead to the same Git data: the table does
//! not speak of them, and they take the same permission.

use super::{ADMINISTRATOR, start};

const GIT: &str = "/repos/acme/widgets/git";

/// A token that reaches the private repository and may not read its contents is
/// told so; with the permission it reads what is there.
async fn takes_contents_to_read(path: &str) {
    let service = start().await;
    for token in [
        "fine-grained-administrator-metadata",
        "app-user-administrator-metadata",
        "installation-metadata",
    ] {
        let answer = service.as_(token).get(path).await.expect(403);
        let message = answer.message();
        assert!(message.starts_with("Resource not accessible by"), "{token}");
    }
    for token in ["fine-grained-administrator-read", "installation-read"] {
        service.as_(token).get(path).await.expect(200);
    }
}

async fn sha_of(name: &str) -> String {
    let service = start().await;
    let path = format!("{GIT}/ref/{name}");
    let found = service.as_(ADMINISTRATOR).get(&path).await.expect(200);
    found.json()["object"]["sha"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn list_refs_403_when_the_token_may_not_read_contents() {
    takes_contents_to_read(&format!("{GIT}/refs")).await;
}

#[tokio::test]
async fn list_all_matching_refs_403_when_the_token_may_not_read_contents() {
    takes_contents_to_read(&format!("{GIT}/matching-refs")).await;
}

#[tokio::test]
async fn find_refs_403_when_the_token_may_not_read_contents() {
    takes_contents_to_read(&format!("{GIT}/refs/heads/main")).await;
}

#[tokio::test]
async fn get_commit_403_when_the_token_may_not_read_contents() {
    let sha = sha_of("heads/main").await;
    takes_contents_to_read(&format!("{GIT}/commits/{sha}")).await;
}

#[tokio::test]
async fn get_tree_403_when_the_token_may_not_read_contents() {
    takes_contents_to_read(&format!("{GIT}/trees/main")).await;
}

#[tokio::test]
async fn get_tag_403_when_the_token_may_not_read_contents() {
    let sha = sha_of("tags/v1").await;
    takes_contents_to_read(&format!("{GIT}/tags/{sha}")).await;
}
