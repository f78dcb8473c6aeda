//! What an installation token may do after its app has lost permissions.

use forge::app::Settings;
use serde_json::json;
use world::load::{Loader, WorldSource};

use super::{PUBLIC_KEY, WORLD, as_app};
use crate::harness::Service;

const GRANTED: &str = "permissions: {contents: write, pull_requests: read}";

/// The repository, and its contents.
const WIDGETS: &str = "full_name: acme/widgets, visibility: private";
const HISTORY: &str = "git: {commits: [{id: one, message: One, files: {f: one}}, \
                       {id: two, message: Two, files: {f: two}}], \
                       refs: {refs/heads/main: one, refs/heads/topic: two}}, \
                       pulls: [{number: 1, title: T, author: alice, base: main, head: topic}]";

/// A world in which the app has these permissions.
fn world(permissions: &str) -> String {
    assert!(WORLD.contains(GRANTED) && WORLD.contains(WIDGETS));
    let key = PUBLIC_KEY.trim().replace('\n', "\\n");
    WORLD
        .replace("KEY", &key)
        .replace(GRANTED, permissions)
        .replace(WIDGETS, &format!("{WIDGETS}, {HISTORY}"))
}

/// Loads the world again, with other permissions for the app.
async fn grant(service: &Service, permissions: &str) {
    let loader = Loader::new(&service.app.db, &*service.app.clock, &*service.app.entropy);
    let source = WorldSource::inline("world.yaml", world(permissions));
    let loaded = loader.load(&source).await;
    loaded.unwrap_or_else(|error| panic!("{error}"));
}

#[tokio::test]
async fn create_installation_token_201_loses_permissions_as_soon_as_its_installation_does() {
    let service = Service::with(&world(GRANTED), Settings::default()).await;
    let path = "/app/installations/7001/access_tokens";
    let minted = as_app(&service).post(path, json!({})).await.expect(201);
    let token = minted.json()["token"].as_str().unwrap().to_owned();
    let caller = service.as_(&token);
    let head = caller.get("/repos/acme/widgets/git/ref/heads/main").await;
    let sha = head.expect(200).json()["object"]["sha"].clone();
    let create = async |name: &str| {
        let body = json!({"ref": format!("refs/heads/{name}"), "sha": sha});
        caller.post("/repos/acme/widgets/git/refs", body).await
    };
    create("one").await.expect(201);
    let comments = "/repos/acme/widgets/pulls/1/comments";
    caller.get(comments).await.expect(200);
    grant(&service, "permissions: {contents: read}").await;
    let refused = create("two").await.expect(403);
    assert_eq!(refused.message(), "Resource not accessible by integration");
    caller.get(comments).await.expect(403);
    let read = caller.get("/repos/acme/widgets/git/ref/heads/one").await;
    read.expect(200);
    grant(&service, "permissions: {metadata: read}").await;
    create("three").await.expect(403);
    grant(&service, GRANTED).await;
    create("three").await.expect(201);
}
