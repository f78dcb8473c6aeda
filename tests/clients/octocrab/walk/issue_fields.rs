//! Issue fields: all four operations through octocrab's methods. Its model has no options, so
//! the tests read them with raw requests.

use octocrab::Octocrab;
use serde_json::{Value, json};

use crate::{alice, by_token, refused};

async fn options_of(crab: &Octocrab, id: u64) -> Value {
    let fields: Vec<Value> = crab
        .get("/orgs/acme/issue-fields", None::<&()>)
        .await
        .unwrap();
    let found = fields.into_iter().find(|field| field["id"] == id);
    found.map(|field| field["options"].clone()).unwrap()
}

#[tokio::test]
async fn a_field_is_created_listed_changed_and_deleted() {
    let crab = alice();
    let acme = crab.orgs("acme");
    let fields = acme.issue_fields();
    let body = json!({
        "name": "Effort of octocrab",
        "description": "How hard it is",
        "data_type": "single_select",
        "options": [{"name": "Much", "color": "red", "priority": 1}, {"name": "Little", "color": "green", "priority": 2}],
    });
    let created = fields.create(&body).await.unwrap();
    assert_eq!(created.data_type.as_deref(), Some("single_select"));
    assert_eq!(created.description.as_deref(), Some("How hard it is"));
    let id = created.id.as_u64().unwrap();
    let options = options_of(&crab, id).await;
    assert_eq!(options[1]["name"], "Little");

    let change = json!({
        "name": "Work of octocrab",
        "description": null,
        "options": [{"id": options[1]["id"], "name": "A little", "color": "blue", "priority": 1}],
    });
    let changed = fields.update(id, &change).await.unwrap();
    assert_eq!(
        (changed.name.as_str(), changed.description),
        ("Work of octocrab", None)
    );
    let remaining = options_of(&crab, id).await;
    assert_eq!(remaining.as_array().map(Vec::len), Some(1));
    assert_eq!(remaining[0]["id"], options[1]["id"]);

    let names: Vec<_> = fields
        .list()
        .await
        .unwrap()
        .into_iter()
        .map(|field| field.name)
        .collect();
    assert_eq!(&names[..2], ["Priority", "Estimate"]);
    assert!(names.contains(&"Work of octocrab".to_owned()));
    fields.delete(id).await.unwrap();
    assert_eq!(refused(fields.delete(id).await, 404).message, "Not Found");
}

#[tokio::test]
async fn an_invalid_or_forbidden_request_gets_an_error_with_the_reason() {
    let crab = alice();
    let error = refused(
        crab.orgs("acme")
            .issue_fields()
            .create(&json!({"name": "Half"}))
            .await,
        422,
    );
    assert_eq!(
        error.message,
        "Invalid request.\n\n\"data_type\" wasn't supplied."
    );
    let taken = json!({"name": "Priority", "data_type": "text"});
    let error = refused(crab.orgs("acme").issue_fields().create(&taken).await, 422);
    assert_eq!(error.errors.unwrap()[0]["field"], "name");
    refused(
        by_token("bob-classic")
            .orgs("acme")
            .issue_fields()
            .create(&taken)
            .await,
        404,
    );
    refused(
        by_token("nobody").orgs("acme").issue_fields().list().await,
        401,
    );
}
