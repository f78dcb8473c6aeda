//! Labels of repositories, and of issues and pull requests.

use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::{Answer, Service};
use crate::issues::{ISSUES, WIDGETS, errors, get_issue, pluck, send, start};

const LABELS: &str = "/repos/acme/gadgets/labels";
const PRIVATE_LABELS: &str = "/repos/acme/widgets/labels";
const ISSUE_LABELS: &str = "/repos/acme/gadgets/issues/1/labels";

async fn create_label(service: &Service, name: &str) -> Value {
    let body = json!({"name": name});
    let answer = service.as_("carol").post(LABELS, body).await;
    answer.expect(201).json()
}

fn names(answer: &Answer) -> Vec<String> {
    pluck(&json!({"labels": answer.json()}), "labels", "name")
}

#[tokio::test]
async fn list_labels_200_by_name_in_pages() {
    let service = start().await;
    for name in ["wontfix", "Bug", "help wanted"] {
        create_label(&service, name).await;
    }
    let answer = service.anonymous().get(LABELS).await.expect(200);
    assert_eq!(names(&answer), ["Bug", "help wanted", "wontfix"]);
    let path = format!("{LABELS}?per_page=2&page=2");
    let answer = service.as_("alice").get(&path).await.expect(200);
    assert_eq!(names(&answer), ["wontfix"]);
    assert!(answer.header("link").unwrap().contains("rel=\"prev\""));
    let path = format!("{LABELS}?page=9223372036854775807");
    let answer = service.as_("alice").get(&path).await.expect(200);
    assert_eq!(answer.json(), json!([]));
}

#[tokio::test]
async fn list_labels_403_and_404_when_they_cannot_be_read() {
    let service = start().await;
    service
        .as_("alice-metadata")
        .get(PRIVATE_LABELS)
        .await
        .expect(403);
    service.as_("mallory").get(PRIVATE_LABELS).await.expect(404);
}

#[tokio::test]
async fn create_label_201_with_a_color_and_a_description() {
    let service = start().await;
    let body = json!({"name": " needs oil ", "color": "F29513", "description": "Squeaks"});
    let answer = service.as_("carol").post(LABELS, body).await.expect(201);
    let label = answer.json();
    assert_eq!(label["name"], "needs oil");
    assert_eq!(label["color"], "f29513");
    assert_eq!(label["description"], "Squeaks");
    assert_eq!(label["default"], false);
    let url = label["url"].as_str().unwrap();
    assert!(url.ends_with("/repos/acme/gadgets/labels/needs%20oil"));
    assert_eq!(answer.header("location"), Some(url));
    let path = format!("{LABELS}/Needs%20Oil");
    let found = service.as_("bob-classic").get(&path).await.expect(200);
    assert_eq!(found.json(), label);
    assert_eq!(create_label(&service, "plain").await["color"], "ededed");
}

#[tokio::test]
async fn create_label_403_without_write_access() {
    let service = start().await;
    let body = json!({"name": "bug"});
    for token in ["erin", "bob-classic", "mallory", "alice-metadata"] {
        let answer = service.as_(token).post(LABELS, body.clone()).await;
        answer.expect(403);
    }
}

#[tokio::test]
async fn create_label_404_when_the_repository_is_hidden() {
    let service = start().await;
    let body = json!({"name": "bug"});
    service
        .as_("mallory")
        .post(PRIVATE_LABELS, body)
        .await
        .expect(404);
}

#[tokio::test]
async fn create_label_422_when_it_exists_or_a_value_is_invalid() {
    let service = start().await;
    create_label(&service, "bug").await;
    for (body, field, code) in [
        (json!({"name": "BUG"}), "name", "already_exists"),
        (json!({"name": " "}), "name", "missing_field"),
        (json!({"name": "x".repeat(51)}), "name", "custom"),
        (json!({"name": "x", "color": "#fff"}), "color", "invalid"),
        (
            json!({"name": "x", "description": "x".repeat(101)}),
            "description",
            "custom",
        ),
    ] {
        let answer = service.as_("carol").post(LABELS, body).await.expect(422);
        assert_eq!(errors(&answer), [(field.to_owned(), code.to_owned())]);
    }
    service
        .as_("carol")
        .post(LABELS, json!({"color": "ffffff"}))
        .await
        .expect(422);
}

#[tokio::test]
async fn get_label_200_403_and_404_by_name_and_access() {
    let service = start().await;
    let label = create_label(&service, "a/b: ünï").await;
    let path = format!("{LABELS}/a%2Fb%3A%20%C3%BCn%C3%AF");
    let found = service.as_("alice").get(&path).await.expect(200);
    assert_eq!(found.json(), label);
    let path = format!("{LABELS}/bug");
    service.as_("alice").get(&path).await.expect(404);
    let path = format!("{PRIVATE_LABELS}/bug");
    service.as_("alice-metadata").get(&path).await.expect(403);
}

#[tokio::test]
async fn update_label_200_and_stays_on_its_issues() {
    let service = start().await;
    create_label(&service, "bug").await;
    let body = json!({"labels": ["bug"]});
    service
        .as_("alice")
        .post(ISSUE_LABELS, body)
        .await
        .expect(200);
    let path = format!("{LABELS}/bug");
    let body = json!({"new_name": "Bug", "color": "000000", "description": "Broken"});
    let label = service.as_("carol").patch(&path, body).await.expect(200);
    let label = label.json();
    assert_eq!(
        (&label["name"], &label["color"]),
        (&json!("Bug"), &json!("000000"))
    );
    assert_eq!(get_issue(&service, 1).await["labels"], json!([label]));
    let body = json!({"name": "fault", "description": null});
    let label = service.as_("carol").patch(&path, body).await.expect(200);
    assert_eq!(label.json()["name"], "fault");
    assert_eq!(label.json()["description"], json!(null));
}

#[tokio::test]
async fn update_label_403_without_write_access() {
    let service = start().await;
    create_label(&service, "bug").await;
    let path = format!("{LABELS}/bug");
    let body = json!({"color": "000000"});
    for token in ["erin", "mallory", "alice-metadata"] {
        let answer = service.as_(token).patch(&path, body.clone()).await;
        answer.expect(403);
    }
}

#[tokio::test]
async fn update_label_404_when_it_is_absent() {
    let service = start().await;
    let path = format!("{LABELS}/bug");
    let body = json!({"color": "000000"});
    service.as_("carol").patch(&path, body).await.expect(404);
}

#[tokio::test]
async fn update_label_422_when_the_name_is_taken_or_a_value_is_invalid() {
    let service = start().await;
    create_label(&service, "bug").await;
    create_label(&service, "oil").await;
    let path = format!("{LABELS}/bug");
    for body in [
        json!({"new_name": "OIL"}),
        json!({"new_name": ""}),
        json!({"color": "red"}),
    ] {
        service.as_("carol").patch(&path, body).await.expect(422);
    }
}

#[tokio::test]
async fn delete_label_204_removes_it_from_all_issues() {
    let service = start().await;
    let body = json!(["bug", "oil"]);
    service
        .as_("alice")
        .post(ISSUE_LABELS, body)
        .await
        .expect(200);
    let path = format!("{LABELS}/BUG");
    let carol = service.as_("carol");
    carol.send(Method::DELETE, &path, None).await.expect(204);
    carol.send(Method::DELETE, &path, None).await.expect(404);
    assert_eq!(
        pluck(&get_issue(&service, 1).await, "labels", "name"),
        ["oil"]
    );
}

#[tokio::test]
async fn delete_label_403_and_404_without_write_access() {
    let service = start().await;
    create_label(&service, "bug").await;
    let path = format!("{LABELS}/bug");
    for token in ["erin", "mallory", "alice-metadata"] {
        let answer = service.as_(token).send(Method::DELETE, &path, None).await;
        answer.expect(403);
    }
    let path = format!("{PRIVATE_LABELS}/bug");
    let mallory = service.as_("mallory");
    mallory.send(Method::DELETE, &path, None).await.expect(404);
}

#[tokio::test]
async fn list_issue_labels_200_in_pages() {
    let service = start().await;
    let body = json!({"labels": ["b", "a", "c"]});
    service
        .as_("carol")
        .post(ISSUE_LABELS, body)
        .await
        .expect(200);
    let path = format!("{ISSUE_LABELS}?per_page=2");
    let answer = service.anonymous().get(&path).await.expect(200);
    assert_eq!(names(&answer), ["a", "b"]);
    assert!(answer.header("link").unwrap().contains("rel=\"last\""));
}

#[tokio::test]
async fn list_issue_labels_403_and_404_when_they_cannot_be_read() {
    let service = start().await;
    let path = format!("{WIDGETS}/1/labels");
    service.as_("alice-metadata").get(&path).await.expect(403);
    service.as_("mallory").get(&path).await.expect(404);
    let path = format!("{ISSUES}/7/labels");
    service.as_("alice").get(&path).await.expect(404);
}

#[tokio::test]
async fn add_issue_labels_200_keeps_earlier_labels_and_creates_new_ones() {
    let service = start().await;
    service.clock.advance(5);
    let carol = service.as_("carol");
    let answer = carol.post(ISSUE_LABELS, json!({"labels": ["Bug"]})).await;
    assert_eq!(names(&answer.expect(200)), ["Bug"]);
    let answer = carol
        .post(ISSUE_LABELS, json!(["bug", {"name": "oil"}]))
        .await;
    assert_eq!(names(&answer.expect(200)), ["Bug", "oil"]);
    let issue = get_issue(&service, 1).await;
    assert_ne!(issue["updated_at"], issue["created_at"]);
    let answer = service.as_("alice").get(LABELS).await.expect(200);
    assert_eq!(names(&answer), ["Bug", "oil"]);
}

#[tokio::test]
async fn add_issue_labels_403_without_triage_access() {
    let service = start().await;
    let body = json!({"labels": ["bug"]});
    for token in ["bob-classic", "mallory", "alice-metadata", "alice-reads"] {
        let answer = service.as_(token).post(ISSUE_LABELS, body.clone()).await;
        answer.expect(403);
    }
}

/// Asserts that a caller may not create a label by labelling an issue.
fn assert_not_created(answer: &Answer) {
    assert_eq!(answer.status, 403, "{}", answer.text);
    let message = "You do not have permission to create labels on this repository.";
    assert_eq!(answer.message(), message);
    let errors = json!([{"resource": "Repository", "field": "label", "code": "unauthorized"}]);
    assert_eq!(answer.json()["errors"], errors);
}

#[tokio::test]
async fn add_issue_labels_403_when_the_caller_may_not_create_a_missing_label() {
    let service = start().await;
    create_label(&service, "bug").await;
    let tokens = ["erin", "alice-pulls", "puller"];
    for token in tokens {
        let body = json!(["bug", "brand-new"]);
        assert_not_created(&service.as_(token).post(ISSUE_LABELS, body).await);
    }
    assert_eq!(get_issue(&service, 1).await["labels"], json!([]));
    let labels = service.as_("alice").get(LABELS).await.expect(200);
    assert_eq!(names(&labels), ["bug"]);
    for token in tokens {
        let answer = service.as_(token).post(ISSUE_LABELS, json!(["Bug"])).await;
        assert_eq!(names(&answer.expect(200)), ["bug"]);
    }
}

#[tokio::test]
async fn add_issue_labels_404_when_the_issue_is_absent() {
    let service = start().await;
    let path = format!("{ISSUES}/7/labels");
    let body = json!({"labels": ["bug"]});
    service.as_("alice").post(&path, body).await.expect(404);
}

#[tokio::test]
async fn add_issue_labels_422_when_there_are_too_many_or_a_value_is_invalid() {
    let service = start().await;
    let hundred: Vec<String> = (0..100).map(|number| format!("l{number}")).collect();
    let alice = service.as_("alice");
    let answer = alice.post(ISSUE_LABELS, json!({"labels": hundred})).await;
    answer.expect(200);
    for body in [
        json!({"labels": ["one more"]}),
        json!({"labels": [""]}),
        json!({"labels": "bug"}),
        json!({}),
        json!([7]),
    ] {
        alice.post(ISSUE_LABELS, body).await.expect(422);
    }
    alice.get(&format!("{LABELS}/one%20more")).await.expect(404);
}

#[tokio::test]
async fn set_issue_labels_200_and_403_replaces_earlier_labels_by_existing_ones() {
    let service = start().await;
    let body = json!({"labels": ["bug", "oil"]});
    service
        .as_("alice")
        .post(ISSUE_LABELS, body)
        .await
        .expect(200);
    let body = json!(["oil", "grease"]);
    let answer = send(&service, "erin", Method::PUT, ISSUE_LABELS, body.clone()).await;
    assert_not_created(&answer);
    let labels = service.as_("erin").get(ISSUE_LABELS).await.expect(200);
    assert_eq!(names(&labels), ["bug", "oil"], "nothing changed");
    create_label(&service, "grease").await;
    let answer = send(&service, "erin", Method::PUT, ISSUE_LABELS, body).await;
    assert_eq!(names(&answer.expect(200)), ["grease", "oil"]);
    let body = json!({"labels": []});
    let answer = send(&service, "erin", Method::PUT, ISSUE_LABELS, body).await;
    assert_eq!(answer.expect(200).json(), json!([]));
}

#[tokio::test]
async fn set_issue_labels_403_404_and_422_when_they_cannot_be_set() {
    let service = start().await;
    let body = json!({"labels": ["bug"]});
    let put = |token, path, body| send(&service, token, Method::PUT, path, body);
    put("bob-classic", ISSUE_LABELS, body.clone())
        .await
        .expect(403);
    let path = format!("{ISSUES}/7/labels");
    put("alice", &path, body).await.expect(404);
    put("alice", ISSUE_LABELS, json!({"labels": [{"id": 7}]}))
        .await
        .expect(422);
}

#[tokio::test]
async fn clear_issue_labels_204_removes_all_labels() {
    let service = start().await;
    let body = json!({"labels": ["bug", "oil"]});
    service
        .as_("alice")
        .post(ISSUE_LABELS, body)
        .await
        .expect(200);
    let erin = service.as_("erin");
    erin.send(Method::DELETE, ISSUE_LABELS, None)
        .await
        .expect(204);
    assert_eq!(get_issue(&service, 1).await["labels"], json!([]));
}

#[tokio::test]
async fn clear_issue_labels_403_and_404_when_they_cannot_be_removed() {
    let service = start().await;
    let mallory = service.as_("mallory");
    mallory
        .send(Method::DELETE, ISSUE_LABELS, None)
        .await
        .expect(403);
    let path = format!("{ISSUES}/7/labels");
    let alice = service.as_("alice");
    alice.send(Method::DELETE, &path, None).await.expect(404);
}

#[tokio::test]
async fn remove_issue_label_200_with_the_remaining_labels() {
    let service = start().await;
    let body = json!({"labels": ["bug", "needs oil"]});
    service
        .as_("alice")
        .post(ISSUE_LABELS, body)
        .await
        .expect(200);
    let path = format!("{ISSUE_LABELS}/Needs%20oil");
    let erin = service.as_("erin");
    let answer = erin.send(Method::DELETE, &path, None).await;
    assert_eq!(names(&answer.expect(200)), ["bug"]);
    let answer = erin.send(Method::DELETE, &path, None).await.expect(404);
    assert_eq!(answer.message(), "Label does not exist");
}

#[tokio::test]
async fn remove_issue_label_403_and_404_when_it_cannot_be_removed() {
    let service = start().await;
    let path = format!("{ISSUE_LABELS}/bug");
    let mallory = service.as_("mallory");
    mallory.send(Method::DELETE, &path, None).await.expect(403);
    let alice = service.as_("alice");
    alice.send(Method::DELETE, &path, None).await.expect(404);
}
