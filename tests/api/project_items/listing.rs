//! Lists and single items: content, pagination, and selected fields.

use serde_json::{Value, json};

use super::{CHORES, ITEMS, errors, ids, invalid, list_ids, start};

/// The names and the values of the fields of an item.
fn values(item: &Value) -> Vec<(String, Value)> {
    let fields = item["fields"].as_array().unwrap().iter();
    fields
        .map(|field| {
            let name = field["name"].as_str().unwrap().to_owned();
            (name, field["value"].clone())
        })
        .collect()
}

#[tokio::test]
async fn list_org_project_items_200_with_content_and_title() {
    let service = start().await;
    let list = service.as_("alice").get(ITEMS).await.expect(200).json();
    assert_eq!(ids(&list), [5501, 5502, 5503, 5504]);
    let (issue, draft, pull) = (&list[0], &list[1], &list[2]);
    assert_eq!(issue["content_type"], "Issue");
    assert_eq!(issue["content"]["number"], 3);
    assert_eq!(issue["content"]["labels"][0]["name"], "bug");
    assert_eq!(issue["creator"]["login"], "alice");
    assert_eq!(issue["archived_at"], Value::Null);
    let url = issue["item_url"].as_str().unwrap();
    assert!(url.ends_with("/orgs/acme/projectsV2/1/items/5501"), "{url}");
    let title = &issue["fields"][0];
    assert_eq!(
        (&title["id"], &title["data_type"]),
        (&json!(0), &json!("title"))
    );
    assert_eq!(title["value"]["raw"], "The handle squeaks");
    assert_eq!(title["value"]["number"], 3);
    assert_eq!(title["value"]["state"], "open");
    assert_eq!(draft["content_type"], "DraftIssue");
    assert_eq!(draft["content"]["title"], "Measure the grip");
    assert_eq!(draft["content"]["body"], "With gloves");
    assert_eq!(draft["content"]["user"]["login"], "bob");
    let plain = json!({"raw": "Measure the grip", "html": "Measure the grip"});
    assert_eq!(draft["fields"][0]["value"], plain);
    assert_eq!(pull["content_type"], "PullRequest");
    assert_eq!(pull["content"]["id"], 8001);
    assert!(pull["content"]["head"].is_object());
}

#[tokio::test]
async fn list_user_project_items_200_with_the_selected_fields() {
    let service = start().await;
    let alice = service.as_("alice");
    let path = format!("{CHORES}?fields=5008,0");
    let list = alice.get(&path).await.expect(200).json();
    assert_eq!(ids(&list), [5701]);
    assert_eq!(
        values(&list[0])[0],
        ("When".to_owned(), json!("2026-03-11"))
    );
    assert_eq!(values(&list[0])[1].1["raw"], "Oil the door");
}

#[tokio::test]
async fn get_user_project_item_200_with_its_draft() {
    let service = start().await;
    let path = format!("{CHORES}/5701");
    let item = service.as_("alice").get(&path).await.expect(200).json();
    assert_eq!(item["content"]["title"], "Oil the door");
    let url = item["project_url"].as_str().unwrap();
    assert!(url.ends_with("/users/alice/projectsV2/1"), "{url}");
}

#[tokio::test]
async fn get_org_project_item_200_with_every_type_of_value() {
    let service = start().await;
    let path = format!("{ITEMS}/5501?fields[]=5001&fields%5B%5D=5003&fields=5004,5005,5006,5002");
    let item = service.as_("alice").get(&path).await.expect(200).json();
    let found = values(&item);
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["Due", "Cycle", "Priority", "Details", "Status", "Points"]
    );
    assert_eq!(found[0].1, "2026-03-20");
    assert_eq!(found[1].1["title"]["raw"], "Iteration 1");
    assert_eq!(found[1].1["start_date"], "2026-03-02");
    assert_eq!(found[2].1["name"]["raw"], "High");
    assert_eq!(found[3].1, Value::Null);
    assert_eq!(found[4].1["name"]["raw"], "In progress");
    assert_eq!(found[4].1["color"], "PURPLE");
    assert_eq!(found[5].1, 3);
    let archived = format!("{ITEMS}/5505");
    let archived = service.as_("alice").get(&archived).await.expect(200);
    assert!(archived.json()["archived_at"].is_string());
}

#[tokio::test]
async fn get_org_project_item_422_when_a_field_is_unknown() {
    let service = start().await;
    for path in [format!("{ITEMS}/5501"), ITEMS.to_owned()] {
        for fields in ["fields=5008", "fields=x", "fields[]=-1"] {
            let answer = service.as_("alice").get(&format!("{path}?{fields}")).await;
            assert_eq!(errors(&answer.expect(422)), invalid("fields"), "{fields}");
        }
        let too_many: Vec<String> = (1..=51).map(|id| id.to_string()).collect();
        let too_many = format!("{path}?fields={}", too_many.join(","));
        service.as_("alice").get(&too_many).await.expect(422);
    }
}

#[tokio::test]
async fn get_user_project_item_404_and_422_when_the_item_or_a_field_is_absent() {
    let service = start().await;
    let alice = service.as_("alice");
    alice.get(&format!("{CHORES}/5501")).await.expect(404);
    let path = format!("{CHORES}/5701?fields=5001");
    alice.get(&path).await.expect(422);
    alice
        .get(&format!("{CHORES}?fields=5001"))
        .await
        .expect(422);
}

#[tokio::test]
async fn list_user_project_items_422_when_a_field_or_a_cursor_is_unknown() {
    let service = start().await;
    for query in ["fields=5001", "after=5001", "q=bogus:1"] {
        let path = format!("{CHORES}?{query}");
        service.as_("alice").get(&path).await.expect(422);
    }
}

#[tokio::test]
async fn list_org_project_items_200_page_by_page() {
    let service = start().await;
    let alice = service.as_("alice");
    let mut path = format!("{ITEMS}?per_page=3");
    let mut seen = Vec::new();
    let first = alice.get(&path).await.expect(200);
    seen.extend(ids(&first.json()));
    let link = first.header("link").unwrap().to_owned();
    assert!(!link.contains("rel=\"prev\""), "{link}");
    path = link.split(['<', '>']).nth(1).unwrap().to_owned();
    let path = &path[path.find("/orgs").unwrap()..];
    let second = alice.get(path).await.expect(200);
    seen.extend(ids(&second.json()));
    assert_eq!(seen, [5501, 5502, 5503, 5504]);
    let link = second.header("link").unwrap();
    assert!(
        link.contains("before=") && !link.contains("after="),
        "{link}"
    );
    let cursor = path.split("after=").nth(1).unwrap();
    let fields = format!("/orgs/acme/projectsV2/1/fields?after={cursor}");
    alice.get(&fields).await.expect(422);
    let other = format!("/orgs/acme/projectsV2/2/items?after={cursor}");
    alice.get(&other).await.expect(422);
}

#[tokio::test]
async fn list_org_project_items_200_is_fresh_after_every_change() {
    let service = start().await;
    let alice = service.as_("alice");
    let path = format!("{ITEMS}?fields=0,5002,5006");
    let before = alice.get(&path).await.expect(200).json();
    let issue = "/repos/acme/gadgets/issues/3";
    let body = json!({"title": "The handle creaks"});
    alice.patch(issue, body).await.expect(200);
    let after = alice.get(&path).await.expect(200).json();
    assert_ne!(before, after);
    assert_eq!(after[0]["fields"][0]["value"]["raw"], "The handle creaks");
    let body = json!({"fields": [{"id": 5002, "value": "Loud"}]});
    alice
        .patch(&format!("{ITEMS}/5501"), body)
        .await
        .expect(200);
    let changed = alice.get(&path).await.expect(200).json();
    assert_eq!(changed[0]["fields"][1]["value"]["raw"], "Loud");
    alice.delete(&format!("{ITEMS}/5502")).await.expect(204);
    assert_eq!(list_ids(&service, "").await, [5501, 5503, 5504]);
}
