//! Updating pull requests: title and body, base, and state.

use poem::http::Method;
use serde_json::json;

use super::{PULLS, REFS, create_pull, custom, errors, get_pull, invalid, merge, start, tip};

#[tokio::test]
async fn update_pull_200_changes_only_the_given_keys() {
    let service = start().await;
    create_pull(&service, "bob-classic", "topic").await;
    service.clock.advance(5);
    let path = format!("{PULLS}/1");
    let body = json!({"title": "Better", "body": "Because."});
    let updated = service
        .as_("bob-classic")
        .patch(&path, body)
        .await
        .expect(200)
        .json();
    assert_eq!(
        (&updated["title"], &updated["body"]),
        (&json!("Better"), &json!("Because."))
    );
    assert_ne!(updated["updated_at"], updated["created_at"]);
    let body = json!({"body": null, "maintainer_can_modify": true});
    let updated = service
        .as_("carol")
        .patch(&path, body)
        .await
        .expect(200)
        .json();
    assert_eq!(
        (&updated["title"], &updated["body"]),
        (&json!("Better"), &json!(null))
    );
    assert_eq!(updated["maintainer_can_modify"], true);
    let unchanged = service
        .as_("bob-classic")
        .send(Method::PATCH, &path, None)
        .await;
    assert_eq!(unchanged.expect(200).json(), updated);
    assert_eq!(get_pull(&service, &json!(1)).await, updated);
}

#[tokio::test]
async fn update_pull_200_with_another_base() {
    let service = start().await;
    create_pull(&service, "bob-classic", "topic").await;
    let path = format!("{PULLS}/1");
    let body = json!({"base": "first"});
    let updated = service
        .as_("bob-classic")
        .patch(&path, body)
        .await
        .expect(200)
        .json();
    assert_eq!(updated["base"]["ref"], "first");
    assert_eq!(updated["base"]["sha"], tip(&service, "first").await);
    assert_eq!(updated["commits"], 1);
}

#[tokio::test]
async fn update_pull_200_closes_and_reopens() {
    let service = start().await;
    create_pull(&service, "bob-classic", "topic").await;
    let path = format!("{PULLS}/1");
    let bob = service.as_("bob-classic");
    let closed = bob
        .patch(&path, json!({"state": "closed"}))
        .await
        .expect(200)
        .json();
    assert_eq!(closed["state"], "closed");
    assert_eq!(
        (&closed["merged"], &closed["mergeable"]),
        (&json!(false), &json!(null))
    );
    assert_eq!(closed["closed_at"], closed["updated_at"]);
    let reopened = bob
        .patch(&path, json!({"state": "open"}))
        .await
        .expect(200)
        .json();
    assert_eq!(
        (&reopened["state"], &reopened["closed_at"]),
        (&json!("open"), &json!(null))
    );
}

#[tokio::test]
async fn update_pull_200_and_403_a_triager_closes_and_reopens_but_does_not_edit() {
    let service = start().await;
    create_pull(&service, "alice", "topic").await;
    let path = format!("{PULLS}/1");
    let erin = service.as_("erin");
    for state in ["closed", "open"] {
        let answer = erin.patch(&path, json!({"state": state})).await.expect(200);
        assert_eq!(answer.json()["state"], state);
    }
    let before = get_pull(&service, &json!(1)).await;
    for body in [
        json!({"title": "Mine"}),
        json!({"body": null, "state": "closed"}),
        json!({"base": "first"}),
        json!({"maintainer_can_modify": true}),
    ] {
        erin.patch(&path, body).await.expect(403);
    }
    assert_eq!(get_pull(&service, &json!(1)).await, before);
}

#[tokio::test]
async fn update_pull_403_when_the_caller_is_not_the_author_and_cannot_write() {
    let service = start().await;
    create_pull(&service, "alice", "topic").await;
    let path = format!("{PULLS}/1");
    let body = json!({"title": "Mine"});
    for token in ["dave-classic", "mallory", "alice-reads"] {
        service
            .as_(token)
            .patch(&path, body.clone())
            .await
            .expect(403);
    }
    let attic = "/repos/acme/attic/pulls/1";
    service.as_("alice").patch(attic, body).await.expect(403);
}

#[tokio::test]
async fn update_pull_404_when_absent_or_hidden() {
    let service = start().await;
    let body = json!({"title": "Mine"});
    let absent = format!("{PULLS}/9");
    service
        .as_("alice")
        .patch(&absent, body.clone())
        .await
        .expect(404);
    let hidden = "/repos/acme/widgets/pulls/1";
    service.as_("mallory").patch(hidden, body).await.expect(404);
}

#[tokio::test]
async fn update_pull_422_when_the_base_is_invalid() {
    let service = start().await;
    create_pull(&service, "alice", "topic").await;
    let alice = service.as_("alice");
    let body = json!({"title": "Elsewhere", "head": "topic", "base": "old"});
    alice.post(PULLS, body).await.expect(201);
    let path = format!("{PULLS}/1");
    let no_commits = "There are no new commits between base branch 'topic' and head branch 'topic'";
    let exists = "A pull request already exists for base branch 'old' and head branch 'topic'";
    for (base, message) in [
        ("nowhere", "Proposed base branch 'nowhere' was not found"),
        ("topic", no_commits),
        ("old", exists),
    ] {
        let answer = alice.patch(&path, json!({"base": base})).await.expect(422);
        assert_eq!(errors(&answer), invalid("base", message));
    }
    let body = json!({"base": "first", "state": "closed"});
    let answer = alice.patch(&path, body).await.expect(422);
    let closed = "Cannot change the base branch of a closed pull request.";
    assert_eq!(errors(&answer), invalid("base", closed));
    let answer = alice.patch(&path, json!({"title": ""})).await.expect(422);
    assert_eq!(errors(&answer), custom("title", "title can't be blank"));
    assert_eq!(
        get_pull(&service, &json!(1)).await["state"],
        "open",
        "nothing changed"
    );
}

#[tokio::test]
async fn update_pull_422_when_it_cannot_be_reopened() {
    let service = start().await;
    let alice = service.as_("alice");
    let expected = |message: &str| invalid("state", &format!("state cannot be changed. {message}"));
    let reopen = |number: u8| {
        let path = format!("{PULLS}/{number}");
        let alice = &alice;
        async move {
            alice
                .patch(&path, json!({"state": "open"}))
                .await
                .expect(422)
        }
    };
    let first = create_pull(&service, "alice", "clash").await;
    let sha = tip(&service, "clash").await;
    alice
        .delete(&format!("{REFS}/heads/clash"))
        .await
        .expect(204);
    let deleted = "The clash branch has been deleted.";
    assert_eq!(errors(&reopen(1).await), expected(deleted));
    let other = json!({"ref": "refs/heads/clash", "sha": tip(&service, "topic").await});
    alice.post(REFS, other).await.expect(201);
    let recreated = "The clash branch was force-pushed or recreated.";
    assert_eq!(errors(&reopen(1).await), expected(recreated));
    let original = json!({"sha": sha, "force": true});
    alice
        .patch(&format!("{REFS}/heads/clash"), original)
        .await
        .expect(200);
    let path = format!("{PULLS}/{}", first["number"]);
    alice
        .patch(&path, json!({"state": "open"}))
        .await
        .expect(200);
    alice
        .patch(&path, json!({"state": "closed"}))
        .await
        .expect(200);
    create_pull(&service, "alice", "clash").await;
    let exists = "There is already an open pull request from acme:clash.";
    assert_eq!(errors(&reopen(1).await), expected(exists));
    let third = create_pull(&service, "alice", "topic").await;
    merge(&service, "alice", &third["number"], json!({}))
        .await
        .expect(200);
    let merged = "The pull request cannot be reopened.";
    assert_eq!(errors(&reopen(3).await), expected(merged));
}
