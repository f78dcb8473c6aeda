//! The examples of the documents match the demo world, so that they work in Swagger UI.

use contract::EXAMPLE_ORIGIN;
use contract::git_objects::{EXAMPLE_TAG_SHA, EXAMPLE_TREE, GitCommit, GitTag, GitTree};
use contract::git_refs::{CreateRef, EXAMPLE_SHA, GitRef, UpdateRef};
use forge::app::Settings;
use poem_openapi::types::{Example, ToJSON};
use serde_json::Value;

use super::REFS;
use crate::harness::Service;

const DEMO: &str = include_str!("../../../crates/world/src/demo.yaml");
const GIT: &str = "/repos/acme/gadgets/git";

fn example<T: Example + ToJSON>() -> Value {
    T::example().to_json().unwrap()
}

#[tokio::test]
async fn the_examples_of_the_documents_match_the_demo_world() {
    let service = Service::with(DEMO, Settings::default()).await;
    let host = EXAMPLE_ORIGIN.strip_prefix("http://").unwrap();
    let anonymous = service.anonymous().header("Host", host);
    for (path, shown) in [
        (format!("{GIT}/ref/heads/main"), example::<GitRef>()),
        (
            format!("{GIT}/commits/{EXAMPLE_SHA}"),
            example::<GitCommit>(),
        ),
        (format!("{GIT}/tags/{EXAMPLE_TAG_SHA}"), example::<GitTag>()),
        (format!("{GIT}/trees/{EXAMPLE_TREE}"), example::<GitTree>()),
    ] {
        assert_eq!(
            anonymous.get(&path).await.expect(200).json(),
            shown,
            "{path}"
        );
    }
}

#[tokio::test]
async fn the_example_bodies_can_be_sent_unchanged() {
    let service = Service::with(DEMO, Settings::default()).await;
    let alice = service.as_("ghp_demo_alice_admin");
    alice.post(REFS, example::<CreateRef>()).await.expect(201);
    let main = format!("{REFS}/heads/main");
    alice.patch(&main, example::<UpdateRef>()).await.expect(200);
}
