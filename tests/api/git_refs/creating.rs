//! Creating references: which names and objects the server accepts, and from whom.

use git::pushes;
use poem::http::Method;
use sea_orm::ActiveValue::Set;
use serde_json::json;
use storage::entities::git_object::ObjectKind;

use super::seed::{GADGETS, WIDGETS, archive, gadgets, insert_ref, start, update_repository};
use super::{MATCHING, REF, REFS, seed};

#[tokio::test]
async fn create_ref_201_for_every_kind_of_object_in_any_namespace() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    for (full, sha, kind) in [
        ("refs/heads/feature/b", &history.side, "commit"),
        ("refs/heads/ünïcode#1", &history.root, "commit"),
        ("refs/tags/light", &history.main, "commit"),
        ("refs/tags/annotated", &history.tag, "tag"),
        ("refs/others/blob", &history.blob, "blob"),
        ("refs/others/tree", &history.tree, "tree"),
    ] {
        let answer = alice
            .post(REFS, json!({"ref": full, "sha": sha}))
            .await
            .expect(201);
        let body = answer.json();
        assert_eq!(body["ref"], full);
        assert_eq!(body["object"]["sha"], **sha);
        assert_eq!(body["object"]["type"], kind);
        assert_eq!(answer.header("location"), body["url"].as_str());
        let read = full.strip_prefix("refs/").unwrap().replace('#', "%23");
        let read = alice.get(&format!("{REF}/{read}")).await.expect(200);
        assert_eq!(read.json(), body);
    }
    let pushed_at = pushes::last(service.app.db.reads(), GADGETS).await;
    assert_eq!(pushed_at.unwrap(), Some(service.app.clock.now().0));
}

#[tokio::test]
async fn create_ref_401_without_a_valid_credential() {
    let (service, history) = gadgets().await;
    let body = json!({"ref": "refs/heads/new", "sha": history.main});
    let answer = service
        .anonymous()
        .post(REFS, body.clone())
        .await
        .expect(401);
    assert_eq!(answer.message(), "Requires authentication");
    service.as_("nobody").post(REFS, body).await.expect(401);
}

#[tokio::test]
async fn create_ref_403_without_push_access_or_when_archived() {
    let (service, history) = gadgets().await;
    let body = json!({"ref": "refs/heads/new", "sha": history.main});
    for (token, message) in [
        ("bob-classic", "Must have push access to repository"),
        (
            "alice-fine-metadata",
            "Resource not accessible by personal access token",
        ),
        (
            "ci-bot-installation",
            "Resource not accessible by integration",
        ),
    ] {
        let answer = service
            .as_(token)
            .post(REFS, body.clone())
            .await
            .expect(403);
        assert_eq!(answer.message(), message, "{token}");
    }
    archive(&service, GADGETS).await;
    let answer = service
        .as_("alice-classic")
        .post(REFS, body)
        .await
        .expect(403);
    assert_eq!(answer.message(), "Repository was archived so is read-only.");
}

/// It can be read, and nothing in it can be changed.
#[tokio::test]
async fn create_ref_403_and_every_other_change_when_the_repository_is_disabled() {
    let (service, history) = gadgets().await;
    update_repository(&service, GADGETS, |row| row.disabled = Set(true)).await;
    let alice = service.as_("alice-classic");
    let sha = json!({"sha": history.ahead});
    let repository = alice.get("/repos/acme/gadgets").await.expect(200);
    assert_eq!(repository.json()["disabled"], true);
    for (method, path, body) in [
        (
            Method::POST,
            REFS.to_owned(),
            json!({"ref": "refs/heads/new", "sha": history.main}),
        ),
        (Method::PATCH, format!("{REFS}/heads/main"), sha),
        (Method::DELETE, format!("{REFS}/heads/side"), json!({})),
        (
            Method::POST,
            "/repos/acme/gadgets/issues".to_owned(),
            json!({"title": "Broken"}),
        ),
        (
            Method::POST,
            "/repos/acme/gadgets/labels".to_owned(),
            json!({"name": "broken"}),
        ),
        (
            Method::PUT,
            "/repos/acme/gadgets/contents/a".to_owned(),
            json!({"message": "A", "content": ""}),
        ),
    ] {
        let answer = alice
            .send(method.clone(), &path, Some(body.to_string()))
            .await;
        let answer = answer.expect(403);
        assert_eq!(
            answer.message(),
            "Repository access blocked",
            "{method} {path}"
        );
    }
    let kept = alice.get(&format!("{REFS}/heads/side")).await.expect(200);
    assert_eq!(kept.json()["object"]["sha"], history.side);
}

#[tokio::test]
async fn create_ref_404_when_the_repository_is_hidden() {
    let (service, history) = gadgets().await;
    let body = json!({"ref": "refs/heads/new", "sha": history.main});
    let hidden = "/repos/acme/widgets/git/refs";
    service
        .as_("mallory-classic")
        .post(hidden, body)
        .await
        .expect(404);
}

#[tokio::test]
async fn create_ref_409_when_the_repository_is_empty_even_if_the_object_exists() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    update_repository(&service, GADGETS, |row| {
        row.default_branch = Set("trunk".to_owned());
    })
    .await;
    for branch in ["main", "side"] {
        alice
            .delete(&format!("{REFS}/heads/{branch}"))
            .await
            .expect(204);
    }
    let body = json!({"ref": "refs/heads/main", "sha": history.main});
    let answer = alice.post(REFS, body).await.expect(409);
    assert_eq!(answer.message(), "Git Repository is empty.");
}

#[tokio::test]
async fn create_ref_422_for_a_name_that_git_rejects() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    let long = format!("refs/heads/{}", "a".repeat(1100));
    let like_a_commit = format!("refs/heads/{}", history.main);
    for (full, message) in [
        ("heads/new", "Reference name must start with 'refs/'."),
        (
            "refs/new",
            "Reference name must contain at least three slash-separated components.",
        ),
        ("refs/heads/", "refs/heads/ is not a valid ref name."),
        (
            "refs/heads/a..b",
            "refs/heads/a..b is not a valid ref name.",
        ),
        ("refs/heads/.a", "refs/heads/.a is not a valid ref name."),
        (
            "refs/heads/a.lock",
            "refs/heads/a.lock is not a valid ref name.",
        ),
        ("refs/heads/a b", "refs/heads/a b is not a valid ref name."),
        (
            "refs/heads/a\u{7}",
            "refs/heads/a\u{7} is not a valid ref name.",
        ),
        ("refs/heads/a/", "refs/heads/a/ is not a valid ref name."),
        ("refs/heads//a", "refs/heads//a is not a valid ref name."),
        ("refs/heads/@{a", "refs/heads/@{a is not a valid ref name."),
        (&like_a_commit, "Reference update failed"),
        (&long, "Reference update failed"),
    ] {
        let answer = alice
            .post(REFS, json!({"ref": full, "sha": history.main}))
            .await
            .expect(422);
        assert_eq!(answer.message(), message, "{full}");
    }
}

#[tokio::test]
async fn create_ref_422_for_an_object_that_is_absent_or_of_the_wrong_kind() {
    let (service, history) = gadgets().await;
    seed::create_history(&service, WIDGETS).await;
    let alice = service.as_("alice-classic");
    let create = async |full: &str, sha: &str| {
        let answer = alice
            .post(REFS, json!({"ref": full, "sha": sha}))
            .await
            .expect(422);
        answer.message()
    };
    let zeros = "0".repeat(40);
    assert_eq!(
        create("refs/heads/new", &zeros).await,
        "Object does not exist"
    );
    assert_eq!(
        create("refs/heads/new", &"z".repeat(40)).await,
        "Object does not exist"
    );
    assert_eq!(
        create("refs/heads/new", &history.main[..7]).await,
        "Invalid request.\n\nFor 'properties/sha', At least 40 characters are required; only 7 were supplied."
    );
    for sha in [&history.blob, &history.tree, &history.tag] {
        assert_eq!(
            create("refs/heads/new", sha).await,
            "Reference update failed"
        );
    }
    let upper = json!({"ref": "refs/heads/upper", "sha": history.main.to_uppercase()});
    let answer = alice.post(REFS, upper).await.expect(201);
    assert_eq!(answer.json()["object"]["sha"], history.main);
}

#[tokio::test]
async fn create_ref_422_for_an_object_of_another_repository() {
    let service = start().await;
    seed::create_history(&service, WIDGETS).await;
    seed::create_history(&service, GADGETS).await;
    let transaction = service.app.db.begin().await.unwrap();
    let blob = git::objects::Object::blob(b"only in widgets\n".to_vec());
    git::store::store_objects(&transaction, WIDGETS, std::slice::from_ref(&blob))
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    let body = json!({"ref": "refs/odd/blob", "sha": blob.sha().to_string()});
    let alice = service.as_("alice-classic");
    let answer = alice.post(REFS, body.clone()).await.expect(422);
    assert_eq!(answer.message(), "Object does not exist");
    alice
        .post("/repos/acme/widgets/git/refs", body)
        .await
        .expect(201);
}

#[tokio::test]
async fn create_ref_422_when_the_name_is_taken_or_conflicts_with_another() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    let create = async |full: &str| {
        let body = json!({"ref": full, "sha": history.main});
        let answer = alice.post(REFS, body).await;
        match answer.status.as_u16() {
            422 => answer.message(),
            status => status.to_string(),
        }
    };
    assert_eq!(create("refs/heads/main").await, "Reference already exists");
    assert_eq!(create("refs/heads/main/a").await, "Reference update failed");
    assert_eq!(
        create("refs/heads/main/a/b").await,
        "Reference update failed"
    );
    assert_eq!(create("refs/heads/deep/a/b").await, "201");
    assert_eq!(create("refs/heads/deep").await, "Reference update failed");
    assert_eq!(create("refs/heads/deep/a").await, "Reference update failed");
    assert_eq!(
        create("refs/heads/deep/a/b/c").await,
        "Reference update failed"
    );
    assert_eq!(create("refs/heads/deep-").await, "201");
    assert_eq!(create("refs/heads/deep0").await, "201");
    assert_eq!(create("refs/heads/deep/b").await, "201");
    assert_eq!(create("refs/heads/mainly").await, "201");
    insert_ref(
        &service,
        GADGETS,
        "refs/stash",
        &history.main,
        ObjectKind::Commit,
    )
    .await;
    assert_eq!(create("refs/stash/a").await, "Reference update failed");
}

#[tokio::test]
async fn create_ref_422_when_the_body_is_invalid() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    for (body, message) in [
        (json!({}), "\"ref\", \"sha\" weren't supplied."),
        (json!({"ref": "refs/heads/new"}), "\"sha\" wasn't supplied."),
        (
            json!({"ref": null, "sha": history.main}),
            "For 'properties/ref', nil is not a string.",
        ),
    ] {
        let answer = alice.post(REFS, body).await.expect(422);
        assert_eq!(answer.message(), format!("Invalid request.\n\n{message}"));
    }
}

#[tokio::test]
async fn create_ref_201_for_only_one_of_several_conflicting_names() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    let create = |name: &str| alice.post(REFS, json!({"ref": name, "sha": history.main}));
    for number in 0..10 {
        let name = format!("refs/heads/at/{number}");
        let [below, beside] = [format!("{name}/x"), format!("{name}-")];
        let (one, below, same, beside) = tokio::join!(
            create(&name),
            create(&below),
            create(&name),
            create(&beside)
        );
        beside.expect(201);
        let mut statuses = [one, below, same].map(|answer| answer.status.as_u16());
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 422, 422], "{name}");
    }
    let created = format!("{MATCHING}/heads/at/");
    let created = alice.get(&created).await.expect(200);
    assert_eq!(created.json().as_array().unwrap().len(), 20);
}
