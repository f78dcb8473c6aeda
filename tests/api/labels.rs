//! Labels of repositories. Those of issues and pull requests are in `of_issues.rs`.

mod of_issues;

use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::{Answer, Service};
use crate::issues::{errors, get_issue, pluck, start};

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
