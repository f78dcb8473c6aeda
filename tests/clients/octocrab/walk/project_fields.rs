//! Project fields. octocrab's model expects the description of an option to be a plain string,
//! but GitHub's is an object. So the tests read fields with options with raw requests, and all
//! others with octocrab's methods.

use octocrab::Page;
use serde_json::{Value, json};

use crate::{alice, anonymous, refused};

#[tokio::test]
async fn an_organizations_fields_are_paged_by_cursors() {
    let crab = alice();
    let first: Page<Value> = crab
        .get(
            "/orgs/acme/projectsV2/1/fields",
            Some(&json!({"per_page": 2})),
        )
        .await
        .unwrap();
    assert_eq!(first.items.len(), 2);
    assert!(first.next.is_some());
    let all = crab.all_pages(first).await.unwrap();
    let names: Vec<_> = all
        .iter()
        .map(|field| field["name"].as_str().unwrap())
        .collect();
    assert_eq!(&names[..5], ["Status", "Details", "Points", "Due", "Cycle"]);
    assert_eq!(all[0]["options"][0]["name"]["raw"], "Todo");
}

#[tokio::test]
async fn a_field_is_added_to_an_organizations_project_and_read() {
    let crab = alice();
    let hiring = crab.projects_v2().org("acme");
    let added = hiring.add_field(2, "Notes", "text").send().await.unwrap();
    assert_eq!(
        (added.name.as_str(), added.data_type.as_str()),
        ("Notes", "text")
    );
    assert_eq!(
        hiring.get_field(2, added.id.to_string()).await.unwrap(),
        added
    );
    assert!(
        hiring
            .list_fields(2)
            .per_page(100)
            .send()
            .await
            .unwrap()
            .contains(&added)
    );
    let again = refused(hiring.add_field(2, "notes", "number").send().await, 422);
    assert_eq!(again.message, "Validation Failed");
    assert_eq!(
        refused(
            anonymous()
                .projects_v2()
                .org("acme")
                .get_field(2, added.id.to_string())
                .await,
            404
        )
        .message,
        "Not Found"
    );

    let cycle = hiring
        .add_field(2, "Sprint", "iteration")
        .iteration_configuration(json!({"start_date": "2026-01-05", "duration": 14}))
        .send()
        .await
        .unwrap();
    assert_eq!(cycle.data_type, "iteration");
}

#[tokio::test]
async fn a_users_fields_are_listed_added_and_read() {
    let crab = alice();
    let chores = crab.projects_v2().user("alice");
    let added = chores.add_field(1, "Who", "text").send().await.unwrap();
    assert_eq!(
        chores
            .get_field(1, added.id.to_string())
            .await
            .unwrap()
            .name,
        "Who"
    );
    let names: Vec<_> = chores
        .list_fields(1)
        .send()
        .await
        .unwrap()
        .into_iter()
        .map(|field| field.name)
        .collect();
    assert_eq!(names, ["When", "Where", "How long", "Who"]);
    let page = chores.list_fields(1).per_page(1).send().await.unwrap();
    assert_eq!(page.len(), 1);
    refused(chores.get_field(1, "99").await, 404);
}
