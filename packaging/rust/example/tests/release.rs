//! The app under test: when all is well, when it may not, and when others do the same.

use forgewright::testing::{self, World};
use forgewright_example::make_release_branch;
use octocrab::{Error, Octocrab};

const GADGETS: (&str, &str) = ("acme", "gadgets");

/// A client of a world, with the token of somebody in it.
fn client(world: &World, holder: &str) -> Octocrab {
    let token = world.token(holder).unwrap().to_owned();
    let builder = Octocrab::builder().base_uri(world.url()).unwrap();
    builder.personal_token(token).build().unwrap()
}

/// The status and the message of a refusal.
fn refusal(outcome: octocrab::Result<String>) -> (u16, String) {
    match outcome {
        Err(Error::GitHub { source, .. }) => (source.status_code.as_u16(), source.message.clone()),
        other => panic!("the server did not refuse it: {other:?}"),
    }
}

#[tokio::test]
async fn a_release_has_a_branch() {
    let forge = testing::start().await.unwrap();
    let alice = client(&forge, "alice");
    let branch = make_release_branch(&alice, GADGETS, "1.0").await.unwrap();
    assert_eq!(branch, "release/1.0");
    let repository = alice.repos(GADGETS.0, GADGETS.1);
    let commits = repository.list_commits().branch(branch).send().await;
    assert!(!commits.unwrap().items.is_empty());
}

#[tokio::test]
async fn whoever_may_not_write_makes_none() {
    let forge = testing::start().await.unwrap();
    let outcome = make_release_branch(&client(&forge, "dave"), GADGETS, "1.0").await;
    assert_eq!(refusal(outcome).0, 403);
}

#[tokio::test]
async fn tests_that_make_the_same_release_have_a_world_each() {
    let forge = testing::start().await.unwrap();
    for _ in 0..2 {
        let world = forge.world().await.unwrap();
        let alice = client(&world, "alice");
        make_release_branch(&alice, GADGETS, "1.0").await.unwrap();
        let again = refusal(make_release_branch(&alice, GADGETS, "1.0").await);
        assert_eq!(again, (422, "Reference already exists".to_owned()));
    }
}
