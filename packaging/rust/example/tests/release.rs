//! Tests the app: success, a refused request, and isolated worlds.

use forgewright::testing::{self, World};
use forgewright_example::create_release_branch;
use octocrab::{Error, Octocrab};

const GADGETS: (&str, &str) = ("acme", "gadgets");

/// Returns a client for a world, with the token of a user.
fn client(world: &World, holder: &str) -> Octocrab {
    let token = world.token(holder).unwrap().to_owned();
    let builder = Octocrab::builder().base_uri(world.url()).unwrap();
    builder.personal_token(token).build().unwrap()
}

/// Returns the status and the message of an error response.
fn refusal(outcome: octocrab::Result<String>) -> (u16, String) {
    match outcome {
        Err(Error::GitHub { source, .. }) => (source.status_code.as_u16(), source.message.clone()),
        other => panic!("not an error response: {other:?}"),
    }
}

#[tokio::test]
async fn a_release_gets_a_branch() {
    let forge = testing::start().await.unwrap();
    let alice = client(&forge, "alice");
    let branch = create_release_branch(&alice, GADGETS, "1.0").await.unwrap();
    assert_eq!(branch, "release/1.0");
    let repository = alice.repos(GADGETS.0, GADGETS.1);
    let commits = repository.list_commits().branch(branch).send().await;
    assert!(!commits.unwrap().items.is_empty());
}

#[tokio::test]
async fn a_user_without_write_access_is_refused() {
    let forge = testing::start().await.unwrap();
    let outcome = create_release_branch(&client(&forge, "dave"), GADGETS, "1.0").await;
    assert_eq!(refusal(outcome).0, 403);
}

#[tokio::test]
async fn each_world_can_have_the_same_release() {
    let forge = testing::start().await.unwrap();
    for _ in 0..2 {
        let world = forge.world().await.unwrap();
        let alice = client(&world, "alice");
        create_release_branch(&alice, GADGETS, "1.0").await.unwrap();
        let again = refusal(create_release_branch(&alice, GADGETS, "1.0").await);
        assert_eq!(again, (422, "Reference already exists".to_owned()));
    }
}
