//! Getting one pull request.

use forge::app::Settings;
use sea_orm::{ActiveModelTrait, Set};
use serde_json::{Value, json};
use storage::entities::pull;
use world::load::{Loader, WorldSource};

use crate::harness::{Service, WORLD};

const HEAD: &str = "0123456789abcdef0123456789abcdef01234567";
const BASE: &str = "89abcdef0123456789abcdef0123456789abcdef";

/// Inserts an open pull request of bob.
pub async fn open_pull(service: &Service, repository: i64, number: i64) {
    let transaction = service.app.db.begin().await.unwrap();
    let row = pull::ActiveModel {
        repository_id: Set(repository),
        number: Set(number),
        title: Set("Use a digit".to_owned()),
        body: Set(Some("Shorter.".to_owned())),
        author_id: Set(1002),
        base_ref: Set("main".to_owned()),
        base_sha: Set(BASE.to_owned()),
        head_ref: Set("topic".to_owned()),
        head_sha: Set(HEAD.to_owned()),
        state: Set(pull::PullState::Open),
        locked: Set(false),
        created_at: Set(1_773_135_000),
        updated_at: Set(1_773_135_000),
        closed_at: Set(None),
        merged_at: Set(None),
        ..Default::default()
    };
    row.insert(&*transaction).await.unwrap();
    transaction.commit().await.unwrap();
}

#[tokio::test]
async fn get_pull_200_with_both_branches() {
    let service = Service::start().await;
    open_pull(&service, 2002, 1).await;
    let answer = service
        .anonymous()
        .get("/api/v3/repos/acme/gadgets/pulls/1")
        .await;
    let pull = answer.expect(200).json();
    assert_eq!(pull["number"], 1);
    assert_eq!(pull["state"], "open");
    assert_eq!(pull["user"]["login"], "bob");
    assert_eq!(pull["head"]["ref"], "topic");
    assert_eq!(pull["head"]["sha"], HEAD);
    assert_eq!(pull["head"]["label"], "acme:topic");
    assert_eq!(pull["base"]["ref"], "main");
    assert_eq!(pull["base"]["repo"]["full_name"], "acme/gadgets");
    assert_eq!(pull["merged"], false);
    assert_eq!(pull["review_comments"], 0);
    let url = pull["review_comments_url"].as_str().unwrap();
    assert!(url.ends_with("/api/v3/repos/acme/gadgets/pulls/1/comments"));
    let link = &pull["_links"]["self"]["href"];
    assert_eq!(*link, pull["url"]);
}

#[tokio::test]
async fn get_pull_200_with_its_counts_and_the_author_association() {
    let world = include_str!("../review_comments/world.yaml");
    let service = Service::with(world, Settings::default()).await;
    let path = "/repos/acme/gadgets/pulls/1";
    let pull = service.anonymous().get(path).await.expect(200).json();
    // See `git diff --shortstat main...topic` and `git rev-list --count main..topic`.
    let counts = ["commits", "changed_files", "additions", "deletions"];
    let counted = counts.map(|key| pull[key].as_i64());
    assert_eq!(counted, [Some(2), Some(3), Some(4), Some(4)]);
    assert_eq!(pull["author_association"], "MEMBER");
    assert_eq!(pull["mergeable_state"], "clean");
    assert_eq!(pull["mergeable"], true);
    assert_eq!(pull["labels"], json!([]));
    for key in ["milestone", "auto_merge", "merged_by"] {
        assert_eq!(pull.get(key), Some(&Value::Null), "{key}");
    }
}

#[tokio::test]
async fn get_pull_404_when_absent_or_private() {
    let service = Service::start().await;
    open_pull(&service, 2001, 1).await;
    let caller = service.as_("alice-classic");
    caller.get("/repos/acme/widgets/pulls/1").await.expect(200);
    caller.get("/repos/acme/widgets/pulls/2").await.expect(404);
    caller.get("/repos/acme/gadgets/pulls/1").await.expect(404);
    let stranger = service.as_("mallory-classic");
    stranger
        .get("/repos/acme/widgets/pulls/1")
        .await
        .expect(404);
}

/// A cached response would miss a new account.
#[tokio::test]
async fn get_pull_200_links_a_mentioned_user_as_soon_as_the_account_exists() {
    let world = WORLD.replace(
        "full_name: acme/gadgets, visibility: public}",
        "full_name: acme/gadgets, visibility: public, git: {commits: [{id: one, message: One}], \
         refs: {refs/heads/main: one, refs/heads/topic: one}}, pulls: [{number: 1, title: T, \
         body: \"Ask @nell.\", author: bob, base: main, head: topic}]}",
    );
    let service = Service::with(&world, Settings::default()).await;
    let caller = service.anonymous();
    let caller = caller.header("Accept", "application/vnd.github.html+json");
    let html = async || {
        let answer = caller.get("/repos/acme/gadgets/pulls/1").await.expect(200);
        answer.json()["body_html"].as_str().unwrap().to_owned()
    };
    assert!(!html().await.contains("href"));
    let loader = Loader::new(&service.app.db, &*service.app.clock, &*service.app.entropy);
    let more = WorldSource::inline("more.yaml", "users: [{login: nell}]");
    assert!(loader.load(&more).await.is_ok());
    assert!(html().await.contains("/nell\""));
}

/// A world with two branches that change a long file near its ends, so that all of it is
/// compared.
fn long_file() -> String {
    let text = |changed: [usize; 2]| {
        let line = |number: usize| match changed.contains(&number) {
            true => "changed\\n".to_owned(),
            false => format!("{number}\\n"),
        };
        (0..45_000).map(line).collect::<String>()
    };
    let [base, main, topic] = [[usize::MAX; 2], [10, 44_990], [0, 44_999]].map(text);
    format!(
        "users: [{{login: alice}}]
repositories:
  - full_name: alice/long
    visibility: public
    git:
      commits:
        - {{id: base, message: Base, files: {{a.txt: \"{base}\"}}}}
        - {{id: main, parents: [base], message: Main, files: {{a.txt: \"{main}\"}}}}
        - {{id: topic, parents: [base], message: Topic, files: {{a.txt: \"{topic}\"}}}}
      refs: {{refs/heads/main: main, refs/heads/topic: topic}}
    pulls:
      - {{number: 1, title: Long, author: alice, base: main, head: topic}}
"
    )
}

/// Computing one part of the response leaves enough of the line budget for the others.
#[tokio::test]
async fn get_pull_200_with_every_computed_key_for_long_files() {
    let service = Service::with(&long_file(), Settings::default()).await;
    let path = "/repos/alice/long/pulls/1";
    let pull = service.anonymous().get(path).await.expect(200).json();
    assert_eq!(
        (&pull["mergeable"], &pull["rebaseable"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(
        (&pull["additions"], &pull["deletions"]),
        (&json!(2), &json!(2))
    );
}
